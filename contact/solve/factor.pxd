# L U factors of a matrix within its envelope: row i and column i begin at the same unknown first[i].
#
# George and Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), chapter 4.  No pivots are chosen:
# the matrices are a mass matrix plus a term that is positive semidefinite, or nearly so; one whose pivot is not
# positive is refused.  A robot's tips come before its base and bodies stand in the order of Cuthill and McKee, so that
# factors stay within.

cdef struct Envelope:
    int n
    double work              # multiplications that a factorisation takes
    const int* first         # (n,) not owned
    size_t* start            # (n + 1,) lower[start[i] + j - first[i]] is entry (i, j), upper[...] is entry (j, i)
    double* lower
    double* upper
    bint unit                # the mass matrix is 1
    double* mass             # what every matrix begins with, as upper
    double* mass_lower       # its factors
    double* mass_upper
    size_t capacity[6]
    size_t reallocations

cdef int open_envelope(Envelope* E, int n, const int* first) except -1 nogil
cdef void set_unit_mass(Envelope* E) noexcept nogil
cdef bint factor_mass(Envelope* E) noexcept nogil
cdef void times_mass(const Envelope* E, const double* x, double* y) noexcept nogil
cdef void solve_mass(const Envelope* E, double* x) noexcept nogil
cdef void begin_matrix(Envelope* E, bint symmetric) noexcept nogil
cdef bint factor(Envelope* E, bint symmetric) noexcept nogil
cdef void solve_factored(const Envelope* E, double* x) noexcept nogil
cdef void release_envelope(Envelope* E) noexcept nogil
