/* Learns what positions are worth, by play against itself and a league of simple players.
 *
 * Three functions of one form, a linear part and a layer of units that count what is above zero:
 * KEEP, DRAW, KNOCK. Each tells four things of how the hand ends for the seat: the chance to win it,
 * the points that brings, the chance to lose it, the points that costs, points over POINTS. What
 * they are worth together, the score says (price): by what each does to the chance to win a game of
 * so many points, scaled so that it is points while both are far from the target.
 *
 * Each hand gives the first two their targets by lambda-returns from the end backwards; where a
 * learner tried a move that it did not think best, the return is cut there. A knock's target is what
 * it would have brought against the cards that the other really held, whether it knocked or not. */

#include <stdlib.h>
#include "features.h"

#define UNITS 8
#define HEADS 4
#define COLUMNS (UNITS + HEADS)
#define FEATURES PLAYING
#define POINTS 25.0f
#define FAR 14  /* a discard that leaves so much more than the best breaks a meld, and is mostly passed over */
enum { KEEP, DRAW, KNOCK_NOW, NETS };

typedef struct { float in[NETS][FEATURES][COLUMNS], out[NETS][UNITS][HEADS]; } brain;
typedef struct { float of[HEADS]; } heads;  /* won, points won, lost, points lost */

static brain live, mean_brain, moment, second, gradient, past[8];
static int pasts;
static double steps;

/* --- chance ---------------------------------------------------------------------------------- */

static uint64_t seed_now;
static uint64_t chance(void) {
    uint64_t z = seed_now += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}
static int below(int n) { return (chance() >> 33) * (uint64_t)n >> 31; }
static float part(void) { return (chance() >> 40) / 16777216.0f; }

/* --- the functions ---------------------------------------------------------------------------- */

static heads value(const brain *b, int net, const row *r, float *hidden) {
    float sum[COLUMNS] = {0};
    heads found;
    for (int i = 0; i < r->count; i++) {
        float amount = r->amount[i] * (1.0f / WHOLE);
        const float *in = b->in[net][r->at[i]];
        for (int c = 0; c < COLUMNS; c++) sum[c] += amount * in[c];
    }
    for (int h = 0; h < HEADS; h++) found.of[h] = sum[UNITS + h];
    for (int u = 0; u < UNITS; u++) {
        if (sum[u] > 0)
            for (int h = 0; h < HEADS; h++) found.of[h] += b->out[net][u][h] * sum[u];
        if (hidden) hidden[u] = sum[u];
    }
    return found;
}

static int learned[NETS];
static double squares[NETS];

static void learn(int net, const row *r, const heads *target) {
    float hidden[UNITS], back[COLUMNS];
    heads now = value(&live, net, r, hidden);
    for (int u = 0; u < UNITS; u++) back[u] = 0;
    for (int h = 0; h < HEADS; h++) {
        float error = now.of[h] - target->of[h];
        squares[net] += error * error;
        back[UNITS + h] = error;
        for (int u = 0; u < UNITS; u++)
            if (hidden[u] > 0) {
                back[u] += error * live.out[net][u][h];
                gradient.out[net][u][h] += error * hidden[u];
            }
    }
    learned[net]++;
    for (int i = 0; i < r->count; i++) {
        float amount = r->amount[i] * (1.0f / WHOLE);
        float *in = gradient.in[net][r->at[i]];
        for (int c = 0; c < COLUMNS; c++) in[c] += amount * back[c];
    }
}

/* Adam (Kingma and Ba 2015), and a running mean of the weights, which is what is kept. */
static void step(float rate, float keep) {
    steps++;
    float first = 1 - powf(0.9f, steps), next = 1 - powf(0.999f, steps);
    float *w = (float *)&live, *m = (float *)&moment, *v = (float *)&second;
    float *g = (float *)&gradient, *mean = (float *)&mean_brain;
    long per_net = sizeof live.in[0] / sizeof(float);
    for (long i = 0; i < (long)(sizeof(brain) / sizeof(float)); i++) {
        int net = i < NETS * per_net ? i / per_net : (i - NETS * per_net) / (UNITS * HEADS);
        float slope = learned[net] ? g[i] / learned[net] : 0;
        m[i] = 0.9f * m[i] + 0.1f * slope;
        v[i] = 0.999f * v[i] + 0.001f * slope * slope;
        w[i] -= rate * m[i] / first / (sqrtf(v[i] / next) + 1e-8f);
        mean[i] = keep * mean[i] + (1 - keep) * w[i];
    }
    memset(&gradient, 0, sizeof gradient);
    memset(learned, 0, sizeof learned);
}

/* --- the score ------------------------------------------------------------------------------- */

#define MOST 260
static double win[MOST + 1][MOST + 1], brings[301];

/* The chance to win from each pair of points still needed, by what a hand brings (-150 .. 150). */
static void equities(void) {
    for (int a = 1; a <= MOST; a++)
        for (int b = 1; b <= MOST; b++) {
            double sum = 0, all = 0;
            for (int x = -150; x <= 150; x++) {
                double p = brings[x + 150] + brings[150 - x];
                if (!x || p == 0) continue;
                all += p;
                if (x > 0) sum += p * (x >= a ? 1 : win[a - x][b]);
                else sum += p * (-x >= b ? 0 : win[a][b + x]);
            }
            win[a][b] = all > 0 ? sum / all : 0.5;
        }
}

static double chance_at(int a, int b) {
    if (a <= 0) return 1;
    if (b <= 0) return 0;
    return win[a][b];
}

/* What each head is worth where so many points are needed: the line through what few and many points
 * won, and lost, do to the chance to win the game. */
static heads price(int need, int their_need) {
    heads found = {{0, 1, 0, -1}};
    if (need > MOST || their_need > MOST) return found;
    double here = win[need][their_need];
    double swing = (chance_at(need - 25, their_need) - chance_at(need, their_need - 25)) / 50 * POINTS;
    for (int lost = 0; lost < 2; lost++) {
        double few = (lost ? chance_at(need, their_need - 10) : chance_at(need - 10, their_need)) - here;
        double many = (lost ? chance_at(need, their_need - 40) : chance_at(need - 40, their_need)) - here;
        double slope = (many - few) / 30;
        found.of[2 * lost] = (few - 10 * slope) / swing;
        found.of[2 * lost + 1] = slope / swing * POINTS;
    }
    return found;
}

static inline float at_price(const heads *price, const heads *of) {
    float sum = 0;
    for (int h = 0; h < HEADS; h++) sum += price->of[h] * of->of[h];
    return sum;
}

static heads result(int points) {
    heads found = {{points > 0, points > 0 ? points / POINTS : 0, points < 0, points < 0 ? -points / POINTS : 0}};
    return found;
}

/* --- players ---------------------------------------------------------------------------------- */

typedef struct {
    const brain *brain;  /* NULL: a simple player, who plays by the numbers below */
    int learns;
    float dead, seven, danger, explores;
    int take_rule, knock_early, knock_late, early;
} player;

typedef struct {
    int ways, limit, wall, stock_left, pile_count, swaps, turns[2], takes[2], last[2], before[2], need[2];
    int stock[52], pile[52];
    cards hand[2], piled, held[2], thrown[2], left[2];
    heads price[2];
} table;

static sight seen_by(const table *t, int me) {
    int other = 1 - me;
    sight s = {t->ways, t->limit, t->pile_count ? t->pile[t->pile_count - 1] : NO_CARD, t->takes[other],
               t->last[other], t->before[other], t->stock_left, t->need[me], t->need[other],
               t->piled, t->held[other], t->held[me], t->thrown[other] & ~t->held[other],
               t->left[other] & ~t->held[other]};
    return s;
}

typedef struct { int card, knock, tried; float worth; heads best; row seen; } choice;

static heads of_knock(const brain *b, const sight *s, cards kept, int dead, row *r) {
    cards sets = 0, runs = 0;
    arrange(s->ways, kept, DECK & ~(kept | s->pile), &sets, &runs);
    see_knocking(s, kept, dead, taken_by(s->ways, sets, runs), r);
    return value(b, KNOCK_NOW, r, NULL);
}

/* The best, or sometimes another, way to end a turn with these eleven. */
static choice end_turn(const brain *b, const sight *before, cards eleven, cards taken, const heads *price,
                       float explores) {
    choice best = {.card = -1, .worth = -1e9f};
    row r;
    float chosen = -1e9f, chosen_worth = 0;
    sight s = *before;
    int bound = after_discard(s.ways, eleven) + (explores > 0 && !below(8) ? 999 : FAR);
    EACH(card, eleven & ~taken) {
        cards kept = eleven ^ BIT(card);
        s.pile = before->pile | BIT(card);
        s.top = card;
        int dead = deadwood(s.ways, kept);
        if (dead > bound && best.card >= 0) continue;
        for (int knock = 0; knock <= (dead <= s.limit); knock++) {
            heads found;
            if (knock) found = of_knock(b, &s, kept, dead, &r);
            else {
                see_keeping(&s, kept, &r);
                found = value(b, KEEP, &r, NULL);
            }
            float worth = at_price(price, &found);
            if (worth > best.worth) {
                best.worth = worth;
                best.best = found;
            }
            float with = worth;  /* and Gumbel's noise, so that it is chosen as by softmax */
            if (explores > 0) with -= explores * logf(-logf(part() * 0.999999f + 5e-7f));
            if (with > chosen) {
                chosen = with;
                chosen_worth = worth;
                best.card = card;
                best.knock = knock;
                best.seen = r;
            }
        }
    }
    best.tried = chosen_worth < best.worth;
    return best;
}

static int pairs_against(const sight *s, cards kept, int card) {
    int pairs[4];
    pairs_of(s, kept, card, pairs);
    return pairs[0] + pairs[1] + 3 * pairs[2] + 12 * pairs[3];
}

static float simple_cost(const player *p, const sight *s, cards kept) {
    float cost = p->dead * deadwood(s->ways, kept);
    if (p->seven > 0) {
        int counts[160] = {0}, sum = 0, taken = 0;
        cards melding = completing(s->ways, kept);
        int dead = deadwood(s->ways, kept), dropped = after_discard(s->ways, kept);
        EACH(card, DECK & ~(kept | s->pile | s->held)) {
            int left = least(dead, dropped + pips_of(s->ways, card));
            counts[melding >> card & 1 ? after_discard(s->ways, kept | BIT(card)) : left]++;
        }
        for (int left = 0; taken < 7 && left < 150; left++) {
            int here = least(counts[left], 7 - taken);
            sum += here * left;
            taken += here;
        }
        cost += p->seven * sum / 7;
    }
    return cost;
}

static choice simple_end(const player *p, const sight *before, cards eleven, cards taken, int turn) {
    choice best = {.card = -1};
    float least_cost = 1e9f;
    sight s = *before;
    EACH(card, eleven & ~taken) {
        cards kept = eleven ^ BIT(card);
        s.pile = before->pile | BIT(card);
        float cost = simple_cost(p, &s, kept) - 0.01f * pips_of(s.ways, card) + 0.02f * part();
        if (p->danger > 0) cost += p->danger * pairs_against(&s, kept, card);
        if (cost < least_cost) {
            least_cost = cost;
            best.card = card;
        }
    }
    int allowed = least(s.limit, turn < p->early ? p->knock_early : p->knock_late), fewest = 999, with = -1;
    EACH(card, eleven & ~taken) {
        int dead = deadwood(s.ways, eleven ^ BIT(card));
        if (dead < fewest) {
            fewest = dead;
            with = card;
        }
    }
    if (fewest <= allowed) {
        best.card = with;
        best.knock = 1;
    }
    return best;
}

static int simple_takes(const player *p, const sight *s, cards ten) {
    int ways = s->ways, now = deadwood(ways, ten), then = 999;
    EACH(card, ten) then = least(then, deadwood(ways, (ten ^ BIT(card)) | BIT(s->top)));
    if (then <= least(s->limit, p->knock_late)) return 1;
    int melds = completing(ways, ten) >> s->top & 1;
    switch (p->take_rule) {
        case 0: return melds && then < now;
        case 1: return melds && deadwood(ways, ten | BIT(s->top)) <= now;
        case 2: return then < now - 2;
        default: return (melds && then < now) || then < now - 6;
    }
}

/* --- a hand ----------------------------------------------------------------------------------- */

/* What a seat chose: the function that says what that is worth, none (-1) for a knock or a card
 * taken; what the best choice then was worth, and whether another was tried. */
typedef struct { int net, tried; heads best; row seen; } event;
typedef struct { int count; event at[140]; int knocks; row knock[70]; heads brought[70]; } story;

static story stories[2];
static float LAMBDA = 0.85f;
static long outcomes[8]; /* hands, void, knocks of seat 0 and 1, gins 0 and 1, undercuts of 0 and 1 by the other */

static void record(story *tale, int net, const row *seen, heads best, int tried) {
    if (tale->count >= 140) return;
    event *e = &tale->at[tale->count++];
    e->net = net;
    e->tried = tried;
    e->best = best;
    if (net >= 0) e->seen = *seen;
}

/* The points of a knock for the knocker. */
static int showdown(const table *t, cards kept, cards theirs, int *undercut) {
    cards sets = 0, runs = 0;
    int dead = arrange(t->ways, kept, DECK & ~(kept | t->piled), &sets, &runs);
    *undercut = 0;
    if (!dead) return 25 + deadwood(t->ways, theirs);
    int left = answer(t->ways, theirs, sets, runs);
    if (dead < left) return left - dead;
    *undercut = 1;
    return left - dead - 25;
}

static void remember_knock(story *tale, const table *t, const brain *b, int me, cards eleven, cards taken) {
    cards best = 0;
    int fewest = 999;
    int skip = below(3);  /* of equal ones not always the same */
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
    int undercut, points = showdown(&after, eleven ^ best, t->hand[1 - me], &undercut);
    of_knock(b, &s, eleven ^ best, fewest, &tale->knock[tale->knocks]);
    tale->brought[tale->knocks++] = result(points);
}

/* Play a hand; the points of seat 0, below zero if seat 1 wins. */
static int play(table *t, const player *players, int first, const int *deck) {
    t->hand[0] = t->hand[1] = t->held[0] = t->held[1] = t->thrown[0] = t->thrown[1] = 0;
    t->left[0] = t->left[1] = t->takes[0] = t->takes[1] = t->turns[0] = t->turns[1] = t->swaps = 0;
    t->last[0] = t->last[1] = t->before[0] = t->before[1] = NO_CARD;
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
            see_drawing(&s, ten, phase, &r);
            heads of_stock = value(p->brain, DRAW, &r, NULL);
            float stock = at_price(&t->price[me], &of_stock), noise = 0;
            sight after = s;
            after.pile &= ~upcard;
            after.shown |= upcard;
            choice then = {.worth = -1e9f};
            /* A card that melds with none is hardly ever worth taking; a learner mostly lets it lie. */
            if (!p->learns || completing(t->ways, ten) & upcard || !below(4))
                then = end_turn(p->brain, &after, ten | upcard, upcard, &t->price[me], 0);
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
            t->swaps++;
            taken = upcard;
            ten |= upcard;
        } else {
            t->left[me] |= upcard;
            t->swaps = 0;
            ten |= BIT(t->stock[--t->stock_left]);
        }
        t->hand[me] = ten;
        passes = 2;
        s = seen_by(t, me);
        choice c;
        if (p->brain) {
            if (p->learns) remember_knock(&stories[me], t, p->brain, me, ten, taken);
            c = end_turn(p->brain, &s, ten, taken, &t->price[me], p->explores);
            record(&stories[me], c.knock ? -1 : KEEP, &c.seen, c.best, c.tried);
        } else c = simple_end(p, &s, ten, taken, t->turns[me]);
        t->turns[me]++;
        t->hand[me] &= ~BIT(c.card);
        t->held[me] &= ~BIT(c.card);
        t->thrown[me] |= BIT(c.card);
        t->before[me] = t->last[me];
        t->last[me] = c.card % 13;
        t->pile[t->pile_count++] = c.card;
        t->piled |= BIT(c.card);
        if (c.knock) {
            int undercut, points = showdown(t, t->hand[me], t->hand[1 - me], &undercut);
            outcomes[2 + me]++;
            outcomes[4 + me] += !deadwood(t->ways, t->hand[me]);
            outcomes[6 + me] += undercut;
            return me ? -points : points;
        }
        if (t->stock_left == 2 || t->swaps == 40) {
            outcomes[1]++;
            return 0;
        }
        me = 1 - me;
    }
}

/* The lambda-returns of one seat, backwards. */
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

/* A simple player, each a little different: knocks at once, waits for gin, or something between. */
static player simple(int limit) {
    static const int knocks[4] = {10, 10, 5, 0};
    player p = {0};
    p.dead = 1;
    p.seven = below(3) ? part() * 3 : 0;
    if (p.seven > 1 && below(2)) p.dead = 0.1f;
    p.danger = below(2) ? part() * 1.5f : 0;
    p.take_rule = below(4);
    p.knock_early = knocks[below(3)];
    p.knock_late = knocks[below(4)];
    p.early = 3 + below(6);
    (void)limit;
    return p;
}

typedef struct { double rate, last_rate, lambda, explores, keep; long hands, seed; int ways, limits, batch; } plan;

/* A limit up to 10 holds always; at 11 a card sets it; at 12 it is that in half of the hands, and 10
 * in the others. */
static int limit_of(int limits) {
    if (limits <= 10) return limits;
    if (limits == 12 && below(2)) return 10;
    int rank = below(13);
    return rank ? PIPS[rank] : 0;
}

/* How cards meld in this game: at 4 runs wrap, and in half of the games an ace counts 15. */
static int ways_of(int ways) { return ways < 4 ? ways : below(2) ? 1 : 3; }

static player seat_of_league(int *learns) {
    int kind = below(20);
    player p = {0};
    *learns = 0;
    if (kind < 11 || (kind < 14 && !pasts)) {
        p.brain = &live;
        p.learns = *learns = 1;
    } else if (kind < 14) p.brain = &past[below(pasts < 8 ? pasts : 8)];
    else return simple(10);
    return p;
}

void begin(long seed) {
    make_tables();
    make_neighbours();
    seed_now = seed;
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

/* Train for so many hands; whole games, so that all scores are met. */
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
            t.need[0] = t.need[1] = target;
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
        if (points && players[1].brain == &live) brings[150 + points] += 1;
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

/* Games between the trained (seat 0) and simple players, both playing each deal. Fills games, won,
 * hands, points, their squares. */
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
    if (net == KEEP) see_keeping(s, kept, r);
    else if (net == DRAW) see_drawing(s, kept, phase, r);
    else see_knocking(s, kept, dead, open, r);
    return r->count;
}
