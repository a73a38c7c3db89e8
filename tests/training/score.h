/* The worth of winning and losing at the current score, as in ginpeer.adviser.value_model, but unrounded. */

#define MOST 260
static double win[MOST + 1][MOST + 1], brings[301];

/* The chance to win for each pair of points still needed, from what a hand brings (-150 .. 150). */
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

/* Return the worth of each head when this many points are needed: the line through the effects that few
 * and many points, won and lost, have on the chance to win the game. */
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
