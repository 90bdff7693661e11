/* The post's recursive search, written anew from its description: a benchmark's baseline.
 *
 * Two lists of locations grow by one each at every level. Locations 0 (the start pool) and 15
 * (home) may come again, any other is followed by a later one, so each list is ascending. After
 * each pair the contended locations 5..12 are checked over both lists. That each list is valid by
 * itself is not checked: the lists grow so, and the post leaves this check out of its own timing
 * too.
 *
 * Usage: post_dfs PIECES [plain]
 * Prints: diagrams, branches of player 1, checksum, seconds of the search.
 * With "plain" the visitor counts diagrams and branches only, as the post's does; checksum is 0.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { START = 0, HOME = 15, LOCATIONS = 16, CONTENDED_FIRST = 5, CONTENDED_LAST = 12 };
enum { MOST_PIECES = 64 };

typedef struct {
    int length;
    int at[MOST_PIECES];
} List;

typedef struct {
    bool checksum;
    uint64_t diagrams, branches, sum;
} Visitor;

/* The three functions below restate urcx's checksum; they share no code with it. */

static uint64_t key(uint64_t mask, uint64_t home, uint64_t salt)
{
    uint64_t v = (mask | home << 55) ^ salt;
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9u;
    v = (v ^ v >> 27) * 0x94D049BB133111EBu;
    return v ^ v >> 31;
}

static uint64_t placement_key(const List *list, uint64_t salt)
{
    uint64_t mask = 0, home = 0;
    for (int k = 0; k < list->length; k++) {
        int location = list->at[k];
        if (location == HOME)
            home++;
        else if (location != START)
            mask |= (uint64_t)1 << (location - 1);
    }
    return key(mask, home, salt);
}

static uint64_t joint(uint64_t light, uint64_t dark)
{
    uint64_t both = light ^ dark;
    uint64_t product = (both & 0xFFFFFFFFu) * (both >> 32);
    return product ^ product >> 29;
}

static void found(Visitor *visitor, const List *one, const List *two)
{
    bool in_pool = false;
    visitor->diagrams++;
    for (int k = 0; k < one->length; k++) {
        if (one->at[k] == START)
            in_pool = true;
        else if (one->at[k] != HOME)
            visitor->branches++;
    }
    visitor->branches += in_pool;
    if (visitor->checksum)
        visitor->sum += joint(placement_key(one, 0x9E3779B97F4A7C15u),
                              placement_key(two, 0x6A09E667F3BCC909u));
}

static bool claim(const List *list, bool taken[LOCATIONS])
{
    for (int k = 0; k < list->length; k++) {
        int location = list->at[k];
        if (location >= CONTENDED_FIRST && location <= CONTENDED_LAST) {
            if (taken[location])
                return false;
            taken[location] = true;
        }
    }
    return true;
}

static bool valid(const List *one, const List *two)
{
    bool taken[LOCATIONS] = {false};
    return claim(one, taken) && claim(two, taken);
}

/* The earliest location that may come next. */
static int next(const List *list)
{
    if (list->length == 0)
        return START;
    int last = list->at[list->length - 1];
    return last == START || last == HOME ? last : last + 1;
}

static void search(int pieces, Visitor *visitor, List *one, List *two)
{
    if (one->length == pieces) { /* the lists are of one length */
        found(visitor, one, two);
        return;
    }
    int first_i = next(one), first_j = next(two);
    for (int i = first_i; i < LOCATIONS; i++) {
        one->at[one->length++] = i;
        for (int j = first_j; j < LOCATIONS; j++) {
            two->at[two->length++] = j;
            if (valid(one, two))
                search(pieces, visitor, one, two);
            two->length--;
        }
        one->length--;
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int n, char **arguments)
{
    int pieces = n > 1 ? atoi(arguments[1]) : 0;
    bool plain = n > 2 && strcmp(arguments[2], "plain") == 0;
    if (pieces < 1 || pieces > MOST_PIECES || n > 3 || (n == 3 && !plain)) {
        fprintf(stderr, "usage: post_dfs PIECES [plain], with 1 to %d pieces\n", MOST_PIECES);
        return 2;
    }
    Visitor visitor = {.checksum = !plain};
    List one = {0}, two = {0};
    double began = now();
    search(pieces, &visitor, &one, &two);
    double seconds = now() - began;
    printf("%llu %llu %llu %.9f\n", (unsigned long long)visitor.diagrams,
           (unsigned long long)visitor.branches, (unsigned long long)visitor.sum, seconds);
    return 0;
}
