/* urcx-check: proves bounds on a solved race game from the values in its file alone.

   usage: urcx-check FILE [THREADS]
   build: cc -O3 -std=c11 -frounding-math -ffp-contract=off -o urcx-check urcx-check.c -lm -lpthread
   exit:  0 proven, 1 not proven, 2 the file cannot be used

   FILE is a tablebase of urcx, format 4, as its documentation has it ("Formats"). This program shares
   no line with what wrote it, and believes nothing in it but the rules.

   V(s) is the stored chance of winning of the player to move. For every state s, let U = V + e and
   D = V - e, where e(s) is a number found here. By rounding upwards, then downwards, it is shown
   of each state, with the chances P(r) of the rolls and the legal moves a, that

       sum over r of P(r) max over a of (U(s'), or 1 - D(s') if the turn passes)  <  U(s)
       sum over r of P(r) max over a of (D(s'), or 1 - U(s') if the turn passes)  >  D(s)

   so the chance under perfect play lies between D and U (documentation, "Perfect play and its
   certificate"). Nothing is assumed of how games end, as some room is left in every state.

   Layers (i, j), with i pieces of the player to move at home and j of the other, are taken in pairs
   from the end of the game. Behind a pair, e is the greatest that its layers had; in it, that of what
   lies behind plus delta * w, where w is about how many plies a game stays there. */

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 40, PIECES = 15, ROLLS = 33, SHARED = 13, PRIVATE = 20, THREADS = 256 };
static const int64_t EXACT = INT64_C(1) << 53; /* whole numbers up to this are exact as doubles */

#define NEED(condition, ...) \
    do if (!(condition)) { fprintf(stderr, "urcx-check: " __VA_ARGS__); fputc('\n', stderr); exit(2); } while (0)

static void *room(int64_t count, size_t size) {
    void *found = calloc((size_t)count, size);
    NEED(found, "not enough memory for %" PRId64 " numbers", count);
    return found;
}

/* ---- The header: as much of JSON as it needs ---- */
static const char *blank(const char *at) { return at + strspn(at, " "); } /* all else became blank */
static const char *skip(const char *at) { /* a value; returns what follows it */
    int depth = 0;
    do {
        at = blank(at);
        size_t length = strcspn(at, ",:]}[{\" ");
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (*at == '"') /* no name or tile has a backslash */
            at += 1 + strcspn(at + 1, "\"\\"), length = 1;
        NEED(*at && *at != '\\', "the header is not as it should be");
        at += length ? length : 1;
    } while (depth > 0);
    return at;
}

static const char *next(const char *at) { /* the first or next element of a list or object, or NULL */
    at = blank(at);
    NEED(*at && strchr("[{,]}", *at), "the header has something else where a list or an object belongs");
    at = blank(at + (*at != ']' && *at != '}'));
    return *at == ']' || *at == '}' ? NULL : at;
}
static const char *value_of(const char *name) {
    const char *colon = blank(skip(name));
    NEED(*colon == ':', "the header is not JSON");
    return blank(colon + 1);
}
static bool same(const char *a, const char *b) { return skip(a) - a == skip(b) - b && !strncmp(a, b, (size_t)(skip(a) - a)); }

static const char *member(const char *object, const char *key) { /* key with its quotes */
    const char *found = NULL;
    for (const char *at = next(object), *rest; at; at = rest) {
        found = same(at, key) ? at : found;
        rest = next(skip(value_of(at)));
        for (const char *more = rest; more; more = next(skip(value_of(more))))
            NEED(!same(at, more), "the header has %.*s twice", (int)(skip(at) - at), at);
    }
    NEED(found, "the header has no %s", key);
    return value_of(found);
}

static bool truth(const char *at) {
    NEED(same(at, "true") || same(at, "false"), "a rule is neither true nor false");
    return *at == 't';
}

static bool listed(const char *list, const char *text) {
    for (const char *at = *list == '[' ? next(list) : NULL; at; at = next(skip(at)))
        if (same(at, text))
            return true;
    return false;
}

static int64_t whole(const char *at, int64_t least, int64_t most, const char *what) {
    char *end;
    errno = 0;
    long long found = strtoll(at ? at : "", &end, 10);
    NEED(at && end > at && strchr(" ,]}/\"", *end) && !errno && least <= found && found <= most,
         "%s must be from %" PRId64 " to %" PRId64, what, least, most);
    return found;
}

/* ---- The rules ---- */
static int steps, pieces, rolls, shared, private;
static int roll[ROLLS], other[STEPS + 2]; /* a tile's step on the other's path, or 0 */
static int64_t part[ROLLS], of[ROLLS];    /* chances of rolls as fractions */
static double chance[2][ROLLS];                         /* rounded down, and up */
static int on_shared[STEPS + 2], on_private[STEPS + 2]; /* a step's number among such tiles, or -1 */
static bool grants[STEPS + 2], safe[STEPS + 2], capture_grants;
static uint32_t *mask_of; /* masks of private tiles by number of bits, then by value */
static int64_t *number, width[PIECES + 1]; /* where each of them is; how many have at most so many bits */
static int64_t patterns, power[SHARED + 1];
static int32_t *ordered, *mirrored; /* patterns in the order of a layer; as the other player sees them */
static uint8_t *have[2]; /* pieces on a pattern: the mover's, the other's */

static __int128 divisor(__int128 a, __int128 b) { return b ? divisor(b, a % b) : a; } /* the greatest of both */
static void read_dice(const char *rules) {
    __int128 above = 0, below = 1; /* the sum of the chances */
    const char *shows = next(member(rules, "\"rolls\""));
    for (const char *at = next(member(rules, "\"probabilities\"")); at; at = next(skip(at)), shows = next(skip(shows))) {
        NEED(rolls < ROLLS, "there are too many rolls");
        roll[rolls] = (int)whole(shows, rolls ? roll[rolls - 1] + 1 : 0, STEPS, "a roll");
        NEED(*at == '"', "a probability is no text");
        const char *slash = at + 1 + strspn(at + 1, "0123456789");
        int64_t n = whole(at + 1, 1, EXACT, "a numerator"), d = *slash == '/' ? whole(slash + 1, n, EXACT, "a denominator") : 1;
        above = above * d + n * below, below *= d;
        __int128 common = divisor(above, below), both = divisor(n, d);
        above /= common, below /= common, part[rolls] = (int64_t)(n / both), of[rolls] = (int64_t)(d / both);
        NEED(below <= EXACT, "the probabilities have too large a common denominator");
        volatile double num = (double)n, den = (double)d; /* both exact */
        fesetround(FE_DOWNWARD), chance[0][rolls] = num / den;
        fesetround(FE_UPWARD), chance[1][rolls++] = num / den, fesetround(FE_TONEAREST);
    }
    NEED(above == 1 && below == 1 && !shows, "the probabilities do not sum to 1, or are not as many as rolls");
}

static void read_paths(const char *rules) {
    const char *path[2][STEPS + 2], *rosettes = member(rules, "\"rosettes\"");
    const char *granting = member(rules, "\"rosette_grants_roll\""); /* true, false or a list of tiles */
    bool protects = truth(member(rules, "\"rosette_protects\"")), all = *granting != '[' && truth(granting);
    int tile_on[SHARED + 1], length[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (const char *at = next(member(rules, side ? "\"dark\"" : "\"light\"")); at; at = next(skip(at)))
            path[side][++length[side] > STEPS ? STEPS + 1 : length[side]] = at;
    steps = length[0];
    NEED(0 < steps && steps <= STEPS && steps == length[1], "paths must be equally long, from 1 to %d tiles", STEPS);
    for (int k = 1; k <= steps; k++) {
        const char *mine = path[0][k], *theirs = path[1][k];
        for (int s = 1; s <= steps; s++) {
            other[k] = same(mine, path[1][s]) ? s : other[k];
            NEED(s == k || !(same(mine, path[0][s]) || same(theirs, path[1][s])), "a path crosses a tile twice");
        }
        grants[k] = listed(all ? rosettes : granting, mine);
        safe[k] = protects && listed(rosettes, mine);
        NEED(listed(rosettes, mine) == listed(rosettes, theirs) && listed(granting, mine) == listed(granting, theirs),
             "the paths are not alike on step %d", k);
        NEED(other[k] ? shared < SHARED : private < PRIVATE, "there are too many tiles");
        tile_on[shared] = k, on_shared[k] = other[k] ? shared++ : -1, on_private[k] = other[k] ? -1 : private++;
    }
    for (int k = 1; k <= steps; k++) /* exchanging the players must change nothing */
        NEED(!other[k] || other[other[k]] == k, "the paths are not alike on step %d", k);
    power[0] = patterns = 1;
    for (int t = 0; t < shared; t++)
        power[t + 1] = patterns = 3 * power[t];
    ordered = room(patterns, sizeof *ordered), mirrored = room(patterns, sizeof *mirrored);
    have[0] = room(patterns, 1), have[1] = room(patterns, 1);
    int *progress = room(patterns, sizeof *progress); /* of a pattern: the steps of all its pieces */
    for (int64_t pattern = 0; pattern < patterns; pattern++)
        for (int t = 0; t < shared; t++) {
            int who = (int)(pattern / power[t] % 3), theirs = other[tile_on[t]];
            if (who) {
                have[who - 1][pattern]++;
                progress[pattern] += who == 1 ? tile_on[t] : theirs;
                mirrored[pattern] += (int32_t)((3 - who) * power[on_shared[theirs]]);
            }
        }
    for (int32_t sum = 2 * steps * shared, *to = ordered; sum >= 0; sum--)
        for (int32_t pattern = 0; pattern < patterns; pattern++)
            if (progress[pattern] == sum)
                *to++ = pattern;
    free(progress);
}

static void show_rules(void) { /* as they were understood: urcx compares them with its own reading */
    printf("rules: %d pieces, rolls", pieces);
    for (int r = 0; r < rolls; r++)
        printf(" %d:%" PRId64 "/%" PRId64, roll[r], part[r], of[r]);
    printf(", %d steps, shared", steps);
    for (int k = 1; k <= steps; k++)
        if (other[k])
            printf(" %d=%d", k, other[k]);
    for (int list = 0; list < 2; list++) {
        fputs(list ? ", safe" : ", again", stdout);
        for (int k = 1; k <= steps; k++)
            if ((list ? safe : grants)[k])
                printf(" %d", k);
    }
    puts(capture_grants ? ", captures again" : "");
}

static void number_masks(void) {
    int64_t masks = INT64_C(1) << private, n = 0;
    number = room(masks, sizeof *number), mask_of = room(masks, sizeof *mask_of);
    for (int most = 0; most <= private; most++) {
        for (uint32_t mask = 0; mask < masks; mask++)
            if (__builtin_popcount(mask) == most)
                number[mask] = n, mask_of[n++] = mask;
        for (int k = most; k <= pieces; k++)
            width[k] = n;
    }
}

/* ---- Layers ---- */
typedef struct {
    int mine, theirs; /* pieces at home */
    int64_t states, offset, *begin; /* of each pattern */
    double *values, *copy; /* in the file, or a copy of it in double precision */
    float *error;     /* w, then e, while its pair is at work; else all e are */
    double gap;       /* the greatest e */
} Layer;

static Layer layers[PIECES * PIECES];
static char *file;         /* mapped */
static uint64_t bytes; /* of the file */
static int handle, item; /* bytes a value */
static double nearly; /* moves whose values differ by less may change places when e is added */

static Layer *layer_of(int mine, int theirs) { return &layers[mine * pieces + theirs]; }
static void open_layer(Layer *layer) {
    int64_t size = 0;
    if (layer->begin)
        return;
    layer->begin = room(patterns, sizeof *layer->begin);
    for (int64_t k = 0; k < patterns; k++) {
        int a = pieces - layer->mine - have[0][ordered[k]], b = pieces - layer->theirs - have[1][ordered[k]];
        layer->begin[ordered[k]] = size;
        size += a >= 0 && b >= 0 ? width[a] * width[b] : 0;
    }
    NEED(size == layer->states, "layer %d-%d should have %" PRId64 " states", layer->mine, layer->theirs, size);
    void *data = file + layer->offset;
    layer->values = item == 8 ? data : (layer->copy = room(size, sizeof(double)));
    for (int64_t n = 0; n < size; n++) {
        if (item < 8)
            layer->values[n] = item == 4 ? (double)((float *)data)[n] : ((uint16_t *)data)[n] / 65535.0;
        NEED(layer->values[n] >= 0 && layer->values[n] <= 1, "value %" PRId64 " of a layer is no chance", n);
    }
}

static void let_go(void) { /* of all layers, and of what was read of the file: it is mapped anew */
    for (Layer *one = layers; one < layers + PIECES * PIECES; one++) {
        free(one->begin), free(one->error), free(one->copy);
        one->begin = NULL, one->error = NULL, one->copy = NULL;
    }
    file = mmap(file, bytes, PROT_READ, MAP_PRIVATE | (file ? MAP_FIXED : 0), handle, 0);
    NEED(file != MAP_FAILED, "the file cannot be mapped: %s", strerror(errno));
}

/* ---- Moves, of all states of a row at once: they differ in the other's private pieces ---- */
typedef struct {
    const Layer *to;      /* NULL: the game is won */
    int64_t base, stride; /* of the state that the row's first leads to, and from it to its next */
    bool again;           /* the same player is to move, there */
} Move;

static Move arrive(const Layer *from, int home, int64_t pattern, uint32_t mask, int64_t columns, bool again) {
    int a = pieces - home - have[0][pattern], b = pieces - from->theirs - have[1][pattern];
    int64_t row = width[a] - 1 - number[mask], shift = width[b] - columns; /* captures make columns more */
    const Layer *to = again ? layer_of(home, from->theirs) : layer_of(from->theirs, home);
    int64_t begin = to->begin[again ? pattern : mirrored[pattern]];
    return again ? (Move){to, begin + row * width[b] + shift, 1, true}
                 : (Move){to, begin + shift * width[a] + row, width[a], false};
}

static int moves_of(const Layer *layer, int64_t pattern, uint32_t mask, int with, Move *found) {
    int count = 0, home = layer->mine, waiting = pieces - home - have[0][pattern] - __builtin_popcount(mask);
    int64_t columns = width[pieces - layer->theirs - have[1][pattern]];
    for (int from = 0; with > 0 && from + with <= steps + 1; from++) {
        int to = from + with, who = 0, tile = from ? on_shared[from] : -1;
        if (!from ? !waiting : tile >= 0 ? pattern / power[tile] % 3 != 1 : !(mask >> on_private[from] & 1))
            continue;
        int64_t after = pattern - (tile >= 0 ? power[tile] : 0);
        uint32_t masked = mask ^ (from && tile < 0 ? UINT32_C(1) << on_private[from] : 0);
        if (to > steps) {
            found[count++] = home + 1 == pieces ? (Move){NULL, 0, 0, true}
                                                : arrive(layer, home + 1, after, masked, columns, false);
            continue;
        }
        if (on_shared[to] < 0) {
            if (mask >> on_private[to] & 1)
                continue;
            masked |= UINT32_C(1) << on_private[to];
        } else {
            who = (int)(pattern / power[on_shared[to]] % 3);
            if (who == 1 || (who == 2 && safe[to]))
                continue;
            after += (who == 2 ? -1 : 1) * power[on_shared[to]];
        }
        found[count++] = arrive(layer, home, after, masked, columns, grants[to] || (who == 2 && capture_grants));
    }
    if (!count)
        found[count++] = arrive(layer, home, pattern, mask, columns, false);
    return count;
}

/* ---- Passes over a layer, on all threads ---- */
static enum { SWEEP, UPPER, LOWER } kind;
static Layer *layer;
static int threads;
static atomic_llong begun;            /* patterns */
static double change, residual, left; /* greatest rise of w; how far V is from its equation; least room in a state */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
    double change, residual, left; /* of what a thread did */
    int counts[ROLLS];
    Move moves[ROLLS][PIECES + 1];
} Work;

/* A row of a layer. SWEEP: one more sweep of w, w(s) = 1 + sum of P(r) w(s') of the best move; nothing of that
   is part of the proof. Else the proof: rounding is upwards for UPPER and downwards for LOWER, so that `sum` is on
   the safe side; what it is compared with is taken one number further to the other side. */
static void do_row(Work *work, int64_t first, int64_t columns) {
    for (int64_t c = 0; c < columns; c++) {
        double sum = 0, plies = 1, value = layer->values[first + c], e = layer->error[first + c];
        for (int r = 0; r < rolls; r++) {
            double best = -4, longest = 0;
            for (const Move *move = work->moves[r]; move < work->moves[r] + work->counts[r]; move++) {
                int64_t n = move->base + c * move->stride;
                double x = !move->to ? 1 : move->again ? move->to->values[n] : 1 - move->to->values[n];
                double off = !move->to ? 0 : move->to->error ? move->to->error[n] : kind == SWEEP ? 0 : move->to->gap;
                if (kind != SWEEP)
                    x = kind == UPPER ? x + off : x - off;
                else if (x > best + nearly || (x >= best - nearly && off > longest))
                    longest = off;
                best = x > best ? x : best;
            }
            sum += chance[(kind == UPPER) == (best >= 0)][r] * best;
            plies += chance[0][r] * longest;
        }
        if (kind == SWEEP) {
            work->change = fmax(work->change, plies - e);
            work->residual = fmax(work->residual, fabs(sum - value));
            layer->error[first + c] = (float)plies;
        } else {
            double spare = kind == UPPER ? nextafter(value + e, -8) - sum : sum - nextafter(value - e, 8);
            work->left = spare > 0 ? fmin(work->left, spare) : -1; /* also if it is no number */
        }
    }
}

static void *work(void *unused) {
    Work own = {.left = 8};
    fesetround(kind == UPPER ? FE_UPWARD : kind == LOWER ? FE_DOWNWARD : FE_TONEAREST);
    for (int64_t k; (k = atomic_fetch_add(&begun, 1)) < patterns;) {
        int a = pieces - layer->mine - have[0][ordered[k]], b = pieces - layer->theirs - have[1][ordered[k]];
        for (int64_t row = 0; a >= 0 && b >= 0 && row < width[a]; row++) {
            for (int r = 0; r < rolls; r++)
                own.counts[r] = moves_of(layer, ordered[k], mask_of[width[a] - 1 - row], roll[r], own.moves[r]);
            do_row(&own, layer->begin[ordered[k]] + row * width[b], width[b]);
        }
    }
    pthread_mutex_lock(&lock);
    change = fmax(change, own.change), residual = fmax(residual, own.residual), left = fmin(left, own.left);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void pass(int what, Layer *over) {
    pthread_t thread[THREADS];
    kind = what, layer = over, begun = 0;
    for (int t = 0; t < threads; t++)
        NEED(!pthread_create(&thread[t], NULL, work, NULL), "no thread could be started");
    for (int t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
}

/* Prove a pair of layers; it fails if no room is left in some state. */
static void prove(Layer *pair[], int count) {
    double behind = 0, before = 0;
    change = 1, left = 0;
    for (int n = 0; n < 4 * count; n++) {
        int i = pair[n / 4]->mine + n % 2, j = pair[n / 4]->theirs; /* all that its moves lead to */
        if (i < pieces) {
            Layer *reached = n % 4 < 2 ? layer_of(i, j) : layer_of(j, i);
            open_layer(reached);
            behind = fmax(behind, reached->gap);
        }
    }
    for (int k = 0; k < count; k++) {
        pair[k]->error = room(pair[k]->states, sizeof(float));
        for (int64_t n = 0; n < pair[k]->states; n++)
            pair[k]->error[n] = 16; /* a guess of w, which saves sweeps */
    }
    for (int sweeps = 0; change > 0.4 && sweeps < 10000; sweeps++) {
        change = residual = 0;
        for (int k = 0; k < count; k++)
            pass(SWEEP, pair[k]);
    }
    double scale = (1.01 * residual + 1e-15) / (1 - fmin(change, 0.9)); /* delta; doubled where that fails */
    for (int attempt = 0; attempt < 40 && !(left > 0); attempt++, before = behind, scale = 2) {
        left = 8;
        for (int k = 0; k < count; k++) {
            pair[k]->gap = 0;
            for (int64_t n = 0; n < pair[k]->states; n++) {
                pair[k]->error[n] = (float)(behind + scale * (pair[k]->error[n] - before));
                pair[k]->gap = fmax(pair[k]->gap, pair[k]->error[n]);
            }
        }
        for (int k = 0; k < count; k++)
            pass(UPPER, pair[k]), pass(LOWER, pair[k]);
    }
}

/* ---- The file ---- */
static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }
/* SHA-256 (FIPS 180-4). Its constants are the first bits of roots of the first primes, behind the point. */
static void hash(char text[65]) {
    uint32_t key[64], state[8], w[64], v[8];
    for (int n = 0, prime = 2, d; n < 64; prime++) {
        for (d = 2; prime % d; d++)
            ;
        long double cube = cbrtl(prime), square = sqrtl(prime);
        if (d == prime) {
            key[n] = (uint32_t)((cube - floorl(cube)) * 4294967296.0L);
            state[n % 8] = n < 8 ? (uint32_t)((square - floorl(square)) * 4294967296.0L) : state[n % 8];
            n++;
        }
    }
    for (uint64_t at = 0; at < bytes + 9; at += 64) {
        uint8_t block[64] = {0};
        if (at % (1 << 28) == 0)
            let_go();
        memcpy(block, file + (at < bytes ? at : 0), at < bytes ? (bytes - at < 64 ? bytes - at : 64) : 0);
        if (at <= bytes && bytes < at + 64)
            block[bytes - at] = 0x80;
        for (int n = 0; at + 64 >= bytes + 9 && n < 8; n++)
            block[63 - n] = (uint8_t)(bytes << 3 >> 8 * n);
        for (int n = 0; n < 64; n++)
            w[n] = n < 16 ? (uint32_t)block[4 * n] << 24 | (uint32_t)block[4 * n + 1] << 16 |
                            (uint32_t)block[4 * n + 2] << 8 | block[4 * n + 3]
                          : w[n - 16] + w[n - 7] + (turn(w[n - 15], 7) ^ turn(w[n - 15], 18) ^ w[n - 15] >> 3) +
                            (turn(w[n - 2], 17) ^ turn(w[n - 2], 19) ^ w[n - 2] >> 10);
        memcpy(v, state, sizeof v);
        for (int n = 0; n < 64; n++) {
            uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + key[n] + w[n];
            uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += one, v[0] = one + two;
        }
        for (int n = 0; n < 8; n++)
            state[n] += v[n];
    }
    for (int n = 0; n < 8; n++)
        sprintf(text + 8 * n, "%08" PRIx32, state[n]);
}

static void read_header(void) {
    uint64_t length, one = 1;
    NEED(*(const char *)&one, "this needs a machine that keeps the low byte first");
    memcpy(&length, file + 8, 8);
    NEED(!memcmp(file, "urcx-tb\n", 8) && length <= bytes - 16 && length <= 1 << 20, "it is no tablebase of urcx");
    char *header = memcpy(room((int64_t)length + 1, 1), file + 16, length); /* ends with a zero */
    for (char *at = header; *at; at++)
        *at = (unsigned char)*at < ' ' ? ' ' : *at; /* nothing that a terminal obeys is shown */
    whole(member(header, "\"format\""), 4, 4, "the format");
    const char *store = member(header, "\"store\"");
    item = same(store, "\"f64\"") ? 8 : same(store, "\"f32\"") ? 4 : same(store, "\"u16\"") ? 2 : 0;
    NEED(item, "values must be f64, f32 or u16");
    nearly = item == 8 ? 1e-12 : item == 4 ? 2e-6 : 2e-3;
    const char *rules = member(header, "\"rules\"");
    const char *known = "[\"name\",\"light\",\"dark\",\"rosettes\",\"pieces\",\"rolls\","
        "\"probabilities\",\"rosette_grants_roll\",\"rosette_protects\",\"capture_grants_roll\"]";
    for (const char *at = next(rules); at; at = next(skip(value_of(at))))
        NEED(listed(known, at), "the rules have what this program does not know: %.40s", at);
    pieces = (int)whole(member(rules, "\"pieces\""), 1, PIECES, "pieces");
    capture_grants = truth(member(rules, "\"capture_grants_roll\""));
    read_paths(rules), read_dice(rules), number_masks();
    for (const char *row = next(member(header, "\"layers\"")); row; row = next(skip(row))) {
        int mine = (int)whole(member(row, "\"light\""), 0, pieces - 1, "pieces home");
        int theirs = (int)whole(member(row, "\"dark\""), 0, pieces - 1, "pieces home");
        int64_t states = whole(member(row, "\"states\""), 1, (int64_t)bytes / item, "states");
        int64_t offset = whole(member(row, "\"offset\""), 16, (int64_t)bytes - states * item, "an offset");
        NEED(offset % item == 0 && !layer_of(mine, theirs)->states, "layer %d-%d does not lie where it can", mine, theirs);
        *layer_of(mine, theirs) = (Layer){.mine = mine, .theirs = theirs, .states = states, .offset = offset};
    }
    for (int k = 0; k < pieces * pieces; k++)
        NEED(layers[k].states, "the header has no layer %d-%d", k / pieces, k % pieces);
}

int main(int argc, char **argv) {
    struct stat about;
    NEED(argc == 2 || argc == 3, "usage: urcx-check FILE [THREADS]");
    long cores = argc == 3 ? (long)whole(argv[2], 1, THREADS, "threads") : sysconf(_SC_NPROCESSORS_ONLN);
    threads = cores < 1 ? 1 : cores > THREADS ? THREADS : (int)cores;
    handle = open(argv[1], O_RDONLY | O_NONBLOCK); /* a FIFO is not waited for */
    NEED(handle >= 0 && !fstat(handle, &about), "%s: %s", argv[1], strerror(errno));
    NEED(S_ISREG(about.st_mode) && about.st_size > 24, "%s is no tablebase", argv[1]);
    bytes = (uint64_t)about.st_size, let_go(), read_header();
    double least = 8, widest = 0, value = 0, e = 0;
    int64_t states = 0;
    for (int i = pieces - 1; i >= 0; i--)
        for (int j = i; j >= 0; j--) { /* after layers (i + 1, j) and (i, j + 1), which (i, j) leads to */
            Layer *pair[] = {layer_of(i, j), layer_of(j, i)}, **end = pair + 1 + (i != j);
            prove(pair, (int)(end - pair));
            least = fmin(least, left);
            if (!(left > 0 && pair[0]->gap < 1))
                return printf("NOT PROVEN: the values of layers %d-%d and %d-%d are not near a solution\n", i, j, j, i), 1;
            for (Layer **one = pair; one < end; one++)
                widest = fmax(widest, 1.001 * (*one)->gap), states += (*one)->states;
            if (isatty(2) || getenv("URCX_CHECK_PROGRESS"))
                fprintf(stderr, "\r%" PRId64 " states ", states);
            int64_t opening = pair[0]->begin[0] + width[pieces - i] * width[pieces - j] - 1;
            value = pair[0]->values[opening], e = pair[0]->error[opening]; /* in the end, of layer 0-0 */
            let_go();
        }
    char text[65];
    hash(text);
    printf("%sproven: who begins wins with a chance of\n  at least %.17g\n  at most  %.17g\n", isatty(2) ? "\n" : "",
           nextafter(value - e, -8), nextafter(value + e, 8));
    printf("any of %" PRId64 " values is off by at most %.3g\nroom left in every state: %.3g\nSHA-256 of the file: %s\n",
           states, widest, least, text);
    show_rules();
    return 0;
}
