/* The features that the values depend on, as in ginpeer.adviser.features, used only for training. A
 * feature is a number and an amount, which is WHOLE for a feature that is fully present.
 * tests/adviser/test_kernel.py checks that both modules give the same features. */

#include "cards.h"

#define WHOLE 16
#define NO_CARD (-1)

typedef struct {
    int ways, limit, top, takes, since, last, before, earlier, stock, waited, knocks;
    cards pile, held, shown, thrown, left;
} sight;

typedef struct { int count; short at[160], amount[160]; } row;

static inline void add(row *r, int at, int amount) {
    r->at[r->count] = at;
    r->amount[r->count++] = amount;
}
static inline int least(int a, int b) { return a < b ? a : b; }

static const int DEADWOOD_KNOTS[20] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 19, 23, 27, 32, 38, 45, 53, 62};
static const int SEVEN_KNOTS[20] = {0, 1, 4, 8, 13, 19, 26, 35, 45, 56, 69, 83, 99, 117, 137, 161, 191, 226, 266, 311};
static const int OUT_KNOTS[12] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22};
static const int POOL_KNOTS[8] = {20, 46, 54, 60, 64, 68, 73, 80};
static const int STAGE_STARTS[6] = {27, 23, 19, 15, 10, 0};

/* Return the last knot that isn't above the number. */
static inline int knot(const int *knots, int count, int number) {
    int at = count - 1;
    while (at && knots[at] > number) at--;
    return at;
}

/* Interpolate the number, numerator / denominator, between its two knots. */
static void between(row *r, int base, const int *knots, int count, int numerator, int denominator) {
    int at = count - 1;
    while (at && knots[at] * denominator > numerator) at--;
    int more = 0;
    if (at < count - 1)
        more = WHOLE * (numerator - knots[at] * denominator) / ((knots[at + 1] - knots[at]) * denominator);
    if (more < WHOLE) add(r, base + at, WHOLE - more);
    if (more) add(r, base + at + 1, more);
}

static inline int stage_of(int stock) {
    int stage = 0;
    while (STAGE_STARTS[stage] > stock) stage++;
    return stage;
}

/* --- cards near a card ------------------------------------------------------------------- */

static cards PAIRS[2][52][6];  /* pairs of cards with which a card makes a meld of three, sets first */
static int SET_PAIRS = 3, PAIR_COUNT[2][52];
static cards RANK_MATES[52], NEXT[2][52], AFTER_NEXT[2][52];

static void make_neighbours(void) {
    for (int wrap = 0; wrap < 2; wrap++)
        for (int card = 0; card < 52; card++) {
            int rank = card % 13, suit = card / 13 * 13, count = 0;
            cards mates = (ACES << rank) & ~BIT(card);
            RANK_MATES[card] = mates;
            EACH(out, mates) PAIRS[wrap][card][count++] = mates ^ BIT(out);
            for (int low = -2; low <= 0; low++) {
                cards run = 0;
                int fits = 1;
                for (int step = 0; step < 3; step++) {
                    int at = rank + low + step;
                    if (wrap) at = (at + 13) % 13;
                    if (at < 0 || at > 12) { fits = 0; break; }
                    run |= BIT(suit + at);
                }
                if (fits) PAIRS[wrap][card][count++] = run ^ BIT(card);
            }
            PAIR_COUNT[wrap][card] = count;
            NEXT[wrap][card] = AFTER_NEXT[wrap][card] = 0;
            for (int step = -2; step <= 2; step++) {
                int at = wrap ? (rank + step + 13) % 13 : rank + step;
                if (at < 0 || at > 12 || !step) continue;
                if (step == 1 || step == -1) NEXT[wrap][card] |= BIT(suit + at);
                else AFTER_NEXT[wrap][card] |= BIT(suit + at);
            }
        }
}

/* --- what is known about the opponent ------------------------------------------------------ */

enum {
    STOCK = 0, TAKES = STOCK + 32, LAST = TAKES + 5 * 6, BEFORE = LAST + 14 * 3,
    HELD = BEFORE + 14 * 3, SHOWN = HELD + 8, HELD_MELDED = SHOWN + 6, LIMIT = HELD_MELDED + 7,
    STYLE = LIMIT + 11 * 3, SINCE = STYLE + 12 * 3, BREAKS = SINCE + 7 * 3, EARLIER = BREAKS + 2 * 3,
    LAST_TWO = EARLIER + 14 * 3, POOL = LAST_TWO + 25 * 3, OTHERS = POOL + 8 * 3
};

static inline int rank_of(int card) { return card < 0 ? 0 : card % 13 + 1; }
static const int FOURTH[14] = {0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4};

static inline int style_of(const sight *s) { return least(s->waited, 3) * 3 + least(s->knocks, 2); }

static void opponent_features(const sight *s, row *r) {
    int stage = stage_of(s->stock), third = stage / 2;
    add(r, STOCK + least(s->stock, 31), WHOLE);
    add(r, TAKES + least(s->takes, 4) * 6 + stage, WHOLE);
    add(r, LAST + rank_of(s->last) * 3 + third, WHOLE);
    add(r, BEFORE + rank_of(s->before) * 3 + third, WHOLE);
    add(r, EARLIER + rank_of(s->earlier) * 3 + third, WHOLE);
    add(r, LAST_TWO + (FOURTH[rank_of(s->last)] * 5 + FOURTH[rank_of(s->before)]) * 3 + third, WHOLE);
    add(r, SINCE + (s->takes ? least(s->since, 5) : 6) * 3 + third, WHOLE);
    if (s->last >= 0) {
        cards near = RANK_MATES[s->last] | NEXT[s->ways & 1][s->last];
        add(r, BREAKS + ((near & s->thrown) != 0) * 3 + third, WHOLE);
    }
    add(r, HELD + least(COUNT(s->held), 7), WHOLE);
    add(r, SHOWN + least(COUNT(s->shown), 5), WHOLE);
    cards thrice = held_thrice(s->held), melded = in_runs(s->ways, s->held);
    EACH(rank, thrice) melded |= s->held & ACES << rank;
    add(r, HELD_MELDED + least(COUNT(melded), 6), WHOLE);
    add(r, LIMIT + s->limit * 3 + third, WHOLE);
    add(r, STYLE + style_of(s) * 3 + third, WHOLE);
}

/* Add the average value of the cards that the opponent may hold. */
static void pool_features(const sight *s, cards kept, row *r) {
    cards pool = DECK & ~(kept | s->pile);
    int pips = 0;
    EACH(card, pool) pips += pips_of(s->ways, card);
    between(r, POOL + 8 * (stage_of(s->stock) / 2), POOL_KNOTS, 8, 10 * pips, COUNT(pool));
}

/* --- what our ten cards can become ---------------------------------------------------------- */

enum {
    DEADWOOD = OTHERS, GIN = DEADWOOD + 20 * 6, KNOCK = GIN + 10 * 6, SEVEN = KNOCK + 12 * 6,
    MEAN = SEVEN + 20 * 6, LOOSE = MEAN + 20 * 3, LOOSE_RANK = LOOSE + 11 * 3,
    SAFE = LOOSE_RANK + 13 * 2, SHUNNED = SAFE + 5 * 3, FITTING = SHUNNED + 5,
    BETTER = FITTING + 4, LEFT_FOR = BETTER + 12 * 3, OUTS = LEFT_FOR + 12 * 10,
    ALONE = OUTS + 11 * 12, LONGER = ALONE + 8 * 3, OUTS_SHUNNED = LONGER + 8 * 3,
    OUTS_WANTED = OUTS_SHUNNED + 8 * 3, FUTURE = OUTS_WANTED + 6 * 3
};

/* Count the pairs with which the opponent could meld the card: unseen pairs for a set, unseen pairs for
 * a run, pairs of which the opponent is known to have one card, and both. */
static void pairs_of(const sight *s, cards kept, int card, int found[4]) {
    cards gone = kept | s->pile | BIT(card);
    int wrap = s->ways & 1;
    found[0] = found[1] = found[2] = found[3] = 0;
    for (int i = 0; i < PAIR_COUNT[wrap][card]; i++) {
        cards pair = PAIRS[wrap][card][i];
        if (pair & gone) continue;
        int known = COUNT(pair & s->held);
        found[known ? known + 1 : i >= SET_PAIRS]++;
    }
}

static cards loose_of(int ways, cards kept, int dead) {
    cards loose = 0;
    if (!held_thrice(kept)) return kept & ~in_runs(ways, kept);
    EACH(card, kept) if (deadwood(ways, kept ^ BIT(card)) < dead) loose |= BIT(card);
    return loose;
}

/* Return whether an unseen card would meld this one with another of these. */
static int has_partner(int wrap, cards kept, cards unseen, int card) {
    for (int i = 0; i < PAIR_COUNT[wrap][card]; i++) {
        cards pair = PAIRS[wrap][card][i];
        if (COUNT(pair & kept) == 1 && COUNT(pair & unseen) == 1) return 1;
    }
    return 0;
}

static void future_features(const sight *s, cards kept, row *r) {
    int ways = s->ways, wrap = ways & 1, stage = stage_of(s->stock), third = stage / 2;
    int dead = deadwood(ways, kept), dropped = after_discard(ways, kept);
    int counts[160] = {0}, drawn = 0, sum = 0, gin = 0, knock = 0, better = 0;
    cards unseen = DECK & ~(kept | s->pile | s->held);
    cards melding = completing(ways, kept), outs = 0;
    EACH(card, unseen) {
        int left;
        if (melding >> card & 1) left = after_discard(ways, kept | BIT(card));
        else left = least(dead, dropped + pips_of(ways, card));
        if (melding >> card & 1 && left < dead) outs |= BIT(card);
        counts[left]++;
        drawn++;
        sum += left;
        gin += left == 0;
        knock += left <= s->limit;
        better += left < dead;
    }
    int seven = 0, wanted = least(7, drawn), taken = 0;
    for (int left = 0; taken < wanted; left++) {
        int here = least(counts[left], wanted - taken);
        seven += here * left;
        taken += here;
    }
    if (taken && taken < 7) seven = seven * 7 / taken;
    add(r, DEADWOOD + knot(DEADWOOD_KNOTS, 20, dead) * 6 + stage, WHOLE);
    add(r, GIN + least(gin, 9) * 6 + stage, WHOLE);
    add(r, KNOCK + knot(OUT_KNOTS, 12, knock) * 6 + stage, WHOLE);
    between(r, SEVEN + 20 * stage, SEVEN_KNOTS, 20, seven, 1);
    between(r, MEAN + 20 * third, DEADWOOD_KNOTS, 20, sum, drawn ? drawn : 1);
    cards loose = loose_of(ways, kept, dead);
    add(r, LOOSE + COUNT(loose) * 3 + third, WHOLE);
    int safe = 0, shunned = 0, fitting = 0, alone = 0;
    cards unwanted = s->thrown | s->left;
    EACH(card, loose) {
        int rank = card % 13, pairs[4];
        add(r, LOOSE_RANK + rank * 2 + (stage > 2), WHOLE);
        pairs_of(s, kept, card, pairs);
        safe += !(pairs[0] + pairs[1] + pairs[2] + pairs[3]);
        fitting += pairs[3] > 0;
        shunned += (unwanted & (RANK_MATES[card] | NEXT[wrap][card])) != 0;
        alone += !has_partner(wrap, kept, unseen, card);
    }
    int outs_shunned = 0, outs_wanted = 0;
    EACH(card, outs) {
        cards near = RANK_MATES[card] | NEXT[wrap][card];
        outs_shunned += (near & unwanted) != 0;
        outs_wanted += (near & s->held) != 0;
    }
    cards melded = kept & ~loose;
    int longer = COUNT(taken_by(ways, melded, in_runs(ways, melded)) & unseen);
    pool_features(s, kept, r);
    add(r, OUTS + COUNT(loose) * 12 + knot(OUT_KNOTS, 12, COUNT(outs)), WHOLE);
    add(r, ALONE + least(alone, 7) * 3 + third, WHOLE);
    add(r, LONGER + least(longer, 7) * 3 + third, WHOLE);
    add(r, OUTS_SHUNNED + least(outs_shunned, 7) * 3 + third, WHOLE);
    add(r, OUTS_WANTED + least(outs_wanted, 5) * 3 + third, WHOLE);
    add(r, SAFE + least(safe, 4) * 3 + third, WHOLE);
    add(r, SHUNNED + least(shunned, 4), WHOLE);
    add(r, FITTING + least(fitting, 3), WHOLE);
    add(r, BETTER + knot(OUT_KNOTS, 12, better) * 3 + third, WHOLE);
    add(r, LEFT_FOR + style_of(s) * 10 + knot(DEADWOOD_KNOTS, 20, dead) / 2, WHOLE);
}

/* --- what the card on the pile means to the opponent ---------------------------------------- */

enum {
    RANK = FUTURE, UNSEEN_PAIRS = RANK + 13 * 3, ONE_KNOWN = UNSEEN_PAIRS + 16 * 3,
    BOTH_KNOWN = ONE_KNOWN + 5, MATES_SHUNNED = BOTH_KNOWN + 3, NEXT_SHUNNED = MATES_SHUNNED + 4,
    AFTER_SHUNNED = NEXT_SHUNNED + 3, MATES_HELD = AFTER_SHUNNED + 3, NEXT_HELD = MATES_HELD + 4,
    AFTER_HELD = NEXT_HELD + 3, ITSELF_SHUNNED = AFTER_HELD + 3,
    LIKELY_PAIRS = ITSELF_SHUNNED + 1, PAIRS_OF_RANK = LIKELY_PAIRS + 16 * 3,
    MATES_THROWN = PAIRS_OF_RANK + 13 * 8, MATES_LEFT = MATES_THROWN + 4 * 3,
    NEXT_THROWN = MATES_LEFT + 4 * 3, NEXT_LEFT = NEXT_THROWN + 3 * 3,
    DRAW_PHASE = NEXT_LEFT + 3 * 3, PLAYING = DRAW_PHASE + 3
};

/* Count the pairs, for a set and for a run, with which the opponent could meld the card, except pairs
 * of which the opponent has thrown or left a neighbour. */
static void likely_pairs(const sight *s, cards kept, int card, int found[2]) {
    cards gone = kept | s->pile | BIT(card), unwanted = (s->thrown | s->left) & ~BIT(card);
    int wrap = s->ways & 1;
    found[0] = found[1] = 0;
    for (int i = 0; i < PAIR_COUNT[wrap][card]; i++) {
        cards pair = PAIRS[wrap][card][i];
        if (pair & gone) continue;
        int likely = 1;
        EACH(one, pair & ~s->held) likely &= !((RANK_MATES[one] | NEXT[wrap][one]) & unwanted);
        found[i >= SET_PAIRS] += likely;
    }
}

static void top_card_features(const sight *s, cards kept, row *r) {
    int card = s->top, wrap = s->ways & 1, third = stage_of(s->stock) / 2, pairs[4];
    if (card < 0) return;
    cards unwanted = s->thrown | s->left;
    add(r, RANK + card % 13 * 3 + third, WHOLE);
    pairs_of(s, kept, card, pairs);
    add(r, UNSEEN_PAIRS + (pairs[0] * 4 + pairs[1]) * 3 + third, WHOLE);
    add(r, ONE_KNOWN + least(pairs[2], 4), WHOLE);
    add(r, BOTH_KNOWN + least(pairs[3], 2), WHOLE);
    add(r, MATES_SHUNNED + COUNT(unwanted & RANK_MATES[card]), WHOLE);
    add(r, NEXT_SHUNNED + COUNT(unwanted & NEXT[wrap][card]), WHOLE);
    add(r, AFTER_SHUNNED + COUNT(unwanted & AFTER_NEXT[wrap][card]), WHOLE);
    add(r, MATES_HELD + COUNT(s->held & RANK_MATES[card]), WHOLE);
    add(r, NEXT_HELD + COUNT(s->held & NEXT[wrap][card]), WHOLE);
    add(r, AFTER_HELD + COUNT(s->held & AFTER_NEXT[wrap][card]), WHOLE);
    if (unwanted & BIT(card)) add(r, ITSELF_SHUNNED, WHOLE);
    int likely[2], of_all = pairs[0] + pairs[1] + pairs[2] + pairs[3];
    likely_pairs(s, kept, card, likely);
    add(r, LIKELY_PAIRS + (likely[0] * 4 + likely[1]) * 3 + third, WHOLE);
    add(r, PAIRS_OF_RANK + card % 13 * 8 + least(of_all, 7), WHOLE);
    add(r, MATES_THROWN + COUNT(s->thrown & RANK_MATES[card]) * 3 + third, WHOLE);
    add(r, MATES_LEFT + COUNT(s->left & RANK_MATES[card]) * 3 + third, WHOLE);
    add(r, NEXT_THROWN + COUNT(s->thrown & NEXT[wrap][card]) * 3 + third, WHOLE);
    add(r, NEXT_LEFT + COUNT(s->left & NEXT[wrap][card]) * 3 + third, WHOLE);
}

/* --- knocking -------------------------------------------------------------------------------- */

enum {
    SHOWING = OTHERS, OPEN = SHOWING + 11 * 6, OPEN_PIPS = OPEN + 8 * 3, OPEN_HELD = OPEN_PIPS + 20,
    AGAINST = OPEN_HELD + 4, SHOWN_FOR = AGAINST + 11 * 5, KNOCKING = SHOWN_FOR + 12 * 11
};

static void knock_features(const sight *s, cards kept, int dead, cards open, row *r) {
    int stage = stage_of(s->stock), third = stage / 2, pips = 0;
    cards unseen = DECK & ~(kept | s->pile | s->held);
    add(r, SHOWING + dead * 6 + stage, WHOLE);
    EACH(card, open & (unseen | s->held)) pips += pips_of(s->ways, card);
    if (!dead) open = pips = 0;
    pool_features(s, kept, r);
    add(r, OPEN + least(COUNT(open & unseen), 7) * 3 + third, WHOLE);
    between(r, OPEN_PIPS, DEADWOOD_KNOTS, 20, pips, 1);
    add(r, OPEN_HELD + least(COUNT(open & s->held), 3), WHOLE);
    add(r, AGAINST + dead * 5 + least(s->takes, 4), WHOLE);
    add(r, SHOWN_FOR + style_of(s) * 11 + dead, WHOLE);
}

/* The features for each function. */
static void keeping_features(const sight *s, cards kept, row *r) {
    r->count = 0;
    opponent_features(s, r);
    future_features(s, kept, r);
    top_card_features(s, kept, r);
}

/* phase: 0 for a turn; 1 and 2 for the first and the second player offered the upcard of the deal. */
static void drawing_features(const sight *s, cards kept, int phase, row *r) {
    r->count = 0;
    opponent_features(s, r);
    future_features(s, kept, r);
    if (phase == 1) top_card_features(s, kept, r);
    add(r, DRAW_PHASE + phase, WHOLE);
}

static void knocking_features(const sight *s, cards kept, int dead, cards open, row *r) {
    r->count = 0;
    opponent_features(s, r);
    knock_features(s, kept, dead, open, r);
}
