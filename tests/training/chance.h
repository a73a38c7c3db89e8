/* Random numbers: splitmix64. */

#include <stdint.h>

static uint64_t seed_now;
static uint64_t chance(void) {
    uint64_t z = seed_now += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}
static int below(int n) { return (chance() >> 33) * (uint64_t)n >> 31; }
