"""Export a match as one web page: the table step by step, the score sheet, what the log proves, and
the signed log itself, all in one file that loads nothing from any network.

The caller passes the words for each step (PageTexts), so a page speaks as the command line does.
This package reads no files except its own parts.

Reading order:

sections  the texts that a page shows, and the parts of it that work without a script
whole     match_page: the frame filled, the scripts packed, and the policy that blocks all else
verifier  judge the log a second time, in JavaScript

page.html is the frame, page.css its style. table.css and page.js, the moving table, are packed into
it; load.js unpacks them.
"""

from ginpeer.page.sections import HandTexts, PageTexts
from ginpeer.page.whole import is_same_page, match_page

__all__ = ["HandTexts", "PageTexts", "is_same_page", "match_page"]
