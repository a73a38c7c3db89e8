"""What the web page of a match needs besides its text, which is in cli.text.page. A page shows the
table step by step, the score sheet, what the log proves, and the signed log itself, all in one file
that loads nothing from any network. The page of an evening has several matches, with their totals
on top.

frame         fill the page's frame, with the policy that blocks everything but the page's own
              script
script        that script, in JavaScript: it draws and narrates the match from its log, and
              compares the page with the log
verifier      judge the log a second time, in JavaScript, written only from the documents

Without its script, a page shows the names, the verdict and the moves in notation. page.html is the
frame, match.html a match, and evening.html the part above several matches; page.css and evening.css
are their style. load.js unpacks the script. `python -m tests.page_build --write` builds the script
from script, verifier and table.css. This package reads only its own files.
"""
