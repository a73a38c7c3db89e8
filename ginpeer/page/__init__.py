"""A match as one page for a browser: the table step by step, the score sheet, what is proven, and
the signed log itself, all in one file that asks for nothing from any network.

What a step is in words comes from above, as Texts: whoever makes a page says it in the words of the
program. Nothing here reads or writes files but its own parts, which are data of this package.

Reading order:

texts      what the page says in words, as cli.text puts it
positions  the positions of every step, in few bytes
parts      style, script and verifier, as they lie in this package
markup     text in HTML, so that nothing in a log can become markup
sections   the parts of the page that stand there without any script
whole      whole_page: all of it, and the policy that lets nothing else run
verifier   judges the log a second time, in JavaScript

page.html is the frame, page.css how it looks. Packed in it lie table.css and page.js, the table and
what moves in it; load.js unpacks them.
"""

from ginpeer.page.parts import is_same_page
from ginpeer.page.texts import HandTexts, Texts
from ginpeer.page.whole import whole_page

__all__ = ["HandTexts", "Texts", "is_same_page", "whole_page"]
