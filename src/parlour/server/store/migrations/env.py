"""Alembic's entry: migrates over the connection that :mod:`parlour.server.store.database` hands in, in its
transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
