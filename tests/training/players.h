/* The players: the learner, which discards and knocks by its functions, and simple players. */

#include "net.h"
#include "score.h"

/* A discard that leaves this much more deadwood than the best breaks a meld, and is usually skipped. */
#define FAR 14
/* While exploring, the learner skips one gin in LETS_GO and one knock in PLAYS_ON. Otherwise it would
 * learn the value of playing on only in positions where it already prefers that. */
#define LETS_GO 30
#define PLAYS_ON 6

typedef struct {
    const brain *brain;  /* NULL: a simple player, which plays by the numbers below */
    int learns, waits;    /* knocks with deadwood only when fewer cards are left in the stock */
    float dead, seven, danger, explores;
    int take_rule, knock_early, knock_late, early;
} player;

typedef struct {
    int ways, limit, wall, stock_left, pile_count, swaps, turns[2], takes[2], since[2], need[2];
    int last[2], before[2], earlier[2];
    int waited[2], knocks[2]; /* in this match so far */
    int stock[52], pile[52];
    cards hand[2], piled, held[2], thrown[2], left[2];
    heads price[2];
} table;

static sight seen_by(const table *t, int me) {
    int other = 1 - me;
    sight s = {t->ways, t->limit, t->pile_count ? t->pile[t->pile_count - 1] : NO_CARD, t->takes[other],
               t->since[other], t->last[other], t->before[other], t->earlier[other], t->stock_left,
               t->waited[other], t->knocks[other], t->piled, t->held[other], t->held[me], t->thrown[other] & ~t->held[other],
               t->left[other] & ~t->held[other]};
    return s;
}

typedef struct { int card, knock, tried; float worth; heads best; row seen; } choice;

static heads of_knock(const brain *b, const sight *s, cards kept, int dead, row *r) {
    cards sets = 0, runs = 0;
    arrange(s->ways, kept, DECK & ~(kept | s->pile), &sets, &runs);
    knocking_features(s, kept, dead, taken_by(s->ways, sets, runs), r);
    return value(b, KNOCK_NOW, r, NULL);
}

/* Return the best way to end a turn with these eleven cards, or sometimes another way. */
static choice end_turn(const player *p, const sight *before, cards eleven, cards taken, const heads *price,
                       float explores) {
    const brain *b = p->brain;
    choice best = {.card = -1, .worth = -1e9f};
    row r;
    float chosen = -1e9f, chosen_worth = 0;
    sight s = *before;
    int bound = after_discard(s.ways, eleven) + (explores > 0 && !below(8) ? 999 : FAR);
    int lets_go = explores > 0 && !below(after_discard(s.ways, eleven) ? PLAYS_ON : LETS_GO);
    EACH(card, eleven & ~taken) {
        cards kept = eleven ^ BIT(card);
        s.pile = before->pile | BIT(card);
        s.top = card;
        int dead = deadwood(s.ways, kept);
        if (dead > bound && best.card >= 0) continue;
        int may_knock = !dead || (dead <= s.limit && (!p->waits || s.stock < p->waits));
        for (int knock = 0; knock <= may_knock; knock++) {
            heads found;
            if (knock) found = of_knock(b, &s, kept, dead, &r);
            else {
                keeping_features(&s, kept, &r);
                found = value(b, KEEP, &r, NULL);
            }
            float worth = at_price(price, &found);
            if (worth > best.worth) {
                best.worth = worth;
                best.best = found;
            }
            float with = worth;  /* with Gumbel noise, so that moves are chosen by softmax */
            if (explores > 0) with -= explores * logf(-logf(part() * 0.999999f + 5e-7f));
            if (with > chosen && !(knock && lets_go)) {
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

/* Return a simple player, each a little different: it knocks at once, waits for gin, or something in
 * between. */
static player simple(void) {
    static const int early[4] = {10, 10, 5, 0}, late[5] = {10, 10, 5, 0, 0};
    player p = {0};
    p.dead = 1;
    p.seven = below(3) ? part() * 3 : 0;
    if (p.seven > 1 && below(2)) p.dead = 0.1f;
    p.danger = below(2) ? part() * 1.5f : 0;
    p.take_rule = below(4);
    p.knock_early = early[below(4)];
    p.knock_late = late[below(5)];
    p.early = 3 + below(6);
    return p;
}
