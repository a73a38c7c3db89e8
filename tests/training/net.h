/* The functions that are learned, and how they learn. */

#include <stdlib.h>
#include "chance.h"
#include "features.h"

#define UNITS 8
#define HEADS 4
#define COLUMNS (UNITS + HEADS)
#define FEATURES PLAYING
#define POINTS 25.0f
enum { KEEP, DRAW, KNOCK_NOW, NETS };

typedef struct { float in[NETS][FEATURES][COLUMNS], out[NETS][UNITS][HEADS]; } brain;
typedef struct { float of[HEADS]; } heads;  /* won, points won, lost, points lost */

static brain live, mean_brain, moment, second, gradient;
static double steps;

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

/* Take a step of Adam (Kingma and Ba 2015), and update the running mean of the weights, which is
 * the result. */
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
