"""The whole site: the front page, every page at its address, and the server that serves them all."""

from parlour.server.page.environment import bring_templates

bring_templates(__name__)
