"""Export a match as one web page: the table step by step, the score sheet, what the log proves, and
the signed log itself, all in one file that loads nothing from any network.

match_page  the frame filled, and the policy that blocks everything but the page's own script
script      that script, in JavaScript: draws and tells the match from its log, and compares
verifier    judges the log a second time, in JavaScript, written only from the documents

Without a script, a page shows the names, the verdict and the moves in notation. page.html is its
frame, page.css its style; load.js unpacks the script. `python -m tests.page_build --write` makes
it from script, verifier and table.css. This package reads no files except its own parts.
"""

from ginpeer.page.match_page import PageTexts, match_page

__all__ = ["PageTexts", "match_page"]
