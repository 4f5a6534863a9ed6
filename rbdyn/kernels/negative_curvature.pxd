# A direction of negative curvature of a symmetric matrix, if there is one.
#
# L D L^T with the largest diagonal element as pivot eliminates positive pivots until none is left.  The diagonal of the
# Schur complement S that remains is not positive.  A vector y of S with y^T S y < 0 is lifted to z with
# z^T H z = y^T S y by L^T z = (0, y).  Of the unit vectors and their sums and differences in pairs the best y is taken;
# without one S is zero, and H positive semidefinite.
#
# Source: J. J. More and D. C. Sorensen, On the use of directions of negative curvature in a modified Newton method,
# Mathematical Programming 16 (1979).

from libc.math cimport fabs, sqrt

cdef inline void swap_symmetric(int n, double* H, int* order, int a, int b) noexcept nogil:
    """Exchange two rows and the same columns."""
    cdef int i
    if a == b:
        return
    order[a], order[b] = order[b], order[a]
    for i in range(n):
        H[n * a + i], H[n * b + i] = H[n * b + i], H[n * a + i]
    for i in range(n):
        H[n * i + a], H[n * i + b] = H[n * i + b], H[n * i + a]

cdef inline int eliminate_positive(int n, double* H, int* order, double least) noexcept nogil:
    """Eliminate pivots above `least`; returns how many.  Below the diagonal is L, from that place on is S, in full."""
    cdef int i, j, k, best
    cdef double factor
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if H[n * i + i] > H[n * best + best]:
                best = i
        if H[n * best + best] <= least:
            return k
        swap_symmetric(n, H, order, k, best)
        for i in range(k + 1, n):
            factor = H[n * i + k] / H[n * k + k]
            for j in range(k + 1, n):
                H[n * i + j] -= factor * H[n * k + j]
            H[n * i + k] = factor
    return n

cdef inline double negative_curvature(int n, double* H, int* order, double least, double* y, double* z) noexcept nogil:
    """z of unit length with z^T H z below -least; returns that curvature, or 0 if none is found.

    H (n, n) is overwritten; order (n,) and y (n,) are scratch.
    """
    cdef double s, best = 0.0, length = 0.0
    cdef int i, j, k, rank, first = -1, second = -1
    for i in range(n):
        order[i] = i
    rank = eliminate_positive(n, H, order, least)
    for i in range(rank, n):
        if H[n * i + i] < best:
            best, first, second = H[n * i + i], i, i
        for j in range(rank, i):
            s = 0.5 * (H[n * i + i] + H[n * j + j]) - fabs(H[n * i + j])
            if s < best:
                best, first, second = s, i, j
    if first < 0:
        return 0.0
    for i in range(n):
        y[i] = 0.0
    y[first] = 1.0
    if second != first:
        y[first] = sqrt(0.5)
        y[second] = -sqrt(0.5) if H[n * first + second] > 0.0 else sqrt(0.5)
    for k in range(rank - 1, -1, -1):
        for i in range(k + 1, n):
            y[k] -= H[n * i + k] * y[i]
    for i in range(n):
        length += y[i] * y[i]
    for i in range(n):
        z[order[i]] = y[i] / sqrt(length)
    return best / length if best < -least * length else 0.0
