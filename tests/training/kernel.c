/* Learn the value of positions by self-play, and by playing against a league of simple players.
 *
 * There are three functions of the same form, a linear part and a layer of rectified units: KEEP, DRAW
 * and KNOCK. Each estimates four things about how the hand ends for the seat: the chance to win it, the
 * points that this brings, the chance to lose it, and the points that this costs, in units of POINTS.
 * The score decides what they are worth together (price): by the effect of each on the chance to win
 * the game, scaled so that the result is in points while both players are far from the target.
 *
 * Each hand gives the first two their targets by lambda-returns, from the end backwards. At a move that
 * the learner tried without thinking it best, the return is cut. A knock's target is what the knock
 * would have brought against the opponent's real cards, whether the learner knocked or not. */

#include "players.h"

static brain past[8], seeker; /* past versions; a player that has learned to play only for gin */
static int pasts, seeks;

/* --- a hand ----------------------------------------------------------------------------------- */

/* A seat's choice: the function that estimates its worth, or -1 for a knock or a card taken; the worth
 * of the best choice at that moment; and whether another one was tried. */
typedef struct { int net, tried; heads best; row seen; } event;
typedef struct { int count; event at[140]; int knocks; row knock[70]; heads brought[70]; } story;

static story stories[2];
static float LAMBDA = 0.85f;
static long outcomes[8]; /* hands, void, knocks of seat 0 and 1, gins 0 and 1, undercuts of 0 and 1 by the opponent */

static void record(story *tale, int net, const row *seen, heads best, int tried) {
    if (tale->count >= 140) return;
    event *e = &tale->at[tale->count++];
    e->net = net;
    e->tried = tried;
    e->best = best;
    if (net >= 0) e->seen = *seen;
}

/* Return the points of a knock for the knocker, negative if it is undercut, and the deadwood left of
 * the opponent's cards. */
static int showdown(const table *t, cards kept, cards theirs, int *left) {
    cards sets = 0, runs = 0;
    int dead = arrange(t->ways, kept, DECK & ~(kept | t->piled), &sets, &runs);
    *left = dead ? answer(t->ways, theirs, sets, runs) : deadwood(t->ways, theirs);
    if (!dead) return 25 + *left;
    return *left - dead - (dead < *left ? 0 : 25);
}

static void remember_knock(story *tale, const table *t, const brain *b, int me, cards eleven, cards taken) {
    cards best = 0;
    int fewest = 999;
    int skip = below(3);  /* don't always choose the same card among equals */
    EACH(card, eleven & ~taken) {
        int dead = deadwood(t->ways, eleven ^ BIT(card));
        if (dead < fewest || (dead == fewest && skip-- <= 0)) {
            fewest = dead;
            best = BIT(card);
        }
    }
    if (fewest > t->limit || tale->knocks >= 70) return;
    table after = *t;
    after.piled |= best;
    sight s = seen_by(&after, me);
    int left, points = showdown(&after, eleven ^ best, t->hand[1 - me], &left);
    of_knock(b, &s, eleven ^ best, fewest, &tale->knock[tale->knocks]);
    tale->brought[tale->knocks++] = result(points);
}

/* Play a hand; return the points of seat 0, negative if seat 1 wins. */
static int play(table *t, const player *players, int first, const int *deck) {
    t->hand[0] = t->hand[1] = t->held[0] = t->held[1] = t->thrown[0] = t->thrown[1] = 0;
    t->left[0] = t->left[1] = t->takes[0] = t->takes[1] = t->turns[0] = t->turns[1] = t->swaps = 0;
    t->since[0] = t->since[1] = 0;
    for (int seat = 0; seat < 2; seat++) t->last[seat] = t->before[seat] = t->earlier[seat] = NO_CARD;
    for (int i = 0; i < 20; i++) t->hand[i % 2 ? 1 - first : first] |= BIT(deck[i]);
    t->pile[0] = deck[20];
    t->pile_count = 1;
    t->piled = BIT(deck[20]);
    t->stock_left = 31;
    for (int i = 0; i < 31; i++) t->stock[i] = deck[51 - i];
    stories[0].count = stories[1].count = stories[0].knocks = stories[1].knocks = 0;
    int me = first, passes = 0;
    outcomes[0]++;
    for (;;) {
        const player *p = &players[me];
        sight s = seen_by(t, me);
        int phase = passes < 2 && t->stock_left == 31 && t->pile_count == 1 && !t->swaps ? passes + 1 : 0;
        int may_take = passes != 2 || phase || t->stock_left < 31 || t->swaps;
        cards ten = t->hand[me], upcard = BIT(s.top), taken = 0;
        int takes = 0;
        row r;
        if (may_take && p->brain) {
            drawing_features(&s, ten, phase, &r);
            heads of_stock = value(p->brain, DRAW, &r, NULL);
            float stock = at_price(&t->price[me], &of_stock), noise = 0;
            sight after = s;
            after.pile &= ~upcard;
            after.shown |= upcard;
            choice then = {.worth = -1e9f};
            /* A card that completes no meld is hardly ever worth taking; a learner usually leaves it. */
            if (!p->learns || completing(t->ways, ten) & upcard || !below(4))
                then = end_turn(p, &after, ten | upcard, upcard, &t->price[me], 0);
            heads best = then.worth > stock ? then.best : of_stock;
            if (p->explores > 0) noise = p->explores * (part() + part() - part() - part());
            takes = then.worth > stock + noise;
            if (!takes) record(&stories[me], DRAW, &r, best, stock < then.worth);
            else if (then.worth < stock) record(&stories[me], -1, NULL, best, 1);
        } else if (may_take) takes = simple_takes(p, &s, ten);
        if (!takes && phase) {
            t->left[me] |= upcard;
            passes++;
            me = 1 - me;
            continue;
        }
        if (takes) {
            t->pile_count--;
            t->piled &= ~upcard;
            t->held[me] |= upcard;
            t->takes[me]++;
            t->since[me] = 0;
            t->swaps++;
            taken = upcard;
            ten |= upcard;
        } else {
            t->left[me] |= upcard;
            t->swaps = 0;
            t->since[me]++;
            ten |= BIT(t->stock[--t->stock_left]);
        }
        t->hand[me] = ten;
        passes = 2;
        s = seen_by(t, me);
        choice c;
        if (p->brain) {
            if (p->learns) remember_knock(&stories[me], t, p->brain, me, ten, taken);
            c = end_turn(p, &s, ten, taken, &t->price[me], p->explores);
            record(&stories[me], c.knock ? -1 : KEEP, &c.seen, c.best, c.tried);
        } else c = simple_end(p, &s, ten, taken, t->turns[me]);
        t->turns[me]++;
        t->hand[me] &= ~BIT(c.card);
        t->held[me] &= ~BIT(c.card);
        t->thrown[me] |= BIT(c.card);
        t->earlier[me] = t->before[me];
        t->before[me] = t->last[me];
        t->last[me] = c.card;
        t->pile[t->pile_count++] = c.card;
        t->piled |= BIT(c.card);
        if (c.knock) {
            int left, points = showdown(t, t->hand[me], t->hand[1 - me], &left);
            int gin = !deadwood(t->ways, t->hand[me]);
            outcomes[2 + me]++;
            outcomes[4 + me] += gin;
            t->waited[me] += gin;
            t->waited[1 - me] += left <= 10;
            t->knocks[me] += !gin;
            outcomes[6 + me] += points < 0;
            return me ? -points : points;
        }
        if (t->stock_left == 2 || t->swaps == 40) {
            outcomes[1]++;
            return 0;
        }
        me = 1 - me;
    }
}

/* Learn from the lambda-returns of one seat, backwards. */
static void teach(const story *tale, int points) {
    heads next = result(points);
    for (int i = tale->count - 1; i >= 0; i--) {
        const event *e = &tale->at[i];
        if (e->net >= 0) learn(e->net, &e->seen, &next);
        for (int h = 0; h < HEADS; h++)
            next.of[h] = e->tried ? e->best.of[h] : (1 - LAMBDA) * e->best.of[h] + LAMBDA * next.of[h];
    }
    for (int i = 0; i < tale->knocks; i++) learn(KNOCK_NOW, &tale->knock[i], &tale->brought[i]);
}

static void shuffle(int *deck) {
    for (int i = 0; i < 52; i++) deck[i] = i;
    for (int i = 51; i; i--) {
        int j = below(i + 1), card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

/* seeks: the learner knocks only with gin, even when it is its own opponent. */
typedef struct { double rate, last_rate, lambda, explores, keep; long hands, seed; int ways, limits, batch, seeks; } plan;

/* Return a hand's knock limit. A value up to 10 is the limit itself; at 11 a card sets the limit; at 12
 * a card does so in half of the hands, and the others have 10; at 13 it is 0 in one of three hands, and
 * a card sets the others. */
static int limit_of(int limits) {
    if (limits <= 10) return limits;
    if (limits == 12 && below(2)) return 10;
    if (limits == 13 && !below(3)) return 0;
    int rank = below(13);
    return rank ? PIPS[rank] : 0;
}

/* Return how cards meld in this game: at 4, runs wrap, and in half of the games an ace counts 15. */
static int ways_of(int ways) { return ways < 4 ? ways : below(2) ? 1 : 3; }

/* Return an opponent for the learner: a player that has learned to play for gin, the learner itself,
 * the learner waiting for gin, a past version of it, or a simple player. */
static player seat_of_league(int *learns) {
    int kind = below(20);
    player p = {.brain = &live};
    *learns = 0;
    if (seeks && kind < 5 && below(2)) {
        p.brain = &seeker;
        p.waits = below(3) ? 1 : 1 + below(20);
    } else if (kind < 5) {
        if (pasts && below(2)) p.brain = &past[below(pasts < 8 ? pasts : 8)];
        p.waits = below(3) ? 1 + below(20) : 1;
    } else if (kind < 13 || (kind < 14 && !pasts)) p.learns = *learns = 1;
    else if (kind < 14) p.brain = &past[below(pasts < 8 ? pasts : 8)];
    else return simple();
    return p;
}

/* Reset the learner. after: the player trained so far joins the league of the next one. */
void begin(long seed, int after) {
    make_tables();
    make_neighbours();
    seed_now = seed;
    seeker = mean_brain;
    seeks = after;
    memset(&mean_brain, 0, sizeof mean_brain);
    memset(learned, 0, sizeof learned);
    memset(brings, 0, sizeof brings);
    memset(&live, 0, sizeof live);
    memset(&moment, 0, sizeof moment);
    memset(&second, 0, sizeof second);
    memset(&gradient, 0, sizeof gradient);
    pasts = 0;
    steps = 0;
    for (int net = 0; net < NETS; net++) {
        for (int f = 0; f < FEATURES; f++)
            for (int u = 0; u < UNITS; u++) live.in[net][f][u] = 0.1f * (part() + part() - part() - part());
        for (int u = 0; u < UNITS; u++)
            for (int h = 0; h < HEADS; h++) live.out[net][u][h] = 0.4f * (part() + part() - part() - part());
    }
    mean_brain = live;
    for (int x = 1; x <= 60; x++) brings[150 + x] = x < 11 ? 2 : x < 35 ? 3 : 1;
    equities();
}

/* Train for this many hands, in whole games, so that all scores occur. */
void train(const plan *p, long from, long hands) {
    table t = {0};
    LAMBDA = p->lambda;
    int deck[52], learns[2], first = 0, waiting = 0, over = 1;
    player players[2];
    for (long n = 0; n < hands; n++) {
        if (over) {
            int target = below(5) ? 100 : below(2) ? 250 : 60 + below(150);
            players[0] = (player){.brain = &live, .learns = 1};
            learns[0] = 1;
            players[1] = seat_of_league(&learns[1]);
            if (p->seeks)
                for (int seat = 0; seat < 2; seat++) if (learns[seat]) players[seat].waits = 1;
            t.need[0] = t.need[1] = target;
            t.waited[0] = t.waited[1] = t.knocks[0] = t.knocks[1] = 0;
            t.ways = ways_of(p->ways);
            first = below(2);
            over = 0;
        }
        for (int seat = 0; seat < 2; seat++)
            if (players[seat].learns) players[seat].explores = below(3) ? p->explores : 0;
        t.limit = limit_of(p->limits);
        for (int seat = 0; seat < 2; seat++) t.price[seat] = price(t.need[seat], t.need[1 - seat]);
        shuffle(deck);
        int points = play(&t, players, first, deck);
        if (points && learns[1]) brings[150 + points] += 1;
        for (int seat = 0; seat < 2; seat++)
            if (learns[seat]) teach(&stories[seat], seat ? -points : points);
        if (points > 0) t.need[0] -= points;
        else t.need[1] += points;
        over = t.need[0] <= 0 || t.need[1] <= 0;
        if (points) first = 1 - first;
        if (++waiting == p->batch) {
            double done = (double)(from + n) / p->hands;
            step(p->last_rate + (p->rate - p->last_rate) * 0.5 * (1 + cos(3.14159265 * done)), p->keep);
            waiting = 0;
        }
    }
    past[pasts++ % 8] = mean_brain;
    equities();
}

/* Play games between the trained player (seat 0) and simple players, each deal from both sides. Fill in
 * games, won, hands, points, and their squares. */
void measure(long seed, int games, int ways, int limits, const player *against, int use_mean, double *out) {
    seed_now = seed;
    table t = {0};
    for (int i = 0; i < 8; i++) out[i] = 0;
    memset(outcomes, 0, sizeof outcomes);
    for (int game = 0; game < games; game++) {
        uint64_t deals = chance();
        t.ways = ways_of(ways);
        for (int side = 0; side < 2; side++) {
            player players[2];
            players[0] = (player){.brain = use_mean ? &mean_brain : &live};
            players[1] = *against;
            if (against->learns) players[1].brain = &past[0];
            int first = side, deck[52];
            t.need[0] = t.need[1] = 100;
            t.waited[0] = t.waited[1] = t.knocks[0] = t.knocks[1] = 0;
            for (int n = 0; t.need[0] > 0 && t.need[1] > 0; n++) {
                seed_now = deals + 1000003ull * n;
                t.limit = limit_of(limits);
                for (int s = 0; s < 2; s++) t.price[s] = price(t.need[s], t.need[1 - s]);
                shuffle(deck);
                int points = play(&t, players, first, deck);
                out[2]++;
                out[3] += points;
                out[4] += points * points;
                if (points > 0) t.need[0] -= points;
                else t.need[1] += points;
                if (points) first = 1 - first;
            }
            out[0]++;
            out[1] += t.need[0] <= 0;
        }
    }
}

/* --- for Python ------------------------------------------------------------------------------ */

int count_units(void) { return UNITS; }
int count_heads(void) { return HEADS; }
int count_features(int net) { return net == KEEP ? DRAW_PHASE : net == DRAW ? PLAYING : KNOCKING; }
const float *weights(int net) { return &mean_brain.in[net][0][0]; }
const float *outs(int net) { return &mean_brain.out[net][0][0]; }
void put(int net, const float *in, const float *out) {
    memcpy(live.in[net], in, sizeof(float) * count_features(net) * COLUMNS);
    memcpy(live.out[net], out, sizeof(float) * UNITS * HEADS);
    memcpy(mean_brain.in[net], live.in[net], sizeof live.in[net]);
    memcpy(mean_brain.out[net], live.out[net], sizeof live.out[net]);
}
double error_of(int net) {
    double sum = squares[net];
    squares[net] = 0;
    return sum;
}
long outcome(int which) { return outcomes[which]; }
int deadwood_of(int ways, cards set) { return deadwood(ways, set); }
int after_discard_of(int ways, cards set) { return after_discard(ways, set); }
int answer_of(int ways, cards hand, cards sets, cards runs) { return answer(ways, hand, sets, runs); }
int features_of(int net, const sight *s, cards kept, int phase, int dead, cards open, row *r) {
    if (net == KEEP) keeping_features(s, kept, r);
    else if (net == DRAW) drawing_features(s, kept, phase, r);
    else knocking_features(s, kept, dead, open, r);
    return r->count;
}
