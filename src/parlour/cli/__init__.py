"""The command line: one module a command.  Modules import what is heavy only when their command runs."""
