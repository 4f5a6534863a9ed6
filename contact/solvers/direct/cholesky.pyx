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


# ---- blocks: nodes have 1, 3 or 6 unknowns; functions are called with such constants, and unrolled ----

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
    cdef double[6] inverse
    cdef double s
    cdef int i, j, k
    for i in range(n):
        inverse[i] = 1.0 / D[(n + 1) * i]
    for k in range(rows):
        for i in range(n):
            s = U[i * rows + k]
            for j in range(i):
                s -= D[n * i + j] * U[j * rows + k]
            U[i * rows + k] = s * inverse[i]


cdef inline bint eliminate(double* D, int n, int rows) noexcept nogil:
    """A diagonal block and what lies below it."""
    if not factor_diagonal(D, n):
        return False
    divide(D + n * n, D, n, rows)
    return True


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
    cdef double[6] y
    cdef int i, j, k
    for i in range(na):
        for j in range(nb):
            y[j] = C[i * width + j]
        for k in range(size):
            s = U[k * rows + a + i]
            for j in range(nb):
                y[j] -= s * U[k * rows + b + j]
        for j in range(nb):
            C[i * width + j] = y[j]


cdef inline void subtract_by_size(double* C, int width, const double* U, int size, int a, int na, int b, int nb,
                                  int rows) noexcept nogil:
    if size == 3 and na == 3 and nb == 3:
        subtract(C, width, U, 3, a, 3, b, 3, rows)
    elif size == 6 and na == 6 and nb == 6:
        subtract(C, width, U, 6, a, 6, b, 6, rows)
    elif size == 1 and na == 1 and nb == 1:
        subtract(C, width, U, 1, a, 1, b, 1, rows)
    else:
        subtract(C, width, U, size, a, na, b, nb, rows)


cdef void update(Direct* S, const Node* c, int j) noexcept nogil:
    """Subtract from column below[j].node what column c makes of it."""
    cdef const Below* column = S.below + j
    cdef const Node* t = S.node + column.node
    cdef const double* U = S.A + c.diagonal + c.size * c.size
    cdef double* D = S.A + t.diagonal
    cdef double* V = D + t.size * t.size
    cdef const Below* row
    cdef int i, size, place = t.start
    subtract_by_size(D, t.size, U, c.size, column.at, t.size, column.at, t.size, c.rows)
    for i in range(j + 1, c.end):
        row = S.below + i
        while S.below[place].node != row.node:
            place += 1
        size = S.node[row.node].size
        if c.size == 6 and t.size == 6 and size == 6:
            subtract_66(V + S.below[place].at, t.rows, U, column.at, row.at, c.rows)
        else:
            subtract_by_size(V + S.below[place].at, t.rows, U, c.size, column.at, t.size, row.at, size, c.rows)


cdef bint factor(Direct* S) noexcept nogil:
    """A = L L^T in place; False if a pivot is not positive."""
    cdef const Node* c
    cdef double* D
    cdef bint good
    cdef int k, j
    for k in range(S.nodes):
        c = S.node + k
        D = S.A + c.diagonal
        if c.size == 1:
            good = eliminate(D, 1, c.rows)
        elif c.size == 3:
            good = eliminate(D, 3, c.rows)
        else:
            good = eliminate(D, 6, c.rows)
        if not good:
            return False
        for j in range(c.start, c.end):
            update(S, c, j)
    return True


cdef inline void forward(Direct* S, const Node* c, int n) noexcept nogil:
    """x of a node of n unknowns, and what it takes from those below."""
    cdef const double* D = S.A + c.diagonal
    cdef const double* U = D + n * n
    cdef double* x = S.x + c.first
    cdef double* y
    cdef double s
    cdef int i, j, l
    for i in range(n):
        s = x[i]
        for j in range(i):
            s -= D[n * i + j] * x[j]
        x[i] = s / D[(n + 1) * i]
    for j in range(c.start, c.end):
        y = S.x + S.node[S.below[j].node].first
        for l in range(S.node[S.below[j].node].size):
            s = y[l]
            for i in range(n):
                s -= U[i * c.rows + S.below[j].at + l] * x[i]
            y[l] = s


cdef inline void backward(Direct* S, const Node* c, int n) noexcept nogil:
    """x of a node from those below."""
    cdef const double* D = S.A + c.diagonal
    cdef const double* U
    cdef double* x = S.x + c.first
    cdef const double* y
    cdef double[6] s
    cdef int i, j, l
    for i in range(n):
        s[i] = x[i]
    for j in range(c.start, c.end):
        y = S.x + S.node[S.below[j].node].first
        U = D + n * n + S.below[j].at
        for l in range(S.node[S.below[j].node].size):
            for i in range(n):
                s[i] -= U[i * c.rows + l] * y[l]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            s[i] -= D[n * j + i] * s[j]
        s[i] /= D[(n + 1) * i]
    for i in range(n):
        x[i] = s[i]


cdef void substitute(Direct* S) noexcept nogil:
    """x <- A^-1 x."""
    cdef int k, n
    for k in range(S.nodes):
        n = S.node[k].size
        if n == 1:
            forward(S, S.node + k, 1)
        elif n == 3:
            forward(S, S.node + k, 3)
        else:
            forward(S, S.node + k, 6)
    for k in range(S.nodes - 1, -1, -1):
        n = S.node[k].size
        if n == 1:
            backward(S, S.node + k, 1)
        elif n == 3:
            backward(S, S.node + k, 3)
        else:
            backward(S, S.node + k, 6)
