"""Value every choice of a player in points, from what that player can see.

    for choice in choices(view):       # best first
        print(choice.move, choice.points, advise(view, choice).facts)

The bot plays the first choice. A hint shows this choice with its facts. An analysis compares it
with the move that was played (``assess``) and tells luck from skill (``draw_values``). The only
input is a View, so two positions that look alike from a seat get the same answer on every machine.

observation  what a seat knows, and what it has seen the opponent do
features     a position as a row of features
value_model  the learned functions that value a position, priced by the score; their weights are
             in *.values
advise       every choice with its value, best first, its corrected points, and the numbers behind
             it; the bot's move
levels       weaker players, which forget cards or don't look ahead
mahjong      the bot's move in Mahjong gin, a different game that isn't valued in points
"""
