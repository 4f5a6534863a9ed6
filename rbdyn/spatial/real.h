/* The scalar type of every kernel, and the two helpers a kernel needs beyond + - * /.
 *
 * `real` is double.  Under -DLANES=4 or 8 it is a GCC vector of that many
 * doubles, and the same kernels then work on that many states at once.  A kernel
 * therefore never branches on a real; it calls sincos_r and splat instead of
 * sin, cos and literals. */
#ifndef RBDYN_REAL_H
#define RBDYN_REAL_H
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(LANES) && defined(__AVX__)
#include <immintrin.h>
#endif

#if defined(_MSC_VER)
#define RBDYN_INLINE static __inline
#define RBDYN_OUTLINED
#else
#define RBDYN_INLINE static inline __attribute__((unused))
#define RBDYN_OUTLINED __attribute__((noinline))
#endif

/* sin and cos of |x| < 1e5 without a branch on the quadrant; `number` is a double, or a vector of them.
 *
 * Argument reduction: Cody and Waite (1980), pi/2 in three parts of 33 bits, exact
 * products.  Kernel polynomials: the minimax coefficients published with fdlibm (Sun
 * Microsystems, 1993), |error| < 2^-57 on |r| < pi/4.  Absolute error below 1.2e-16.
 * Adding 1.5 * 2^52 rounds to an integer, whose low bits are the quadrant. */
#define RBDYN_SINCOS(name, number, bits) \
    RBDYN_INLINE void name(number x, number *sine, number *cosine) { \
        number k = x * 6.36619772367581382433e-01 + 6755399441055744.0, r, z, w, s, c; \
        bits n, odd, sb, cb, both; \
        memcpy(&n, &k, sizeof k); \
        k -= 6755399441055744.0; \
        r = ((x - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21; \
        z = r * r; \
        s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 \
          + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 \
          + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))))); \
        w = 1.0 - 0.5 * z; \
        c = w + (((1.0 - w) - 0.5 * z) + z * z * (4.16666666666666019037e-02 \
          + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 \
          + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 \
          - z * 1.13596475577881948265e-11)))))); \
        memcpy(&sb, &s, sizeof s); \
        memcpy(&cb, &c, sizeof c); \
        odd = 0 - (n & 1); /* there sine and cosine change places */ \
        both = (sb ^ cb) & odd; \
        sb ^= both ^ ((n & 2) << 62); \
        cb ^= both ^ (((n + 1) & 2) << 62); \
        memcpy(sine, &sb, sizeof s); \
        memcpy(cosine, &cb, sizeof c); \
    }

RBDYN_SINCOS(rbdyn_sincos_near, double, uint64_t)

/* Larger arguments, infinities and NaN go to the C library. */
RBDYN_INLINE void rbdyn_sincos(double x, double *sine, double *cosine) {
    if (fabs(x) < 1e5) {
        rbdyn_sincos_near(x, sine, cosine);
    } else {
        *sine = sin(x);
        *cosine = cos(x);
    }
}

#if defined(LANES)
typedef double real __attribute__((vector_size(8 * LANES)));
typedef uint64_t rbdyn_bits __attribute__((vector_size(8 * LANES)));
RBDYN_SINCOS(rbdyn_sincos_lanes, real, rbdyn_bits)
RBDYN_INLINE real splat(double x) { return x - (real){0}; }
RBDYN_INLINE void sincos_r(real x, real *sine, real *cosine) {
    int i, near = 1;
    for (i = 0; i < LANES; i++) near &= fabs(x[i]) < 1e5;
    if (near) {
        rbdyn_sincos_lanes(x, sine, cosine);
        return;
    }
    for (i = 0; i < LANES; i++) {
        double s, c;
        rbdyn_sincos(x[i], &s, &c);
        (*sine)[i] = s;
        (*cosine)[i] = c;
    }
}
RBDYN_INLINE real sqrt_r(real x) {
#if LANES == 4 && defined(__AVX__)
    return (real)_mm256_sqrt_pd((__m256d)x);
#else
    int i;
    for (i = 0; i < LANES; i++) x[i] = sqrt(x[i]);
    return x;
#endif
}
RBDYN_INLINE real max_r(real a, real b) { /* b where either is NaN */
    const rbdyn_bits first = (rbdyn_bits)(a > b);
    return (real)(((rbdyn_bits)a & first) | ((rbdyn_bits)b & ~first));
}
RBDYN_INLINE real min_r(real a, real b) { return -max_r(-a, -b); }
RBDYN_INLINE int all_above(real a, real b) {
    int i, yes = 1;
    for (i = 0; i < LANES; i++) yes &= a[i] > b[i];
    return yes;
}
#else
typedef double real;
RBDYN_INLINE real splat(double x) { return x; }
RBDYN_INLINE void sincos_r(real x, real *sine, real *cosine) { rbdyn_sincos(x, sine, cosine); }
RBDYN_INLINE real sqrt_r(real x) { return sqrt(x); }
RBDYN_INLINE real max_r(real a, real b) { return a > b ? a : b; }
RBDYN_INLINE real min_r(real a, real b) { return -max_r(-a, -b); }
RBDYN_INLINE int all_above(real a, real b) { return a > b; }
#endif
#endif
