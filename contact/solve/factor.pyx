"""L U factors within an envelope: factor.pxd."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.memory cimport grow

cdef extern from "envelope.h" nogil:
    int rbdyn_factor(int n, const int* first, const size_t* start, double* lower, double* upper, bint symmetric)


cdef void release_envelope(Envelope* E) noexcept nogil:
    """Give all memory back."""
    free(E.start)
    free(E.lower)
    free(E.upper)
    free(E.mass)
    free(E.mass_lower)
    free(E.mass_upper)
    memset(E, 0, sizeof(Envelope))


cdef int open_envelope(Envelope* E, int n, const int* first) except -1 nogil:
    """Lay out a matrix of n unknowns; `first` must outlive it."""
    cdef size_t total = 0
    cdef int i
    E.reallocations += grow(<void**> &E.start, &E.capacity[0], n + 1, sizeof(size_t))
    E.n, E.first, E.work = n, first, 0.0
    for i in range(n):
        E.start[i] = total
        total += i - first[i] + 1
        E.work += <double> (i - first[i] + 1) * (i - first[i] + 1)
    E.start[n] = total
    E.reallocations += grow(<void**> &E.lower, &E.capacity[1], total, sizeof(double))
    E.reallocations += grow(<void**> &E.upper, &E.capacity[2], total, sizeof(double))
    E.reallocations += grow(<void**> &E.mass, &E.capacity[3], total, sizeof(double))
    E.reallocations += grow(<void**> &E.mass_lower, &E.capacity[4], total, sizeof(double))
    E.reallocations += grow(<void**> &E.mass_upper, &E.capacity[5], total, sizeof(double))
    return 0


cdef void set_unit_mass(Envelope* E) noexcept nogil:
    """Let matrices begin with 1."""
    cdef int i
    E.unit = True
    memset(E.mass, 0, E.start[E.n] * sizeof(double))
    for i in range(E.n):
        E.mass[E.start[i + 1] - 1] = 1.0


cdef void begin_matrix(Envelope* E, bint symmetric) noexcept nogil:
    """Start a matrix with `mass`; of a symmetric one its lower triangle is not read."""
    memcpy(E.upper, E.mass, E.start[E.n] * sizeof(double))
    if not symmetric:
        memcpy(E.lower, E.mass, E.start[E.n] * sizeof(double))


cdef inline double dot(const double* a, const double* b, int n) noexcept nogil:
    """a . b in four sums, which the processor adds side by side."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef int k = 0
    while k + 4 <= n:
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
        k += 4
    while k < n:
        s0 += a[k] * b[k]
        k += 1
    return (s0 + s1) + (s2 + s3)


cdef bint factor(Envelope* E, bint symmetric) noexcept nogil:
    """Replace the matrix by its factors; False if a pivot is not positive.

    L has a unit diagonal.  A symmetric matrix is read from `upper` alone.
    """
    return rbdyn_factor(E.n, E.first, E.start, E.lower, E.upper, symmetric)


cdef inline void solve(const Envelope* E, const double* lower, const double* upper, double* x) noexcept nogil:
    """x <- (L U)^-1 x."""
    cdef const double* u
    cdef int i, j, fi
    for i in range(E.n):
        fi = E.first[i]
        x[i] -= dot(lower + E.start[i], x + fi, i - fi)
    for i in range(E.n - 1, -1, -1):
        fi = E.first[i]
        u = upper + E.start[i] - fi
        x[i] /= u[i]
        for j in range(fi, i):
            x[j] -= u[j] * x[i]


cdef void solve_factored(const Envelope* E, double* x) noexcept nogil:
    """x <- (L U)^-1 x of the matrix."""
    solve(E, E.lower, E.upper, x)


cdef bint factor_mass(Envelope* E) noexcept nogil:
    """Factor the mass matrix, which is not 1; False if a pivot is not positive."""
    E.unit = False
    memcpy(E.mass_upper, E.mass, E.start[E.n] * sizeof(double))
    return rbdyn_factor(E.n, E.first, E.start, E.mass_lower, E.mass_upper, True)


cdef void solve_mass(const Envelope* E, double* x) noexcept nogil:
    """x <- M^-1 x."""
    if not E.unit:
        solve(E, E.mass_lower, E.mass_upper, x)


cdef void times_mass(const Envelope* E, const double* x, double* y) noexcept nogil:
    """y = M x."""
    cdef const double* column
    cdef int i, j, fi
    if E.unit:
        memcpy(y, x, E.n * sizeof(double))
        return
    for i in range(E.n):
        fi = E.first[i]
        column = E.mass + E.start[i] - fi
        y[i] = column[i] * x[i] + dot(column + fi, x + fi, i - fi)
        for j in range(fi, i):
            y[j] += column[j] * x[i]
