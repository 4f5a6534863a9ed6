# Anderson acceleration of a fixed-point iteration x -> g(x) (Anderson 1965; Walker and Ni, SIAM J. Numer. Anal. 2011).
#
# With f = g(x) - x and the last m differences dF, dG, the next iterate is g - dG gamma, where gamma minimises
# |f - dF gamma|.  Here x is all impulses and g one Gauss-Seidel sweep.

cdef enum:
    WINDOW = 5               # differences kept
    LONGEST_WAIT = 16        # sweeps

cdef struct Anderson:        # workspace; grows by doubling and is reused
    int size                 # length of x
    int count                # differences held, at most WINDOW
    int newest               # slot of the newest difference
    bint started             # x, f and g hold the sweep before
    double best              # smallest sweep error since the last restart
    int wait                 # sweeps without a step after the next failure
    int pause                # sweeps still to go without one
    double damping           # share of a step that is taken
    double* memory           # one allocation for all arrays below
    size_t capacity          # doubles in it
    double* kept             # (size,) the best impulses so far, what a bad step goes back to
    double* x                # (size,) before the sweep
    double* f                # (size,) g - x of the sweep before
    double* g                # (size,) after the sweep before
    double* weight           # (size,) of the scalar product
    double* direction        # (size,) of drift.pyx
    double* dF               # (WINDOW, size)
    double* dG               # (WINDOW, size)
    double gram[5][5]        # dF_j . dF_k


cdef int begin(Anderson* A, int size, size_t* reallocations) except -1 nogil
cdef void restart(Anderson* A) noexcept nogil
cdef void fail(Anderson* A) noexcept nogil
cdef bint extrapolate(Anderson* A, const double* g, double error, double* out) noexcept nogil
cdef void release(Anderson* A) noexcept nogil
