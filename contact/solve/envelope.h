/* One row and column of L U factors within an envelope (factor.pxd), in the widest registers that the processor has.
 *
 * Sums are of eight parts whatever the width, without fused multiply-adds, so that every width gives the same bits. */
#ifndef RBDYN_ENVELOPE_H
#define RBDYN_ENVELOPE_H
#include <stddef.h>

#if defined(__GNUC__)
#define RBDYN_ENVELOPE_BODY static inline __attribute__((always_inline, unused))
typedef double rbdyn_part __attribute__((vector_size(32), aligned(8), may_alias));
#else
#define RBDYN_ENVELOPE_BODY static __inline
#endif

/* a . b of n numbers. */
RBDYN_ENVELOPE_BODY double rbdyn_dot_any(const double *a, const double *b, int n) {
    double s = 0.0;
    int k = 0;
#if defined(__GNUC__)
    if (n >= 8) {
        rbdyn_part p = *(const rbdyn_part *)a * *(const rbdyn_part *)b;
        rbdyn_part q = *(const rbdyn_part *)(a + 4) * *(const rbdyn_part *)(b + 4);
        for (k = 8; k + 8 <= n; k += 8) {
            p += *(const rbdyn_part *)(a + k) * *(const rbdyn_part *)(b + k);
            q += *(const rbdyn_part *)(a + k + 4) * *(const rbdyn_part *)(b + k + 4);
        }
        p += q;
        s = (p[0] + p[1]) + (p[2] + p[3]);
    }
#endif
    for (; k < n; k++) s += a[k] * b[k];
    return s;
}

/* Row and column i from `first[i]` on; returns the pivot.  l and u are pointers such that l[j] is entry (i, j). */
RBDYN_ENVELOPE_BODY double rbdyn_eliminate_any(int i, const int *first, const size_t *start, double *lower, double *upper,
                                               int symmetric) {
    const int fi = first[i];
    double *l = lower + start[i] - fi, *u = upper + start[i] - fi;
    int j;
    for (j = fi; j < i; j++) {
        const int fj = first[j], low = fi > fj ? fi : fj;
        const double *lj = lower + start[j] - fj, *uj = upper + start[j] - fj;
        u[j] -= rbdyn_dot_any(lj + low, u + low, j - low);
        l[j] = symmetric ? u[j] / uj[j] : (l[j] - rbdyn_dot_any(l + low, uj + low, j - low)) / uj[j];
    }
    return u[i] - rbdyn_dot_any(l + fi, u + fi, i - fi);
}

#if defined(__GNUC__) && defined(__x86_64__)
static __attribute__((target("avx2"), noinline, unused)) double rbdyn_eliminate_avx2(
    int i, const int *first, const size_t *start, double *lower, double *upper, int symmetric) {
    return rbdyn_eliminate_any(i, first, start, lower, upper, symmetric);
}
#define RBDYN_HAS_WIDE __builtin_cpu_supports("avx2")
#else
#define rbdyn_eliminate_avx2 rbdyn_eliminate_any
#define RBDYN_HAS_WIDE 0
#endif

/* Replace the matrix by its factors; 0 if a pivot is not positive. */
static int rbdyn_factor(int n, const int *first, const size_t *start, double *lower, double *upper, int symmetric) {
    const int wide = RBDYN_HAS_WIDE;
    double pivot;
    int i;
    for (i = 0; i < n; i++) {
        pivot = wide ? rbdyn_eliminate_avx2(i, first, start, lower, upper, symmetric)
                     : rbdyn_eliminate_any(i, first, start, lower, upper, symmetric);
        if (!(pivot > 0.0)) return 0;
        upper[start[i + 1] - 1] = pivot;
    }
    return 1;
}
#endif
