"""What many matches of one player add up to: counted from logs that the referee has found to hold.

# House rules
#
# 1. Only verified logs count. How many do not, and by which code, is said beside the numbers.
# 2. A player is a key. Whatever names say, two keys are two players, and a match in which our key
#    has not signed is none of ours.
# 3. Matches that are not finished are counted apart, and so are those against this machine's bot.
# 4. Every number is a whole number: an average is a sum and how many it is of.

Reading order:

played      a verified match as it is counted: its hands, and in which turn each was ended
verified    a log's verdict and its match, found once for its bytes
counts      what matches add up to, as one player sees them
summary     all of it for one player: people and bots, each rule set, each friend
document    the same for programs (proto/stats.schema.json)
plots       the same as curves and columns, to be drawn
page        one page that shows them, with nothing to run and nothing to fetch
"""

from ginpeer.statistics.counts import Average, Counts
from ginpeer.statistics.document import stats_document
from ginpeer.statistics.page import page
from ginpeer.statistics.played import PlayedHand, PlayedMatch
from ginpeer.statistics.summary import DatedLog, Summary, summarize
from ginpeer.statistics.verified import CountedLog, Verifier

__all__ = [
    "Average",
    "CountedLog",
    "Counts",
    "DatedLog",
    "PlayedHand",
    "PlayedMatch",
    "Summary",
    "Verifier",
    "page",
    "stats_document",
    "summarize",
]
