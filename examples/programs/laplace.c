/* A noisy count, audited from outside: see README.md in this folder.
 *
 * Reads one request per line and answers each with one line. The count of the ones in "data" gets Laplace noise of
 * scale 1, made from the seed by inverting the distribution function: epsilon is 1. With --faulty the scale is 1/2,
 * and epsilon is 2. The parser reads what the auditor writes, and no other JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *after(const char *line, const char *key) {
    const char *match = strstr(line, key);
    return match ? match + strlen(key) : NULL;
}

/* The finaliser of SplitMix64. */
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 32 hexadecimal digits to a number strictly between 0 and 1. */
static double uniform(const char *digits) {
    uint64_t high = 0, low = 0;
    sscanf(digits, "%16" SCNx64 "%16" SCNx64, &high, &low);
    return ((double)(mix(high ^ mix(low)) >> 12) + 0.5) / 4503599627370496.0;
}

static double laplace(double u, double scale) {
    return u < 0.5 ? scale * log(2 * u) : -scale * log(2 * (1 - u));
}

static double sum(const char *list) {
    double total = 0;
    char *end;
    while (*list == '[' || *list == ',' || *list == ' ') list++;
    while (*list && *list != ']') {
        total += strtod(list, &end);
        if (end == list) break;
        for (list = end; *list == ',' || *list == ' '; list++) {}
    }
    return total;
}

int main(int count, char **words) {
    double scale = count > 1 && strcmp(words[1], "--faulty") == 0 ? 0.5 : 1.0;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *id = after(line, "\"id\": ");
        const char *data = after(line, "\"data\": ");
        const char *seed = after(line, "\"seed\": \"");
        if (!id) return 1;
        if (strstr(line, "\"op\": \"sample\"") && data && seed)
            printf("{\"id\": %ld, \"result\": %.17g}\n", atol(id), sum(data) + laplace(uniform(seed), scale));
        else
            printf("{\"id\": %ld, \"unsupported\": true}\n", atol(id));
        fflush(stdout); /* Without this the auditor waits for an answer that sits in a buffer. */
    }
    free(line);
    return 0;
}
