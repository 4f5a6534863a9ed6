/* Sums of matrix rows, in the widest registers that the processor has.
 *
 * Entries are treated alike and each on its own, without fused multiply-adds, so that every width
 * gives the same bits. */
#ifndef RBDYN_ROWS_H
#define RBDYN_ROWS_H
#include <stddef.h>
#include "real.h"

#if defined(__GNUC__) && !defined(LANES)
#define RBDYN_WIDE 1
typedef double rbdyn_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double rbdyn_two __attribute__((vector_size(16), aligned(8), may_alias));
#define RBDYN_AT(type, p) (*(type *)(p))
#define RBDYN_READ(type, p) (*(const type *)(p))
#define RBDYN_BODY static inline __attribute__((always_inline, unused))
#else
#define RBDYN_BODY RBDYN_INLINE
#endif

/* y <- s y - sum of l[k] (x + at[k]), for `count` rows of n entries that start at x + at[k]. */
RBDYN_BODY void rbdyn_gather_any(ptrdiff_t n, real *y, real s, const real *l, const real *x, const ptrdiff_t *at, int count) {
    ptrdiff_t c = 0;
    int k;
#if defined(RBDYN_WIDE)
    for (; c + 16 <= n; c += 16) {
        rbdyn_four a0 = s * RBDYN_READ(rbdyn_four, y + c), a1 = s * RBDYN_READ(rbdyn_four, y + c + 4);
        rbdyn_four a2 = s * RBDYN_READ(rbdyn_four, y + c + 8), a3 = s * RBDYN_READ(rbdyn_four, y + c + 12);
        for (k = 0; k < count; k++) {
            const real *r = x + at[k] + c;
            a0 -= l[k] * RBDYN_READ(rbdyn_four, r);
            a1 -= l[k] * RBDYN_READ(rbdyn_four, r + 4);
            a2 -= l[k] * RBDYN_READ(rbdyn_four, r + 8);
            a3 -= l[k] * RBDYN_READ(rbdyn_four, r + 12);
        }
        RBDYN_AT(rbdyn_four, y + c) = a0;
        RBDYN_AT(rbdyn_four, y + c + 4) = a1;
        RBDYN_AT(rbdyn_four, y + c + 8) = a2;
        RBDYN_AT(rbdyn_four, y + c + 12) = a3;
    }
    for (; c + 4 <= n; c += 4) {
        rbdyn_four a = s * RBDYN_READ(rbdyn_four, y + c);
        for (k = 0; k < count; k++) a -= l[k] * RBDYN_READ(rbdyn_four, x + at[k] + c);
        RBDYN_AT(rbdyn_four, y + c) = a;
    }
    for (; c + 2 <= n; c += 2) {
        rbdyn_two a = s * RBDYN_READ(rbdyn_two, y + c);
        for (k = 0; k < count; k++) a -= l[k] * RBDYN_READ(rbdyn_two, x + at[k] + c);
        RBDYN_AT(rbdyn_two, y + c) = a;
    }
#endif
    for (; c < n; c++) {
        real a = s * y[c];
        for (k = 0; k < count; k++) a -= l[k] * x[at[k] + c];
        y[c] = a;
    }
}

/* (y + at[k]) <- (y + at[k]) - l[k] x, for `count` rows of n entries. */
RBDYN_BODY void rbdyn_spread_any(ptrdiff_t n, const real *x, const real *l, real *y, const ptrdiff_t *at, int count) {
    ptrdiff_t c = 0;
    int k;
#if defined(RBDYN_WIDE)
    for (; c + 16 <= n; c += 16) {
        rbdyn_four a0 = RBDYN_READ(rbdyn_four, x + c), a1 = RBDYN_READ(rbdyn_four, x + c + 4);
        rbdyn_four a2 = RBDYN_READ(rbdyn_four, x + c + 8), a3 = RBDYN_READ(rbdyn_four, x + c + 12);
        for (k = 0; k < count; k++) {
            real *r = y + at[k] + c;
            RBDYN_AT(rbdyn_four, r) -= l[k] * a0;
            RBDYN_AT(rbdyn_four, r + 4) -= l[k] * a1;
            RBDYN_AT(rbdyn_four, r + 8) -= l[k] * a2;
            RBDYN_AT(rbdyn_four, r + 12) -= l[k] * a3;
        }
    }
    for (; c + 4 <= n; c += 4) {
        rbdyn_four a = RBDYN_READ(rbdyn_four, x + c);
        for (k = 0; k < count; k++) RBDYN_AT(rbdyn_four, y + at[k] + c) -= l[k] * a;
    }
    for (; c + 2 <= n; c += 2) {
        rbdyn_two a = RBDYN_READ(rbdyn_two, x + c);
        for (k = 0; k < count; k++) RBDYN_AT(rbdyn_two, y + at[k] + c) -= l[k] * a;
    }
#endif
    for (; c < n; c++)
        for (k = 0; k < count; k++) y[at[k] + c] -= l[k] * x[c];
}

#if defined(RBDYN_WIDE) && defined(__x86_64__)
static __attribute__((target("avx2"), noinline, unused)) void rbdyn_gather_avx2(
    ptrdiff_t n, real *y, real s, const real *l, const real *x, const ptrdiff_t *at, int count) {
    rbdyn_gather_any(n, y, s, l, x, at, count);
}
static __attribute__((target("avx2"), noinline, unused)) void rbdyn_spread_avx2(
    ptrdiff_t n, const real *x, const real *l, real *y, const ptrdiff_t *at, int count) {
    rbdyn_spread_any(n, x, l, y, at, count);
}
#define RBDYN_DISPATCH(wide, narrow) (__builtin_cpu_supports("avx2") ? wide : narrow)
#else
#define rbdyn_gather_avx2 rbdyn_gather_any
#define rbdyn_spread_avx2 rbdyn_spread_any
#define RBDYN_DISPATCH(wide, narrow) narrow
#endif

RBDYN_INLINE void gather_rows(ptrdiff_t n, real *y, real s, const real *l, const real *x, const ptrdiff_t *at, int count) {
    RBDYN_DISPATCH(rbdyn_gather_avx2, rbdyn_gather_any)(n, y, s, l, x, at, count);
}

RBDYN_INLINE void spread_row(ptrdiff_t n, const real *x, const real *l, real *y, const ptrdiff_t *at, int count) {
    RBDYN_DISPATCH(rbdyn_spread_avx2, rbdyn_spread_any)(n, x, l, y, at, count);
}
#endif
