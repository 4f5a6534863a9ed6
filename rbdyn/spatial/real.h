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

#if defined(_MSC_VER)
#define RBDYN_INLINE static __inline
#define RBDYN_OUTLINED
#else
#define RBDYN_INLINE static inline __attribute__((unused))
#define RBDYN_OUTLINED __attribute__((noinline))
#endif

/* sin and cos of one double, without a branch on the quadrant.
 *
 * Argument reduction: Cody and Waite (1980), pi/2 in three parts of 33 bits, exact
 * products for |x| < 1e5.  Kernel polynomials: the minimax coefficients published with
 * fdlibm (Sun Microsystems, 1993), |error| < 2^-57 on |r| < pi/4.  Absolute error below
 * 1.2e-16; larger arguments, infinities and NaN go to the C library. */
RBDYN_INLINE void rbdyn_sincos(double x, double *sine, double *cosine) {
    const double round = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    double k, r, z, w, sr, cr;
    uint64_t n, su, cu, swap, bits_s, bits_c;
    if (!(fabs(x) < 1e5)) {
        *sine = sin(x);
        *cosine = cos(x);
        return;
    }
    k = x * 6.36619772367581382433e-01 + round;
    memcpy(&n, &k, 8); /* the low bits are the quadrant */
    k -= round;
    r = ((x - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;
    z = r * r;
    sr = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
       + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
       + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    w = 1.0 - 0.5 * z;
    cr = w + (((1.0 - w) - 0.5 * z) + z * z * (4.16666666666666019037e-02
       + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05
       + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09
       - z * 1.13596475577881948265e-11))))));
    memcpy(&su, &sr, 8);
    memcpy(&cu, &cr, 8);
    swap = 0 - (n & 1); /* odd quadrant: sine and cosine change places */
    bits_s = ((su & ~swap) | (cu & swap)) ^ ((n & 2) << 62);
    bits_c = ((cu & ~swap) | (su & swap)) ^ (((n + 1) & 2) << 62);
    memcpy(sine, &bits_s, 8);
    memcpy(cosine, &bits_c, 8);
}

#if defined(LANES)
typedef double real __attribute__((vector_size(8 * LANES)));
RBDYN_INLINE real splat(double x) { return x - (real){0}; }
RBDYN_INLINE void sincos_r(real x, real *sine, real *cosine) {
    int i;
    for (i = 0; i < LANES; i++) {
        double s, c;
        rbdyn_sincos(x[i], &s, &c);
        (*sine)[i] = s;
        (*cosine)[i] = c;
    }
}
RBDYN_INLINE real sqrt_r(real x) {
    int i;
    for (i = 0; i < LANES; i++) x[i] = sqrt(x[i]);
    return x;
}
#else
typedef double real;
RBDYN_INLINE real splat(double x) { return x; }
RBDYN_INLINE void sincos_r(real x, real *sine, real *cosine) { rbdyn_sincos(x, sine, cosine); }
RBDYN_INLINE real sqrt_r(real x) { return sqrt(x); }
#endif
#endif
