/* Rows of numbers, one for each lane, to vectors of lanes and back: blocks of LANES by LANES are turned in registers. */
#ifndef RBDYN_TRANSPOSE_H
#define RBDYN_TRANSPOSE_H
#include "real.h"

#if defined(LANES) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define RBDYN_TURNS 1
#endif
#endif

#if defined(RBDYN_TURNS)
#define RBDYN_UNROLL _Pragma("GCC unroll 8") /* or x would lie in memory */
typedef double rbdyn_row __attribute__((vector_size(8 * LANES), aligned(8), may_alias)); /* LANES numbers anywhere in memory */

/* Element (i, j) changes places with (j, i).  Stage s exchanges blocks of s by s beside the diagonal. */
#define RBDYN_EXCHANGE(i, j, first, second) \
    do { \
        const real a = x[i], b = x[j]; \
        x[i] = __builtin_shufflevector(a, b, RBDYN_LIST first); \
        x[j] = __builtin_shufflevector(a, b, RBDYN_LIST second); \
    } while (0)
#define RBDYN_LIST(...) __VA_ARGS__
RBDYN_INLINE void rbdyn_turn(real *x) {
    int i;
    RBDYN_UNROLL for (i = 0; i < 4; i += 2) RBDYN_EXCHANGE(i, i + 1, (0, 4, 2, 6), (1, 5, 3, 7));
    RBDYN_UNROLL for (i = 0; i < 2; i++) RBDYN_EXCHANGE(i, i + 2, (0, 1, 4, 5), (2, 3, 6, 7));
}
#endif

#define RBDYN_WIDTH ((int)(sizeof(real) / sizeof(double)))

/* A row of `width` numbers for each lane; where there are fewer rows than lanes, the last one again. */
RBDYN_INLINE void rbdyn_gather(const double *rows, int width, int left, real *into) {
    const double *row[RBDYN_WIDTH];
    int lane, k = 0;
    for (lane = 0; lane < RBDYN_WIDTH; lane++) row[lane] = rows + (size_t)(lane < left ? lane : left - 1) * width;
#if defined(RBDYN_TURNS)
    for (; k + LANES <= width; k += LANES) {
        real x[LANES];
        RBDYN_UNROLL for (lane = 0; lane < LANES; lane++) x[lane] = *(const rbdyn_row *)(row[lane] + k);
        rbdyn_turn(x);
        RBDYN_UNROLL for (lane = 0; lane < LANES; lane++) into[k + lane] = x[lane];
    }
#endif
    for (lane = 0; lane < RBDYN_WIDTH; lane++) {
        int j;
        for (j = k; j < width; j++) ((double *)into)[j * RBDYN_WIDTH + lane] = row[lane][j];
    }
}

/* Back to a row for each lane, `stride` numbers from one to the next. */
RBDYN_INLINE void rbdyn_scatter(const real *from, size_t width, int left, double *rows, size_t stride) {
    const int n = left < RBDYN_WIDTH ? left : RBDYN_WIDTH;
    size_t k = 0, j;
    int lane;
#if defined(RBDYN_TURNS)
    for (; n == LANES && k + LANES <= width; k += LANES) {
        real x[LANES];
        RBDYN_UNROLL for (lane = 0; lane < LANES; lane++) x[lane] = from[k + lane];
        rbdyn_turn(x);
        RBDYN_UNROLL for (lane = 0; lane < LANES; lane++) *(rbdyn_row *)(rows + lane * stride + k) = x[lane];
    }
#endif
    for (lane = 0; lane < n; lane++)
        for (j = k; j < width; j++) rows[lane * stride + j] = ((const double *)from)[j * RBDYN_WIDTH + lane];
}
#endif
