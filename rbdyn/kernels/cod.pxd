# The complete orthogonal decomposition of a matrix whose columns may depend on one another.
#
# A P = Q [R; 0] by Householder's reflections with column pivoting stops at the numerical rank r.  If r is less than the
# number of columns, a second decomposition, R^T = V T, separates what the columns determine from what they do not:
# A = Q T^T V^T P^T.  Source: Golub and Van Loan, Matrix Computations, the chapter on orthogonalization and least
# squares.  Columns are stored one after the other.  Nothing here depends on a BLAS, its threads or its rounding.

from libc.math cimport INFINITY, fabs, sqrt

cdef struct Cod:
    int m, n              # rows and columns of A
    int rank              # r
    double* A             # (n, m): column j at A + m j.  In: the matrix.  Then R, and the reflectors of Q below it
    double* tau           # (n,) factors of these reflectors
    int* perm             # (n,) column of A that stands at place k of A P
    double* W             # (n, n): T, and the reflectors of V below it; not used at full column rank
    double* tau_w         # (n,) factors of these reflectors
    double* t             # (n,) the solution in the coordinates of R; working memory

cdef inline size_t cod_size(size_t m, size_t n) noexcept nogil:
    """Numbers of working memory of an m x n decomposition, A included."""
    return m * n + n * n + 4 * n

cdef inline double* cod_place(Cod* c, int m, int n, double* memory) noexcept nogil:
    """Lay a decomposition out in working memory; returns what follows it."""
    c.m, c.n = m, n
    c.A = memory
    c.W = c.A + <size_t> m * n
    c.tau = c.W + <size_t> n * n
    c.tau_w = c.tau + n
    c.t = c.tau_w + n
    c.perm = <int*> (c.t + n)
    return c.t + 2 * n

cdef inline double dot(int n, const double* a, const double* b) noexcept nogil:
    """Inner product, in four sums that do not wait for one another."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef int i = 0
    while i + 4 <= n:
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        i += 4
    while i < n:
        s0 += a[i] * b[i]
        i += 1
    return (s0 + s2) + (s1 + s3)

cdef inline double norm_of(int n, const double* x) noexcept nogil:
    """Euclidean length; scaled where squares could overflow or underflow."""
    cdef double s = dot(n, x, x), big = 0.0
    cdef int i
    if 1e-280 < s < 1e280:
        return sqrt(s)
    s = 0.0
    for i in range(n):
        if fabs(x[i]) > big:
            big = fabs(x[i])
    if big == 0.0:
        return 0.0
    for i in range(n):
        s += (x[i] / big) * (x[i] / big)
    return big * sqrt(s)

cdef inline double householder(int n, double* x) noexcept nogil:
    """The reflector 1 - tau u u^T, u[0] = 1, that takes x to (x'[0], 0, ...): x <- (x'[0], u[1:]); returns tau."""
    cdef double length = norm_of(n, x), head, tau
    cdef int i
    if norm_of(n - 1, x + 1) == 0.0:
        return 0.0
    head = -length if x[0] > 0.0 else length
    tau = (head - x[0]) / head
    for i in range(1, n):
        x[i] /= x[0] - head
    x[0] = head
    return tau

cdef inline void reflect(int n, const double* u, double tau, double* x) noexcept nogil:
    """x <- (1 - tau u u^T) x, where u[0] counts as 1."""
    cdef double s = tau * (x[0] + dot(n - 1, u + 1, x + 1))
    cdef int i
    x[0] -= s
    for i in range(1, n):
        x[i] -= s * u[i]

cdef inline void bring_longest(Cod* c, int k) noexcept nogil:
    """Exchange column k with the column, of those from k on, that is longest below row k."""
    cdef int j, i, best = k
    cdef double x
    for j in range(k + 1, c.n):
        if c.t[j] > c.t[best]:
            best = j
    if best != k:
        c.perm[k], c.perm[best] = c.perm[best], c.perm[k]
        c.t[best], c.tau[best] = c.t[k], c.tau[k]
        for i in range(c.m):
            x = c.A[c.m * k + i]
            c.A[c.m * k + i] = c.A[c.m * best + i]
            c.A[c.m * best + i] = x

cdef inline void shorten(Cod* c, int k, int j) noexcept nogil:
    """The squared length of column j, in c.t, loses what stands in row k; measured anew once it is 1e-4 of the last."""
    cdef double x = c.A[c.m * j + k]
    c.t[j] -= x * x
    if not c.t[j] > 1e-4 * c.tau[j]:
        c.t[j] = c.tau[j] = dot(c.m - k - 1, c.A + c.m * j + k + 1, c.A + c.m * j + k + 1)

cdef inline void cod_factor(Cod* c, double tolerance, double nothing=0.0) noexcept nogil:
    """Decompose A.  A column counts as dependent where what is left of it is `tolerance` of the longest column.

    A is 0 where no column is longer than `nothing`, as rounding may leave it.

    Until a column's turn comes, c.t and c.tau hold its squared length below, now and when it was last measured.
    """
    cdef int j, k
    cdef double longest = 0.0, length
    for k in range(c.n):
        c.perm[k] = k
        c.t[k] = c.tau[k] = dot(c.m, c.A + c.m * k, c.A + c.m * k)
    c.rank = min(c.m, c.n)
    for k in range(c.rank):
        bring_longest(c, k)
        length = norm_of(c.m - k, c.A + c.m * k + k)
        if k == 0:
            longest = length if length > nothing else INFINITY
        if not length > tolerance * longest:
            c.rank = k
            break
        c.tau[k] = householder(c.m - k, c.A + c.m * k + k)
        for j in range(k + 1, c.n):
            reflect(c.m - k, c.A + c.m * k + k, c.tau[k], c.A + c.m * j + k)
            shorten(c, k, j)
    if c.rank < c.n:
        factor_rows(c)

cdef inline void factor_rows(Cod* c) noexcept nogil:
    """R^T = V T: the rows of R, as columns of length n, made orthogonal."""
    cdef int i, j, n = c.n
    for i in range(c.rank):
        for j in range(n):
            c.W[n * i + j] = c.A[c.m * j + i] if j >= i else 0.0
    for i in range(c.rank):
        c.tau_w[i] = householder(n - i, c.W + n * i + i)
        for j in range(i + 1, c.rank):
            reflect(n - i, c.W + n * i + i, c.tau_w[i], c.W + n * j + i)

cdef inline void times_q(const Cod* c, double* x) noexcept nogil:
    """x <- Q x, for m numbers."""
    cdef int k
    for k in range(c.rank - 1, -1, -1):
        reflect(c.m - k, c.A + c.m * k + k, c.tau[k], x + k)

cdef inline void times_q_transposed(const Cod* c, double* x) noexcept nogil:
    """x <- Q^T x, for m numbers."""
    cdef int k
    for k in range(c.rank):
        reflect(c.m - k, c.A + c.m * k + k, c.tau[k], x + k)

cdef inline void solve_adjoint(Cod* c, const double* b, double* x) noexcept nogil:
    """The shortest x (m,) of those that bring A^T x closest to b (n,); exactly to b if it can be reached.

    x = Q [z; 0] with R^T z = P^T b, that is, T z = V^T P^T b.  Leaves z in c.t for `solve_gram`.
    """
    cdef int i, j, n = c.n, r = c.rank
    cdef double* t = c.t
    for i in range(n):
        t[i] = b[c.perm[i]]
    if r == n:
        for i in range(n):                         # R^T is lower triangular
            for j in range(i):
                t[i] -= c.A[c.m * i + j] * t[j]
            t[i] /= c.A[c.m * i + i]
    else:
        for i in range(r):
            reflect(n - i, c.W + n * i + i, c.tau_w[i], t + i)
        for i in range(r - 1, -1, -1):
            for j in range(i + 1, r):
                t[i] -= c.W[n * j + i] * t[j]
            t[i] /= c.W[n * i + i]
    for i in range(c.m):
        x[i] = t[i] if i < r else 0.0
    times_q(c, x)

cdef inline void solve_gram(Cod* c, double* y) noexcept nogil:
    """The shortest y (n,) with A^T A y = b, after solve_adjoint of that b: A y is its x.

    R P^T y = z, that is, y = P V [T^-T z; 0].
    """
    cdef int i, j, n = c.n, r = c.rank
    cdef double* t = c.t
    if r == n:
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                t[i] -= c.A[c.m * j + i] * t[j]
            t[i] /= c.A[c.m * i + i]
    else:
        for i in range(r):
            for j in range(i):
                t[i] -= c.W[n * i + j] * t[j]
            t[i] /= c.W[n * i + i]
        for i in range(r, n):
            t[i] = 0.0
        for i in range(r - 1, -1, -1):
            reflect(n - i, c.W + n * i + i, c.tau_w[i], t + i)
    for i in range(n):
        y[c.perm[i]] = t[i]
