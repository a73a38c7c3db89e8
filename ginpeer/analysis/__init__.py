"""Analyse a recorded match: how well a player chose, and how lucky the cards were.

    record = Record.read("friday.ginlog").with_home(home)
    found = analyse(record, seat)
    print(found.loss, found.luck, found.mistakes[0])

ginpeer.adviser values every choice from the View that the seat had at the time. The opponent's real
cards are kept apart from that (``hidden_info_of``). The adviser doesn't cover Mahjong gin
(``can_advise``), so neither does the analysis.

decisions  each choice with its loss, each card from the stock with its luck, the sums over a match,
           and the chance of winning the game
report     the opponent's cards at the time; all of it as a JSON document
"""
