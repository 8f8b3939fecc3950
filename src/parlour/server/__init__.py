"""Tables for people far apart: live tables, their log, the interface for programs, the pages, the club."""

from parlour.base.extras import CLIENT, require

require("server", "A table on a server", CLIENT)  # a server needs more than this extra, and checks for it itself
