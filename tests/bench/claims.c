/* Play hands of standard gin as the bot does, and measure its choices by playing on after them. This is
 * ginpeer.adviser with the shipped values, in integers. tests/adviser/test_kernel.py compares its play
 * with the bot's.
 *
 * There is one simplification: a knock always shows all the melds of an arrangement with the least
 * deadwood, and never holds cards back. */

#include <stdlib.h>
#include "../training/chance.h"
#include "../training/features.h"

#define UNITS 8
#define HEADS 4
#define COLUMNS (UNITS + HEADS)
#define SHIFT 16
#define KNOCK_LIMIT 10
#define WALL 2
#define SWAP_LIMIT 40
#define BONUS 25
#define BIG_GIN 31
#define TARGET 100
#define EVERYTHING 52 /* cards to recall */
#define SOME 90 /* choices of a turn: eleven discards, and knocks with each */
#define MOST_MOVES 400

/* --- chance ---------------------------------------------------------------------------------- */

static long normal(long deviation) {
    int64_t sum = -12 * 32768;
    for (int i = 0; i < 12; i++) sum += below(65536);
    return deviation * sum / 65536;
}
static void shuffle(int *of, int count) {
    for (int i = count - 1; i > 0; i--) {
        int j = below(i + 1), card = of[i];
        of[i] = of[j];
        of[j] = card;
    }
}

/* --- the values ------------------------------------------------------------------------------ */

enum { KEEP, DRAW, KNOCK_NOW, NETS };
static const int SIZES[NETS] = {DRAW_PHASE, PLAYING, KNOCKING};
#define LANES 16 /* room for COLUMNS, rounded up to whole vectors */
static int weights[NETS][PLAYING][LANES]; /* DRAW has the most features */
static int factors[NETS][UNITS + 1][HEADS];
static int prices[TARGET + 1][TARGET + 1][HEADS];

/* Store the weights of each net, COLUMNS for each feature; the factors; and the price at each score,
 * beginning with 0-0. */
void begin(const int *const *of_nets, const int *of_units, const int *of_scores) {
    make_tables();
    make_neighbours();
    for (int net = 0; net < NETS; net++)
        for (int at = 0; at < SIZES[net]; at++)
            for (int c = 0; c < COLUMNS; c++) weights[net][at][c] = of_nets[net][at * COLUMNS + c];
    memcpy(factors, of_units, sizeof factors);
    memcpy(prices, of_scores, sizeof prices);
}

static void heads_of(int net, const row *r, long heads[HEADS]) {
    int sums[LANES] = {0};
    for (int i = 0; i < r->count; i++) {
        const int *of = weights[net][r->at[i]];
        for (int c = 0; c < LANES; c++) sums[c] += r->amount[i] * of[c];
    }
    for (int h = 0; h < HEADS; h++) {
        int64_t sum = (int64_t)sums[UNITS + h] * factors[net][UNITS][h];
        for (int u = 0; u < UNITS; u++)
            if (sums[u] > 0) sum += (int64_t)sums[u] * factors[net][u][h];
        heads[h] = sum >> SHIFT;
    }
    for (int h = 0; h < HEADS; h += 2) heads[h] = heads[h] < 0 ? 0 : heads[h] > 1000 ? 1000 : heads[h];
}

static long worth(const int *price, const long heads[HEADS]) {
    int64_t sum = 0;
    for (int h = 0; h < HEADS; h++) sum += (int64_t)price[h] * heads[h];
    return sum >= 0 ? sum / 1000 : -((999 - sum) / 1000);
}

/* --- the table ------------------------------------------------------------------------------- */

enum { FIRST_UPCARD, SECOND_UPCARD, FIRST_DRAW, TURN, END_TURN, OVER };
enum { PASS, TAKE, STOCK_CARD, THROW, GIN_OR_KNOCK, BIG };

typedef struct { int kind, card; long worth; cards sets, runs; } choice;

typedef struct {
    int phase, to_move, stock_left, pile_count, swaps, shown_count, points; /* of seat 0 */
    /* apart: seat 1 draws from the bottom of the stock, so that seat 0's draws don't change its cards */
    int bottom, apart;
    int takes[2], since[2], last[2], before[2], earlier[2];
    int need[2], waited[2], knocks[2]; /* in this match so far */
    int stock[31], pile[52], shown[MOST_MOVES];
    cards hand[2], piled, held[2], thrown[2], left[2], taken;
} table;

static void deal(table *t, int first, const int *deck) {
    table new = {.phase = FIRST_UPCARD, .to_move = first, .stock_left = 31, .pile_count = 1, .shown_count = 1};
    for (int seat = 0; seat < 2; seat++) {
        new.last[seat] = new.before[seat] = new.earlier[seat] = NO_CARD;
        new.need[seat] = t->need[seat];
        new.waited[seat] = t->waited[seat];
        new.knocks[seat] = t->knocks[seat];
    }
    for (int i = 0; i < 20; i++) new.hand[i % 2 ? 1 - first : first] |= BIT(deck[i]);
    new.pile[0] = new.shown[0] = deck[20];
    new.piled = BIT(deck[20]);
    for (int i = 0; i < 31; i++) new.stock[i] = deck[51 - i];
    *t = new;
}

static sight seen_by(const table *t, int me) {
    int other = 1 - me;
    return (sight){.limit = KNOCK_LIMIT, .top = t->pile_count ? t->pile[t->pile_count - 1] : NO_CARD,
                   .takes = t->takes[other], .since = t->since[other], .last = t->last[other],
                   .before = t->before[other], .earlier = t->earlier[other], .stock = t->stock_left,
                   .waited = t->waited[other], .knocks = t->knocks[other], .pile = t->piled,
                   .held = t->held[other], .shown = t->held[me], .thrown = t->thrown[other] & ~t->held[other],
                   .left = t->left[other] & ~t->held[other]};
}

/* Forget all cards shown on the pile except the latest *count*. */
static void recall(const table *t, sight *s, int count) {
    cards mind = 0;
    for (int i = t->shown_count - 1; i >= 0 && i >= t->shown_count - count; i--) mind |= BIT(t->shown[i]);
    s->pile &= mind | (s->top == NO_CARD ? 0 : BIT(s->top));
    s->held &= mind;
    s->thrown &= mind;
    s->left &= mind;
}

static void end(table *t, int points) {
    t->phase = OVER;
    t->points = t->to_move ? -points : points;
}

static void knock(table *t, const choice *c) {
    int me = t->to_move, other = 1 - me, points;
    int dead = c->kind == BIG ? 0 : deadwood(0, t->hand[me]);
    int theirs = dead ? answer(0, t->hand[other], c->sets, c->runs) : deadwood(0, t->hand[other]);
    if (!dead) points = theirs + (c->kind == BIG ? BIG_GIN : BONUS);
    else points = theirs - dead - (dead < theirs ? 0 : BONUS);
    t->waited[me] += !dead;
    t->waited[other] += theirs <= 10;
    t->knocks[me] += dead > 0;
    end(t, points);
}

/* Return whether a discard makes the hand void. */
static int is_last(const table *t) { return t->stock_left == WALL || t->swaps == SWAP_LIMIT; }

static int next_card(const table *t) {
    return t->stock[t->apart && t->to_move ? t->bottom : t->bottom + t->stock_left - 1];
}

static void apply(table *t, const choice *c) {
    int me = t->to_move;
    cards upcard = t->pile_count ? BIT(t->pile[t->pile_count - 1]) : 0;
    switch (c->kind) {
        case PASS:
            t->left[me] |= upcard;
            t->phase++;
            t->to_move = 1 - me;
            return;
        case TAKE:
            t->pile_count--;
            t->piled &= ~upcard;
            t->hand[me] |= upcard;
            t->held[me] |= upcard;
            t->takes[me]++;
            t->since[me] = 0;
            t->swaps++;
            t->taken = upcard;
            t->phase = END_TURN;
            return;
        case STOCK_CARD:
            t->left[me] |= upcard;
            t->since[me]++;
            t->swaps = 0;
            t->taken = 0;
            t->hand[me] |= BIT(next_card(t));
            t->bottom += t->apart && me;
            t->stock_left--;
            t->phase = END_TURN;
            return;
        case BIG:
            knock(t, c);
            return;
    }
    cards thrown = BIT(c->card);
    t->hand[me] &= ~thrown;
    t->held[me] &= ~thrown;
    if (c->kind == GIN_OR_KNOCK) {
        knock(t, c);
        return;
    }
    t->thrown[me] |= thrown;
    t->earlier[me] = t->before[me];
    t->before[me] = t->last[me];
    t->last[me] = c->card;
    t->pile[t->pile_count++] = c->card;
    t->piled |= thrown;
    if (t->shown_count < MOST_MOVES) t->shown[t->shown_count++] = c->card;
    if (is_last(t)) {
        end(t, 0);
        return;
    }
    t->to_move = 1 - me;
    t->phase = TURN;
}

/* --- choices --------------------------------------------------------------------------------- */

static int choices_at_end(const int *price, const sight *before, cards eleven, cards taken, int last,
                          choice out[SOME]) {
    int count = 0;
    long heads[HEADS];
    row r;
    sight s = *before;
    EACH(card, eleven & ~taken) {
        choice c = {.kind = THROW, .card = card};
        s.pile = before->pile | BIT(card);
        s.top = card;
        if (!last) {
            keeping_features(&s, eleven ^ BIT(card), &r);
            heads_of(KEEP, &r, heads);
            c.worth = worth(price, heads);
        }
        out[count++] = c;
    }
    if (after_discard(0, eleven) > s.limit) return count;
    EACH(card, eleven & ~taken) {
        cards kept = eleven ^ BIT(card), loose[300];
        int dead = deadwood(0, kept);
        if (dead > s.limit) continue;
        s.pile = before->pile | BIT(card);
        int ways = ways_to_lay(kept, loose);
        for (int i = 0; i < ways && count < SOME - 1; i++) {
            if (dead_by_runs(0, loose[i]) != dead) continue;
            choice c = {.kind = GIN_OR_KNOCK, .card = card, .sets = kept ^ loose[i], .runs = in_runs(0, loose[i])};
            knocking_features(&s, kept, dead, dead ? taken_by(0, c.sets, c.runs) & ~s.pile : 0, &r);
            heads_of(KNOCK_NOW, &r, heads);
            if (!dead) heads[0] = 1000, heads[2] = heads[3] = 0;
            c.worth = worth(price, heads);
            out[count++] = c;
            if (!dead) break; /* nothing can be laid off */
        }
    }
    if (!deadwood(0, eleven)) {
        s.pile = before->pile;
        knocking_features(&s, eleven, 0, 0, &r);
        heads_of(KNOCK_NOW, &r, heads);
        heads[0] = 1000, heads[2] = heads[3] = 0;
        heads[1] += 1000 * (BIG_GIN - BONUS);
        out[count++] = (choice){.kind = BIG, .card = NO_CARD, .worth = worth(price, heads)};
    }
    return count;
}

static int best_of(const choice *found, int count) {
    int best = 0;
    for (int i = 1; i < count; i++) if (found[i].worth > found[best].worth) best = i;
    return best;
}

/* List the choices of the player to move with their values; *cards_remembered*: as in levels.py. */
static int choices(const table *t, int cards_remembered, choice out[SOME]) {
    int me = t->to_move;
    const int *price = prices[t->need[me]][t->need[1 - me]];
    sight s = seen_by(t, me);
    if (cards_remembered < EVERYTHING) recall(t, &s, cards_remembered);
    if (t->phase == END_TURN) {
        return choices_at_end(price, &s, t->hand[me], t->taken, is_last(t), out);
    }
    long heads[HEADS];
    row r;
    drawing_features(&s, t->hand[me], t->phase < FIRST_DRAW ? t->phase + 1 : 0, &r);
    heads_of(DRAW, &r, heads);
    int stock = t->phase < FIRST_DRAW ? PASS : STOCK_CARD;
    out[0] = (choice){.kind = stock, .card = NO_CARD, .worth = worth(price, heads)};
    if (t->phase == FIRST_DRAW) return 1;
    cards upcard = BIT(s.top);
    choice after[SOME];
    sight then = s;
    then.pile &= ~upcard;
    then.shown |= upcard;
    int last = t->swaps + 1 == SWAP_LIMIT;
    int count = choices_at_end(price, &then, t->hand[me] | upcard, upcard, last, after);
    out[1] = (choice){.kind = TAKE, .card = s.top, .worth = after[best_of(after, count)].worth};
    return 2;
}

/* --- the players ----------------------------------------------------------------------------- */

typedef struct { long error; int cards_remembered, ahead; } level;
static const level BEST = {0, EVERYTHING, 1};

/* Return the value of a choice to a player who looks only at deadwood (levels.py). */
static long at_a_glance(const table *t, const choice *c) {
    cards hand = t->hand[t->to_move];
    int least_dead = 999;
    switch (c->kind) {
        case THROW: return -800 * deadwood(0, hand ^ BIT(c->card));
        case GIN_OR_KNOCK: return 50000 - 800 * deadwood(0, hand ^ BIT(c->card));
        case BIG: return 50000;
        case TAKE:
            EACH(card, hand) least_dead = least(least_dead, deadwood(0, (hand | BIT(c->card)) ^ BIT(card)));
            return -800 * least_dead;
        case PASS: return -800 * (deadwood(0, hand) - 2);
    }
    return -800 * (deadwood(0, hand) - 4);
}

/* Return which of these choices a player of this level makes. */
static int chosen(const table *t, const level *of, const choice *found, int count) {
    choice judged[SOME];
    if (of->ahead && of->cards_remembered < EVERYTHING) choices(t, of->cards_remembered, judged);
    else memcpy(judged, found, sizeof(choice) * count);
    for (int i = 0; i < count; i++) {
        if (!of->ahead) judged[i].worth = at_a_glance(t, &found[i]);
        if (of->error) judged[i].worth += normal(of->error);
    }
    return best_of(judged, count);
}

/* Return roughly how many points luckier the next card of the stock is for seat 0 than the average card,
 * judged by the deadwood that it leaves. The mean over all cards is exactly 0, so subtracting this from
 * the points of a hand changes only how far they are spread. */
static double luck(const table *t) {
    double all = 0, here = 0;
    for (int i = 0; i < t->stock_left; i++) {
        int card = t->stock[t->bottom + i], dead = after_discard(0, t->hand[t->to_move] | BIT(card));
        double points = -0.5 * dead + 5 * (dead <= KNOCK_LIMIT) + 26 * !dead; /* fitted */
        all += points;
        if (card == next_card(t)) here = points;
    }
    double found = here - all / t->stock_left;
    return t->to_move ? -found : found;
}

/* Play this choice, and then like the bot. Return the points of seat 0 without the luck of the draw. */
static double play_on(table *t, const choice *first) {
    choice found[SOME], next = *first;
    double lucky = 0;
    for (;;) {
        if (next.kind == STOCK_CARD) lucky += luck(t);
        apply(t, &next);
        if (t->phase == OVER) return t->points - lucky;
        next = found[best_of(found, choices(t, EVERYTHING, found))];
    }
}

/* --- the measurement ------------------------------------------------------------------------- */

/* A choice: the number of the hand, the seat, the kind of choice (0 a draw, 1 a discard, 2 a knock), the
 * best move, whether a knock was possible, and whether the best move makes the hand void. best and loss
 * are the points that the best move brings and that the played one loses, by the values; brought and
 * lost are the true points, from playing on. */
typedef struct {
    int hand, seat, kind, best_move, can_knock, is_void;
    float best, loss, brought, lost;
} decision;

static int kind_of(const choice *played, const choice *best) {
    if (played->kind < THROW) return 0;
    return played->kind > THROW || best->kind > THROW ? 2 : 1;
}

/* Play on from both choices, after shuffling the stock once for both. */
static decision measured(const table *t, const choice *played, const choice *best) {
    table one = *t, other;
    one.apart = 1;
    shuffle(one.stock, one.stock_left);
    other = one;
    double brought = play_on(&one, best), without = play_on(&other, played);
    return (decision){.kind = kind_of(played, best), .best_move = best->kind,
                      .is_void = best->kind == THROW && is_last(t), .best = best->worth / 1000.0f,
                      .loss = (best->worth - played->worth) / 1000.0f, .brought = brought,
                      .lost = brought - without};
}

/* Count the hand just played, and deal the next one. Return whether it begins a new match. */
static int next_hand(table *t, int *first) {
    int deck[52];
    for (int i = 0; i < 52; i++) deck[i] = i;
    shuffle(deck, 52);
    if (t->points > 0) t->need[0] -= t->points;
    else t->need[1] += t->points;
    if (t->points) *first = 1 - *first;
    int over = t->need[0] <= 0 || t->need[1] <= 0;
    if (over) {
        *t = (table){.need = {TARGET, TARGET}};
        *first = below(2);
    }
    deal(t, *first, deck);
    return over;
}

/* Play hands in matches between the bot and players of these levels in turn. Measure each costly choice
 * of those players, up to *quota* choices of each kind in each band of losses. *bands* are the lowest
 * losses of the bands, in thousandths. Return the number of decisions written. */
long mistakes(long seed, long hands, const level *levels, int level_count, const long *bands, int band_count,
              long quota, decision *out) {
    seed_now = seed;
    long made = 0, in_band[3][20] = {{0}};
    table t = {0};
    for (int number = 0, match = 0, first = 0; number < hands; number++) {
        match += next_hand(&t, &first);
        const level players[2] = {levels[match % level_count], BEST};
        while (t.phase != OVER) {
            choice found[SOME];
            int among = choices(&t, EVERYTHING, found), best = best_of(found, among);
            int played = chosen(&t, &players[t.to_move], found, among);
            long loss = found[best].worth - found[played].worth, band = band_count - 1;
            while (band >= 0 && loss < bands[band]) band--;
            int kind = kind_of(&found[played], &found[best]);
            if (!t.to_move && band >= 0 && in_band[kind][band] < quota) {
                in_band[kind][band]++;
                out[made] = measured(&t, &found[played], &found[best]);
                for (int i = 0; i < among; i++) out[made].can_knock |= found[i].kind > THROW;
                out[made++].hand = number;
            }
            apply(&t, &found[played]);
        }
    }
    return made;
}

/* Let the bot play hands in matches against itself. Record each choice with the points that the rest of
 * the hand brought, without the luck of the draw. Return the number of choices, at most *most*. */
long expectations(long seed, long most, decision *out) {
    seed_now = seed;
    long made = 0;
    table t = {0};
    for (int number = 0, first = 0; made < most; number++) {
        long begun = made;
        double lucky = 0; /* so far, for seat 0 */
        next_hand(&t, &first);
        while (t.phase != OVER) {
            choice found[SOME];
            int count = choices(&t, EVERYTHING, found), best = best_of(found, count);
            if (count > 1 && made < most)
                out[made++] = (decision){.hand = number, .seat = t.to_move, .best_move = found[best].kind,
                                         .is_void = found[best].kind == THROW && is_last(&t),
                                         .best = found[best].worth / 1000.0f, .brought = lucky};
            if (found[best].kind == STOCK_CARD) lucky += luck(&t);
            apply(&t, &found[best]);
        }
        for (long i = begun; i < made; i++) {
            double points = t.points - (lucky - out[i].brought);
            out[i].brought = out[i].seat ? -points : points;
        }
    }
    return made;
}

/* Play one hand like the bot, at a score of 0-0. Write the kind and value of each choice, and the points
 * of seat 0. Return the number of choices. */
int one_hand(const int *deck, int first, int *out, int *points) {
    table t = {.need = {TARGET, TARGET}};
    int count = 0;
    for (deal(&t, first, deck); t.phase != OVER; count++) {
        choice found[SOME];
        int best = best_of(found, choices(&t, EVERYTHING, found));
        out[2 * count] = found[best].kind;
        out[2 * count + 1] = found[best].worth;
        apply(&t, &found[best]);
    }
    *points = t.points;
    return count;
}
