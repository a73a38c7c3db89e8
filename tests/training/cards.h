/* Cards, melds and deadwood: a fast version of ginpeer.rules.melds, used only for training.
 *
 * As in that module, a card is 13 * suit + rank, and a set of cards is 64 bits. A game melds in one of
 * four ways: ways = runs around the corner + 2 * an ace counts 15. */

#include <stdint.h>
#include <string.h>
#include <math.h>

typedef uint64_t cards;

#define SUIT 0x1FFFull
#define DECK ((1ull << 52) - 1)
#define ACES (1ull | 1ull << 13 | 1ull << 26 | 1ull << 39)
#define BIT(card) (1ull << (card))
#define COUNT(set) __builtin_popcountll(set)
#define FIRST(set) __builtin_ctzll(set)
#define EACH(card, set) \
    for (cards left_##card = (set), card = 0; \
         left_##card && ((card = FIRST(left_##card)), 1); left_##card &= left_##card - 1)

static const int PIPS[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10};
static unsigned char DEAD[4][8192];
static signed char GAIN[4][8192];

static inline int pips_of(int ways, int card) {
    int rank = card % 13;
    return rank == 0 && ways & 2 ? 15 : PIPS[rank];
}

static inline cards in_runs(int ways, cards set) {
    cards starts = set & set >> 1 & set >> 2 & 0x7FFull * ACES;
    cards found = starts | starts << 1 | starts << 2;
    if (ways & 1) {
        cards both = set & set >> 12 & ACES;
        found |= (both & set >> 11) * (1ull | 1ull << 11 | 1ull << 12);
        found |= (both & set >> 1) * (1ull | 1ull << 1 | 1ull << 12);
    }
    return found;
}

static void make_tables(void) {
    for (int ways = 0; ways < 4; ways++) {
        for (int suit = 0; suit < 8192; suit++) {
            cards loose = suit & ~in_runs(ways, suit);
            int dead = 0;
            EACH(card, loose) dead += pips_of(ways, card);
            DEAD[ways][suit] = dead;
        }
        GAIN[ways][0] = -128;
        for (int suit = 1; suit < 8192; suit++) {
            int best = -128;
            EACH(card, (cards)suit) {
                int gain = DEAD[ways][suit] - DEAD[ways][suit ^ (1 << card)];
                if (gain > best) best = gain;
            }
            GAIN[ways][suit] = best;
        }
    }
}

static inline int dead_by_runs(int ways, cards loose) {
    const unsigned char *dead = DEAD[ways];
    return dead[loose & SUIT] + dead[loose >> 13 & SUIT] + dead[loose >> 26 & SUIT] + dead[loose >> 39];
}

static inline int best_gain(int ways, cards loose) {
    const signed char *gain = GAIN[ways];
    int a = gain[loose & SUIT], b = gain[loose >> 13 & SUIT];
    int c = gain[loose >> 26 & SUIT], d = gain[loose >> 39];
    if (b > a) a = b;
    if (d > c) c = d;
    return a > c ? a : c;
}

static inline cards held_thrice(cards set) {
    cards a = set & SUIT, b = set >> 13 & SUIT, c = set >> 26 & SUIT, d = set >> 39;
    return (a & b & (c | d)) | ((a | b) & c & d);
}

/* Find every way to lay sets of these cards, including none. Write the cards that stay loose in each. */
static int ways_to_lay(cards set, cards out[300]) {
    int count = 1;
    out[0] = set;
    cards ranks = held_thrice(set);
    while (ranks) {
        cards held = set & (ranks & -ranks) * ACES;
        ranks &= ranks - 1;
        int now = count;
        for (int i = 0; i < now; i++) {
            out[count++] = out[i] ^ held;
            if (COUNT(held) == 4)
                EACH(card, held) out[count++] = out[i] ^ held ^ BIT(card);
        }
    }
    return count;
}

static int deadwood(int ways, cards set) {
    if (!held_thrice(set)) return dead_by_runs(ways, set);
    cards loose[300];
    int count = ways_to_lay(set, loose), best = 999;
    for (int i = 0; i < count; i++) {
        int dead = dead_by_runs(ways, loose[i]);
        if (dead < best) best = dead;
    }
    return best;
}

/* Return the least deadwood after one discard. */
static int after_discard(int ways, cards set) {
    if (!held_thrice(set)) return dead_by_runs(ways, set) - best_gain(ways, set);
    cards loose[300];
    int count = ways_to_lay(set, loose), best = 999;
    for (int i = 0; i < count; i++) {
        if (!loose[i]) continue;
        int dead = dead_by_runs(ways, loose[i]) - best_gain(ways, loose[i]);
        if (dead < best) best = dead;
    }
    return best;
}

/* Return the cards that make a meld of three with two of these. */
static inline cards completing(int ways, cards set) {
    cards twos = ACES | ACES << 1, kings = ACES << 12;
    cards above = set << 1 & DECK & ~ACES, below = set >> 1 & ~kings;
    cards two_above = set << 2 & DECK & ~twos, two_below = set >> 2 & ~(kings | kings >> 1);
    if (ways & 1) {
        above |= set >> 12 & ACES;
        below |= (set & ACES) << 12;
        two_above |= set >> 11 & twos;
        two_below |= (set & twos) << 11;
    }
    cards a = set & SUIT, b = set >> 13 & SUIT, c = set >> 26 & SUIT, d = set >> 39;
    cards twice = (a & b) | (c & d) | ((a | b) & (c | d));
    return (above & two_above) | (below & two_below) | (above & below) | twice * ACES;
}

/* Return the cards that can be laid off at once on these melds, given as the cards of all sets and of
 * all runs. */
static cards taken_by(int ways, cards sets, cards runs) {
    cards found = 0;
    for (int rank = 0; rank < 13; rank++) {
        cards four = ACES << rank;
        if (COUNT(sets & four) == 3) found |= four & ~sets;
    }
    for (int suit = 0; suit < 4; suit++) {
        cards run = runs >> 13 * suit & SUIT;
        if (!run) continue;
        cards ends = (run << 1 | run >> 1) & SUIT;
        if (ways & 1) ends |= run >> 12 | (run & 1) << 12;
        found |= (ends & ~run) << 13 * suit;
    }
    return found;
}

/* Return the best arrangement: the least deadwood and, among equals, the one that uses the fewest pips
 * of the cards in danger. */
static int arrange(int ways, cards set, cards danger, cards *sets, cards *runs) {
    cards loose[300];
    int count = ways_to_lay(set, loose), best = 1 << 30;
    for (int i = 0; i < count; i++) {
        int dead = dead_by_runs(ways, loose[i]);
        cards in = in_runs(ways, loose[i]);
        int open = 0;
        EACH(card, taken_by(ways, set ^ loose[i], in) & danger) open += pips_of(ways, card);
        if (dead * 1000 + open < best) {
            best = dead * 1000 + open;
            *sets = set ^ loose[i];
            *runs = in;
        }
    }
    return best / 1000;
}

/* Return the least deadwood that a defender with these cards can have after laying off on these melds. */
static int answer(int ways, cards hand, cards sets, cards runs) {
    int best = deadwood(ways, hand);
    EACH(fourth, taken_by(ways, sets, 0) & hand) {
        int left = answer(ways, hand ^ BIT(fourth), sets | BIT(fourth), runs);
        if (left < best) best = left;
    }
    EACH(next, taken_by(ways, 0, runs) & hand) {
        int left = answer(ways, hand ^ BIT(next), sets, runs | BIT(next));
        if (left < best) best = left;
    }
    return best;
}
