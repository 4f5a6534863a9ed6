# Steps round to nearest, and keep subnormal numbers, whatever the calling thread has set.

cdef extern from *:
    """
    #if defined(__SSE2__) || defined(_M_X64)
    #include <immintrin.h>
    #define RBDYN_MODE 0xE040u      /* of MXCSR: how results are rounded, and whether subnormal numbers become 0 */
    static inline unsigned take_rounding(void) {
        unsigned mode = _mm_getcsr();
        if (mode & RBDYN_MODE) _mm_setcsr(mode & ~RBDYN_MODE);
        return mode & RBDYN_MODE;
    }
    static inline void give_back_rounding(unsigned mode) {
        if (mode) _mm_setcsr(_mm_getcsr() | mode);
    }
    #else
    #include <fenv.h>
    static inline unsigned take_rounding(void) {
        int mode = fegetround();
        if (mode != FE_TONEAREST && mode >= 0) fesetround(FE_TONEAREST);
        return (unsigned)mode;
    }
    static inline void give_back_rounding(unsigned mode) {
        if ((int)mode != FE_TONEAREST && (int)mode >= 0) fesetround((int)mode);
    }
    #endif
    """
    unsigned take_rounding() noexcept nogil                  # the mode of this thread, for `give_back_rounding`
    void give_back_rounding(unsigned mode) noexcept nogil
