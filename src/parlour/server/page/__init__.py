"""The parlour in the browser: pages made of what a seat is told.

``scene.py``: what a table's page shows, made of a telling and nothing else.
``templates/``: how it looks; a game's own board is ``table.html`` in its folder.  The pages of the club and of the site
have their templates beside them.
"""

from parlour.base.extras import require

require("server", "The page")
