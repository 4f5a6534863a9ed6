"""Anderson acceleration, window 5, on memory that is reused."""

from libc.math cimport INFINITY, isfinite, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.memory cimport grow


cdef int begin(Anderson* A, int size, size_t* reallocations) except -1 nogil:
    """Room for iterates of length `size`, and no history."""
    reallocations[0] += grow(<void**>&A.memory, &A.capacity, (6 + 2 * WINDOW) * <size_t>size, sizeof(double))
    A.size = size
    A.x = A.memory
    A.f = A.x + size
    A.g = A.f + size
    A.weight = A.g + size
    A.dF = A.weight + size
    A.dG = A.dF + WINDOW * size
    A.kept = A.dG + WINDOW * size
    A.direction = A.kept + size
    A.wait, A.pause, A.damping = 2, 0, 1.0
    restart(A)
    return 0


cdef void restart(Anderson* A) noexcept nogil:
    """Forget the history."""
    A.count = 0
    A.newest = -1
    A.started = False
    A.best = INFINITY


cdef void fail(Anderson* A) noexcept nogil:
    """A step was taken back: forget the history, step half as far, and only after more and more plain sweeps.

    The step from the same history would be the same again.
    """
    restart(A)
    A.pause = A.wait
    A.wait = min(2 * A.wait, <int> LONGEST_WAIT)
    A.damping = max(0.5 * A.damping, 0.25)


cdef void release(Anderson* A) noexcept nogil:
    """Give all memory back."""
    free(A.memory)
    memset(A, 0, sizeof(Anderson))


cdef inline const double* difference(const Anderson* A, int j) noexcept nogil:
    """dF of a place in the ring; the first one's instead of one that is not written yet."""
    return A.dF + (j if j < A.count else 0) * A.size


cdef void weighted_dots(const Anderson* A, const double* a, double* out) noexcept nogil:
    """The weighted products of a and each dF, by place in the ring: all in one go, as each addition waits for the last.
    """
    cdef const double* b = difference(A, 0)
    cdef const double* c = difference(A, 1)
    cdef const double* d = difference(A, 2)
    cdef const double* e = difference(A, 3)
    cdef const double* f = difference(A, 4)
    cdef double w, x = 0.0, y = 0.0, z = 0.0, u = 0.0, v = 0.0
    cdef int i
    for i in range(A.size):
        w = A.weight[i] * a[i]
        x += w * b[i]
        y += w * c[i]
        z += w * d[i]
        u += w * e[i]
        v += w * f[i]
    out[0], out[1], out[2], out[3], out[4] = x, y, z, u, v


cdef void record(Anderson* A, const double* g) noexcept nogil:
    """Put this sweep's differences into the ring and keep its f and g."""
    cdef double* dF
    cdef double* dG
    cdef double products[5]
    cdef double f
    cdef int i, j
    if A.started:
        A.newest = (A.newest + 1) % WINDOW
        A.count = min(A.count + 1, <int>WINDOW)
        dF, dG = A.dF + A.newest * A.size, A.dG + A.newest * A.size
        for i in range(A.size):
            f = g[i] - A.x[i]
            dF[i] = f - A.f[i]
            dG[i] = g[i] - A.g[i]
            A.f[i] = f
        weighted_dots(A, dF, products)
        for j in range(A.count):
            A.gram[A.newest][j] = A.gram[j][A.newest] = products[j]
    else:
        for i in range(A.size):
            A.f[i] = g[i] - A.x[i]
    memcpy(A.g, g, A.size * sizeof(double))
    A.started = True


cdef bint coefficients(const Anderson* A, double* gamma) noexcept nogil:
    """gamma = argmin |f - dF gamma| by Cholesky on the scaled Gram matrix, newest difference first.

    A difference that the newer ones explain but for 1e-9 of its square is left out (gamma = 0).
    """
    cdef double C[5][5]
    cdef double y[5]
    cdef double products[5]
    cdef int slot[5]
    cdef int kept = 0, i, j, k, s
    cdef double pivot
    weighted_dots(A, A.f, products)
    for j in range(A.count):
        gamma[j] = 0.0
    for i in range(A.count):
        s = (A.newest - i + WINDOW) % WINDOW
        pivot = A.gram[s][s]
        for j in range(kept):
            C[kept][j] = A.gram[s][slot[j]]
            for k in range(j):
                C[kept][j] -= C[kept][k] * C[j][k]
            C[kept][j] /= C[j][j]
            pivot -= C[kept][j] * C[kept][j]
        if not pivot > 1e-9 * A.gram[s][s]:
            continue
        C[kept][kept] = sqrt(pivot)
        y[kept] = products[s]
        for j in range(kept):
            y[kept] -= C[kept][j] * y[j]
        y[kept] /= C[kept][kept]
        slot[kept] = s
        kept += 1
    for i in range(kept - 1, -1, -1):
        for j in range(i + 1, kept):
            y[i] -= C[j][i] * y[j]
        y[i] /= C[i][i]
        gamma[slot[i]] = y[i]
    return kept > 0


cdef inline void subtract(double* y, double a, const double* x, int n) noexcept nogil:
    """y -= a x."""
    cdef int i
    for i in range(n):
        y[i] -= a * x[i]


cdef bint extrapolate(Anderson* A, const double* g, double error, double* out) noexcept nogil:
    """Take g(A.x), write the accelerated iterate to `out`; False if the plain g is to be used.

    Safeguard: an error of more than twice the best one forgets the history.  `out` may be g.
    """
    cdef double gamma[5]
    cdef int j
    if error > 2.0 * A.best and A.count > 0:
        restart(A)
        return False
    A.best = min(A.best, error)
    record(A, g)
    if A.pause > 0:
        A.pause -= 1
        return False
    if A.count == 0 or not coefficients(A, gamma):
        return False
    for j in range(A.count):
        if not isfinite(gamma[j]):
            restart(A)
            return False
    if out != g:
        memcpy(out, g, A.size * sizeof(double))
    for j in range(A.count):
        subtract(out, A.damping * gamma[j], A.dG + j * A.size, A.size)
    return True
