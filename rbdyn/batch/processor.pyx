"""Which vector instructions this processor has, as the compiler's library says."""

cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
    static int has_avx2(void) { __builtin_cpu_init(); return __builtin_cpu_supports("avx2") != 0; }
    #else
    static int has_avx2(void) { return 0; }
    #endif
    """
    bint has_avx2()


def instructions():
    """Names of those that kernels are compiled for, beside what every processor has."""
    return ("avx2",) if has_avx2() else ()
