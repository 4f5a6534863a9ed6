"""A = L L^T by blocks: each column divides what lies below its diagonal block, and updates the columns it meets."""

from libc.math cimport sqrt

from rbdyn.contact.solvers.direct.workspace cimport Below, Direct, Node


cdef size_t lay_out(Direct* S) noexcept nogil:
    """Places of all blocks, once `below` is known; how many entries A has."""
    cdef Node* c
    cdef size_t entries = 0
    cdef int k, j, first = 0
    for k in range(S.nodes):
        c = S.node + k
        c.first = first
        first += c.size
        c.rows = 0
        for j in range(c.start, c.end):
            S.below[j].at = c.rows
            c.rows += S.node[S.below[j].node].size
        c.diagonal = entries
        entries += c.size * (c.size + c.rows)
    return entries


cdef double* block_of(Direct* S, int row, int column) noexcept nogil:
    """Where the block of two nodes begins, row > column, transposed; the next of its columns lies node.rows further."""
    cdef const Node* c = S.node + column
    cdef int low = c.start, high = c.end - 1, middle
    while low < high:
        middle = (low + high) // 2
        if S.below[middle].node < row:
            low = middle + 1
        else:
            high = middle
    return S.A + c.diagonal + c.size * c.size + S.below[low].at


cdef inline bint factor_diagonal(double* D, int n) noexcept nogil:
    """D = L L^T in the lower triangle of D; False if a pivot is not positive."""
    cdef int i, j, k
    cdef double s
    for i in range(n):
        for j in range(i):
            s = D[n * i + j]
            for k in range(j):
                s -= D[n * i + k] * D[n * j + k]
            D[n * i + j] = s / D[(n + 1) * j]
        s = D[(n + 1) * i]
        for k in range(i):
            s -= D[n * i + k] * D[n * i + k]
        if not s > 0.0:
            return False
        D[(n + 1) * i] = sqrt(s)
    return True


cdef inline void divide(double* U, const double* D, int n, int rows) noexcept nogil:
    """U <- L^-1 U, n rows of `rows` numbers: the transpose of what lies below."""
    cdef int i, j, k
    cdef double s
    for i in range(n):
        for j in range(i):
            s = D[n * i + j]
            for k in range(rows):
                U[i * rows + k] -= s * U[j * rows + k]
        s = 1.0 / D[(n + 1) * i]
        for k in range(rows):
            U[i * rows + k] *= s


cdef inline void subtract_66(double* C, int width, const double* U, int a, int b, int rows) noexcept nogil:
    """C -= U_a^T U_b for two bodies under a body: six rows, each of six numbers in a row."""
    cdef double s
    cdef double[6] y
    cdef int i, j, k
    for i in range(6):
        for j in range(6):
            y[j] = 0.0
        for k in range(6):
            s = U[k * rows + a + i]
            for j in range(6):
                y[j] += s * U[k * rows + b + j]
        for j in range(6):
            C[i * width + j] -= y[j]


cdef inline void subtract(double* C, int width, const double* U, int size, int a, int na, int b, int nb,
                          int rows) noexcept nogil:
    """C -= U_a^T U_b, na rows of nb numbers."""
    cdef double s
    cdef int i, j, k
    for i in range(na):
        for k in range(size):
            s = U[k * rows + a + i]
            for j in range(nb):
                C[i * width + j] -= s * U[k * rows + b + j]


cdef void update(Direct* S, const Node* c, int j) noexcept nogil:
    """Subtract from column below[j].node what column c makes of it."""
    cdef const Below* column = S.below + j
    cdef const Node* t = S.node + column.node
    cdef const double* U = S.A + c.diagonal + c.size * c.size
    cdef double* D = S.A + t.diagonal
    cdef double* V = D + t.size * t.size
    cdef const Below* row
    cdef int i, size, place = t.start
    subtract(D, t.size, U, c.size, column.at, t.size, column.at, t.size, c.rows)
    for i in range(j + 1, c.end):
        row = S.below + i
        while S.below[place].node != row.node:
            place += 1
        size = S.node[row.node].size
        if c.size == 6 and t.size == 6 and size == 6:
            subtract_66(V + S.below[place].at, t.rows, U, column.at, row.at, c.rows)
        else:
            subtract(V + S.below[place].at, t.rows, U, c.size, column.at, t.size, row.at, size, c.rows)


cdef bint factor(Direct* S) noexcept nogil:
    """A = L L^T in place; False if a pivot is not positive."""
    cdef const Node* c
    cdef double* D
    cdef int k, j
    for k in range(S.nodes):
        c = S.node + k
        D = S.A + c.diagonal
        if not factor_diagonal(D, c.size):
            return False
        divide(D + c.size * c.size, D, c.size, c.rows)
        for j in range(c.start, c.end):
            update(S, c, j)
    return True


cdef void substitute(Direct* S) noexcept nogil:
    """x <- A^-1 x."""
    cdef const Node* c
    cdef const double* D
    cdef const double* U
    cdef double* x
    cdef double* y
    cdef double s
    cdef int k, i, j, l, n
    for k in range(S.nodes):
        c = S.node + k
        n, D, x = c.size, S.A + c.diagonal, S.x + c.first
        for i in range(n):
            for j in range(i):
                x[i] -= D[n * i + j] * x[j]
            x[i] /= D[(n + 1) * i]
        U = D + n * n
        for j in range(c.start, c.end):
            y = S.x + S.node[S.below[j].node].first
            for i in range(n):
                for l in range(S.node[S.below[j].node].size):
                    y[l] -= U[i * c.rows + S.below[j].at + l] * x[i]
    for k in range(S.nodes - 1, -1, -1):
        c = S.node + k
        n, D, x = c.size, S.A + c.diagonal, S.x + c.first
        U = D + n * n
        for i in range(n):
            s = x[i]
            for j in range(c.start, c.end):
                y = S.x + S.node[S.below[j].node].first
                for l in range(S.node[S.below[j].node].size):
                    s -= U[i * c.rows + S.below[j].at + l] * y[l]
            x[i] = s
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                x[i] -= D[n * j + i] * x[j]
            x[i] /= D[(n + 1) * i]
