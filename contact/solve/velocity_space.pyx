"""Velocity space of an island: velocity_space.pxd."""

from libc.math cimport sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport Contact, Line, LineBlock, Operator, Side, further_line
from rbdyn.contact.problem cimport BILATERAL, CONE, DISC, ContactProblem
from rbdyn.contact.tolerances cimport IMMOVABLE
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, row_x, row_y, row_z, scale3


cdef void release_space(VelocitySpace* V) noexcept nogil:
    """Give all memory back."""
    free(V.piece)
    free(V.column)
    free(V.run)
    free(V.J)
    free(V.above)
    free(V.root)
    free(V.c)
    free(V.first)
    free(V.body_unknown)
    free(V.coordinate_unknown)
    free(V.node)
    free(V.link)
    free(V.touched)
    free(V.place)
    free(V.value)
    memset(V, 0, sizeof(VelocitySpace))


# ---- numbering ----

cdef int make_maps(VelocitySpace* V, const ContactProblem* p) except -1 nogil:
    """Room for the unknown of every body and coordinate of the problem; none has one."""
    cdef size_t before
    cdef size_t i
    before = V.capacity[0]
    V.reallocations += grow(<void**> &V.body_unknown, &V.capacity[0], p.n_single, sizeof(int))
    for i in range(before, V.capacity[0]):
        V.body_unknown[i] = -1
    before = V.capacity[1]
    V.reallocations += grow(<void**> &V.coordinate_unknown, &V.capacity[1], p.n_coordinates, sizeof(int))
    for i in range(before, V.capacity[1]):
        V.coordinate_unknown[i] = -1
    return 0


cdef inline bint moves(const ContactProblem* p, int body) noexcept nogil:
    """Tell whether there is such a body, and impulses move it."""
    cdef const double* W
    if body < 0:
        return False
    W = p.inverse_inertia + 6 * body
    return p.inverse_mass[body] > 0.0 or W[0] > 0.0 or W[3] > 0.0 or W[5] > 0.0


cdef int add_body(VelocitySpace* V, const ContactProblem* p, int body) except -1 nogil:
    """Note a body of the island once."""
    if not moves(p, body) or V.body_unknown[body] >= 0:
        return 0
    V.reallocations += grow(<void**> &V.node, &V.capacity[2], 4 * (<size_t> V.bodies + 1) + 1, sizeof(int))
    V.node[V.bodies] = body
    V.body_unknown[body] = V.bodies
    V.bodies += 1
    return 0


cdef int add_link(VelocitySpace* V, const ContactProblem* p, int a, int b) except -1 nogil:
    """Note two bodies of one row."""
    add_body(V, p, a)
    add_body(V, p, b)
    if moves(p, a) and moves(p, b) and a != b:
        V.reallocations += grow(<void**> &V.link, &V.capacity[3], 4 * (<size_t> V.links + 1), sizeof(int))
        V.link[2 * V.links], V.link[2 * V.links + 1] = V.body_unknown[a], V.body_unknown[b]
        V.links += 1
    return 0


cdef int find_bodies(VelocitySpace* V, const Operator* G, const ContactProblem* p) except -1 nogil:
    """All bodies of the island, and which of them share rows."""
    cdef const Line* line
    cdef int i, last
    V.bodies = V.links = 0
    for i in range(G.n):
        add_link(V, p, G.contact[i].a.body, G.contact[i].b.body)
    for i in range(G.n_lines):
        line, last = G.line + i, -1
        while line != NULL:
            add_link(V, p, line.a.body, line.b.body)
            if last >= 0:
                add_link(V, p, last, line.a.body)
            last = line.a.body if line.a.body >= 0 else line.b.body
            line = further_line(line)
    return 0


cdef void collect_neighbours(const VelocitySpace* V, int* start, int* neighbour) noexcept nogil:
    """start (bodies + 1,), neighbour (2 links,): the bodies that each one shares rows with."""
    cdef int i, k
    for i in range(V.bodies + 1):
        start[i] = 0
    for k in range(2 * V.links):
        start[V.link[k] + 1] += 1
    for i in range(V.bodies):
        start[i + 1] += start[i]
    for k in range(2 * V.links):
        i = V.link[k]
        neighbour[start[i]] = V.link[k ^ 1]
        start[i] += 1
    for i in range(V.bodies, 0, -1):                   # ends become starts
        start[i] = start[i - 1]
    start[0] = 0


cdef int walk(int seed, const int* start, const int* neighbour, int* rank, int* order, int n) noexcept nogil:
    """Append the bodies that the seed reaches to order, breadth first; returns how many there are then."""
    cdef int head = n, i, k
    order[n], rank[seed] = seed, n
    n += 1
    while head < n:
        i = order[head]
        head += 1
        for k in range(start[i], start[i + 1]):
            if rank[neighbour[k]] < 0:
                rank[neighbour[k]] = n
                order[n] = neighbour[k]
                n += 1
    return n


cdef void forget_ranks(int* rank, const int* order, int begin, int end) noexcept nogil:
    cdef int k
    for k in range(begin, end):
        rank[order[k]] = -1


cdef bint gains_backwards(int n, const int* start, const int* neighbour, const int* rank) noexcept nogil:
    """Tell whether bodies that are numbered backwards have a smaller envelope."""
    cdef long forwards = 0, backwards = 0
    cdef int i, k, low, high
    for i in range(n):
        low = high = rank[i]
        for k in range(start[i], start[i + 1]):
            low, high = min(low, rank[neighbour[k]]), max(high, rank[neighbour[k]])
        forwards += rank[i] - low
        backwards += high - rank[i]
    return backwards < forwards


cdef int order_bodies(VelocitySpace* V) except -1 nogil:
    """Number the unknowns of bodies breadth first from an end of each heap (Cuthill and McKee 1969).

    Backwards where that has the smaller envelope (George and Liu 1981), as of a body that lies on many others.
    """
    cdef int n = V.bodies, done = 0, end, i
    cdef bint backwards
    cdef int* start
    cdef int* neighbour
    cdef int* rank
    cdef int* order
    if n == 0:
        return 0
    V.reallocations += grow(<void**> &V.link, &V.capacity[3], 4 * <size_t> V.links + 1, sizeof(int))
    start, rank, order = V.node + n, V.node + 2 * n + 1, V.node + 3 * n + 1
    neighbour = V.link + 2 * V.links
    collect_neighbours(V, start, neighbour)
    for i in range(n):
        rank[i] = -1
    for i in range(n):
        if rank[i] < 0:
            end = walk(i, start, neighbour, rank, order, done)
            forget_ranks(rank, order, done, end)
            done = walk(order[end - 1], start, neighbour, rank, order, done)
    backwards = gains_backwards(n, start, neighbour, rank)
    for i in range(n):
        V.body_unknown[V.node[i]] = 6 * (n - 1 - rank[i] if backwards else rank[i])
    V.unknowns = 6 * n
    return 0


cdef inline void note_coordinate(VelocitySpace* V, const ContactProblem* p, int c) noexcept nogil:
    """Note a coordinate, and those between it and the root of its robot."""
    while c >= 0 and V.coordinate_unknown[c] < 0:
        V.coordinate_unknown[c] = 0
        V.low, V.high = min(V.low, c), max(V.high, c)
        c = p.above[c] if p.above != NULL else -1


cdef void number_coordinates(VelocitySpace* V, const Operator* G, const ContactProblem* p) noexcept nogil:
    """Number the coordinates of robots behind the bodies, tips before bases: a branch fills nothing of another one."""
    cdef int i, j, c, end
    V.low, V.high = G.n_coordinates, -1
    for i in range(G.n):
        for j in range(G.contact[i].row, G.contact[i].row_end):
            note_coordinate(V, p, G.row[j].coordinate)
    for i in range(G.n_lines):
        for j in range(G.line[i].entry, G.line[i].entry_end):
            note_coordinate(V, p, G.entry[j].coordinate)
    end = V.high + 1
    while end > V.low:
        i = end - 1
        while i > V.low and p.above != NULL and p.above[i - 1] == i:   # one joint: its last one is nearest to the base
            i -= 1
        for c in range(i, end):
            if V.coordinate_unknown[c] == 0:
                V.coordinate_unknown[c] = V.unknowns
                V.unknowns += 1
        end = i


cdef void take_roots(VelocitySpace* V, const ContactProblem* p) noexcept nogil:
    """Take above and root of every unknown, and first as M has it."""
    cdef int c, u, a
    V.unit = p.above == NULL or V.high < V.low
    for u in range(V.unknowns):
        V.above[u], V.root[u] = -1, NULL
    for c in range(V.low, V.high + 1 if not V.unit else V.low):
        u = V.coordinate_unknown[c]
        if u < 0:
            continue
        V.root[u] = p.root + p.root_start[c]
        if p.above[c] >= 0:
            V.above[u] = V.coordinate_unknown[p.above[c]]
    for u in range(V.unknowns if not V.unit else 0):
        a = V.above[u]
        while a >= 0 and V.first[a] > V.first[u]:
            V.first[a] = V.first[u]
            a = V.above[a]


# ---- rows ----

cdef void add_value(VelocitySpace* V, int unknown, int row, double y) noexcept nogil:
    """Add to a row of the piece at hand."""
    if V.place[unknown] < 0:
        V.place[unknown] = 0
        V.touched[V.n_touched] = unknown
        V.n_touched += 1
        V.value[3 * unknown] = V.value[3 * unknown + 1] = V.value[3 * unknown + 2] = 0.0
    V.value[3 * unknown + row] += y


cdef inline void inertia_root(const double* W, double* C) noexcept nogil:
    """C lower triangular (xx, yx, yy, zx, zy, zz) with C C^T = W (xx xy xz yy yz zz), semidefinite."""
    cdef double d
    C[0] = sqrt(max(W[0], 0.0))
    C[1], C[3] = (W[1] / C[0], W[2] / C[0]) if C[0] > 0.0 else (0.0, 0.0)
    d = W[3] - C[1] * C[1]
    C[2] = sqrt(d) if d > 1e-15 * W[3] else 0.0
    C[4] = (W[4] - C[3] * C[1]) / C[2] if C[2] > 0.0 else 0.0
    d = W[5] - C[3] * C[3] - C[4] * C[4]
    C[5] = sqrt(d) if d > 1e-15 * W[5] else 0.0


cdef void add_motion(VelocitySpace* V, const ContactProblem* p, int body, int row, Vec3 v, Vec3 w) noexcept nogil:
    """Add v . dv + w . dw of a body to a row of the piece at hand."""
    cdef double C[6]
    cdef double m
    cdef int u
    if not moves(p, body):
        return
    u, m = V.body_unknown[body], sqrt(p.inverse_mass[body])
    inertia_root(p.inverse_inertia + 6 * body, C)
    add_value(V, u, row, m * v.x)
    add_value(V, u + 1, row, m * v.y)
    add_value(V, u + 2, row, m * v.z)
    add_value(V, u + 3, row, C[0] * w.x + C[1] * w.y + C[3] * w.z)
    add_value(V, u + 4, row, C[2] * w.y + C[4] * w.z)
    add_value(V, u + 5, row, C[5] * w.z)


cdef void add_side(VelocitySpace* V, const ContactProblem* p, const Contact* k, const Side* side,
                   double sign) noexcept nogil:
    """Add one body of a contact to the piece at hand."""
    add_motion(V, p, side.body, 0, scale3(sign, row_x(k.R)), scale3(sign, row_x(side.L)))
    add_motion(V, p, side.body, 1, scale3(sign, row_y(k.R)), scale3(sign, row_y(side.L)))
    add_motion(V, p, side.body, 2, scale3(sign, row_z(k.R)), scale3(sign, row_z(side.L)))


cdef void add_line(VelocitySpace* V, const Operator* G, const ContactProblem* p, int r, int at, int row) noexcept nogil:
    """Add all that moves line r, which is row `at` of the problem's other rows, to a row of the piece at hand."""
    cdef const Line* k = G.line + r
    cdef int j
    if V.unit or p.term_start[at] == p.term_start[at + 1]:
        for j in range(k.entry, k.entry_end):
            add_value(V, V.coordinate_unknown[G.entry[j].coordinate], row, G.entry[j].y)
    else:
        for j in range(p.term_start[at], p.term_start[at + 1]):
            add_value(V, V.coordinate_unknown[p.term[j].coordinate], row, p.term[j].y)
        for j in range(k.entry, k.entry_end):
            V.told += G.entry[j].y * G.entry[j].y
        V.swept += k.entry_end - k.entry
    while k != NULL:
        add_motion(V, p, k.a.body, row, k.a.v, k.a.w)
        add_motion(V, p, k.b.body, row, k.b.v, k.b.w)
        k = further_line(k)


cdef void sort_touched(VelocitySpace* V) noexcept nogil:
    """Ascending; they nearly are."""
    cdef int i, j, u
    for i in range(1, V.n_touched):
        u, j = V.touched[i], i
        while j > 0 and V.touched[j - 1] > u:
            V.touched[j] = V.touched[j - 1]
            j -= 1
        V.touched[j] = u


cdef double squares(const VelocitySpace* V, int rows, int end) noexcept nogil:
    """Add up squares of the piece at hand by unknowns below `end`: of unit mass, its mobility times its rows."""
    cdef double total = 0.0
    cdef int i, r
    for i in range(V.n_touched):
        for r in range(rows if V.touched[i] < end else 0):
            total += V.value[3 * V.touched[i] + r] * V.value[3 * V.touched[i] + r]
    return total


cdef void take_velocities(VelocitySpace* V, int rows) noexcept nogil:
    """Turn the piece at hand from normalised coordinates to velocities, J = Y B, bases first."""
    cdef const double* B
    cdef int i, r, u, a, n = V.n_touched
    for i in range(n):
        a = V.above[V.touched[i]]
        while a >= 0 and V.place[a] < 0:
            add_value(V, a, 0, 0.0)
            a = V.above[a]
    sort_touched(V)
    for i in range(V.n_touched - 1, -1, -1):
        u = V.touched[i]
        B, a = V.root[u], V.above[u]
        if B == NULL:
            continue
        while a >= 0:
            B += 1
            for r in range(rows):
                V.value[3 * a + r] += B[0] * V.value[3 * u + r]
            a = V.above[a]
        for r in range(rows):
            V.value[3 * u + r] *= V.root[u][0]


cdef void write_entries(VelocitySpace* V, Piece* k) noexcept nogil:
    """Write the unknowns and entries of the piece at hand, whose room is known, and end it."""
    cdef int i, r, u
    sort_touched(V)
    k.columns = V.n_touched
    for i in range(k.columns):
        u = V.touched[i]
        V.place[u] = -1
        V.column[k.column + i] = u
        V.first[u] = min(V.first[u], V.touched[0])
        for r in range(k.rows):
            V.J[k.entry + r * k.columns + i] = V.value[3 * u + r]
    for i in range(k.columns - 1, -1, -1):
        u = V.touched[i]
        V.run[k.column + i] = (
            V.run[k.column + i + 1] if i + 1 < k.columns and V.touched[i + 1] == u + 1 else i + 1)
    V.n_touched = 0


cdef int close_piece(VelocitySpace* V, Piece* k, int* columns, int* entries) except -1 nogil:
    """Write the piece at hand."""
    cdef double total
    if V.told > 0.0:
        total = V.told + squares(V, k.rows, 6 * V.bodies)
    else:
        total = squares(V, k.rows, V.unknowns)
        V.swept += k.rows * V.n_touched
        if not V.unit:
            take_velocities(V, k.rows)
    V.told = 0.0
    k.column, k.entry = columns[0], entries[0]
    columns[0] += V.n_touched
    entries[0] += k.rows * V.n_touched
    V.reallocations += grow(<void**> &V.column, &V.capacity[4], columns[0], sizeof(int))
    V.reallocations += grow(<void**> &V.run, &V.capacity[12], columns[0], sizeof(int))
    V.reallocations += grow(<void**> &V.J, &V.capacity[5], entries[0], sizeof(double))
    write_entries(V, k)
    k.mobility = total / k.rows + k.compliance if total > 0.0 else 0.0
    return 0


cdef inline bint is_determined(const Operator* G, const LineBlock* B, int j) noexcept nogil:
    """Tell whether others determine row j of a block, which then gets no impulse (laws/dependence.pxd)."""
    if B.law == BILATERAL:
        return not G.factor[B.factor + 7 * j] > 0.0
    return B.law != DISC and not G.line[B.first + j].G > 0.0


cdef int make_rows(VelocitySpace* V, const Operator* G, const ContactProblem* p) except -1 nogil:
    """All pieces, and c."""
    cdef Piece* k = V.piece
    cdef const Contact* of
    cdef const LineBlock* B
    cdef int columns = 0, entries = 0, i, j, r
    for i in range(G.n):
        of = G.contact + i
        k.law, k.row, k.rows, k.partner, k.a, k.b = CONE, 3 * i, 3, -1, of.block.mu, 0.0
        k.compliance = of.block.compliance
        V.c[3 * i], V.c[3 * i + 1], V.c[3 * i + 2] = of.v_free.x, of.v_free.y, of.v_free.z
        for j in range(of.row, of.row_end):
            add_value(V, V.coordinate_unknown[G.row[j].coordinate], 0, G.row[j].x)
            add_value(V, V.coordinate_unknown[G.row[j].coordinate], 1, G.row[j].y)
            add_value(V, V.coordinate_unknown[G.row[j].coordinate], 2, G.row[j].n)
        add_side(V, p, of, &of.a, 1.0)
        add_side(V, p, of, &of.b, -1.0)
        close_piece(V, k, &columns, &entries)
        k += 1
    for i in range(G.n_blocks):
        B = G.block + i
        j = 0
        while j < B.rows:
            k.law, k.row, k.partner = B.law, 3 * G.n + B.first + j, -1
            k.rows, k.a, k.b, k.compliance = 1, B.low, B.high, B.compliance
            if B.law == DISC:
                k.rows, k.partner = B.rows, (3 * B.partner + 2 if B.partner >= 0 else -1)
            for r in range(k.rows):
                V.c[k.row + r] = G.line[B.first + j + r].v_free
                add_line(V, G, p, B.first + j + r, B.row - 3 * p.n_cones + j + r, r)
            close_piece(V, k, &columns, &entries)
            if is_determined(G, B, j):
                k.mobility = 0.0
            j += k.rows
            k += 1
    V.pieces, V.entries = <int> (k - V.piece), entries
    return 0


cdef void leave_out_immovable(VelocitySpace* V) noexcept nogil:
    """Give no impulse along hard rows whose mobility is rounding; compliance bounds the impulses of others."""
    cdef double largest = 0.0
    cdef int i
    for i in range(V.pieces):
        if V.piece[i].compliance == 0.0:
            largest = max(largest, V.piece[i].mobility)
    for i in range(V.pieces):
        if V.piece[i].compliance == 0.0 and V.piece[i].mobility < IMMOVABLE() * largest:
            V.piece[i].mobility = 0.0


cdef int open_space(VelocitySpace* V, const Operator* G, const ContactProblem* p) except -1 nogil:
    """Make the space of an island whose blocks are prepared."""
    cdef int i
    V.rows, V.unknowns, V.n_touched, V.told = 3 * G.n + G.n_lines, 0, 0, 0.0
    V.swept = 0
    make_maps(V, p)
    find_bodies(V, G, p)
    order_bodies(V)
    number_coordinates(V, G, p)
    V.reallocations += grow(<void**> &V.piece, &V.capacity[6], G.n + G.n_lines, sizeof(Piece))
    V.reallocations += grow(<void**> &V.c, &V.capacity[7], V.rows, sizeof(double))
    V.reallocations += grow(<void**> &V.first, &V.capacity[8], V.unknowns, sizeof(int))
    V.reallocations += grow(<void**> &V.touched, &V.capacity[9], V.unknowns, sizeof(int))
    V.reallocations += grow(<void**> &V.place, &V.capacity[10], V.unknowns, sizeof(int))
    V.reallocations += grow(<void**> &V.value, &V.capacity[11], 3 * <size_t> V.unknowns, sizeof(double))
    V.reallocations += grow(<void**> &V.above, &V.capacity[13], V.unknowns, sizeof(int))
    V.reallocations += grow(<void**> &V.root, &V.capacity[14], V.unknowns, sizeof(double*))
    for i in range(V.unknowns):
        V.first[i], V.place[i] = i, -1
    take_roots(V, p)
    make_rows(V, G, p)
    leave_out_immovable(V)
    return 0


cdef void close_space(VelocitySpace* V, const Operator* G) noexcept nogil:
    """Take the numbers of the island's bodies and coordinates back."""
    cdef int i
    for i in range(V.bodies):
        V.body_unknown[V.node[i]] = -1
    for i in range(V.low, V.high + 1):
        V.coordinate_unknown[i] = -1


# ---- products ----

cdef void move_rows(const VelocitySpace* V, const double* u, double* v) noexcept nogil:
    """v = J u; the rows of a cone side by side, as each sum waits for itself."""
    cdef const Piece* k
    cdef const double* y
    cdef const int* at
    cdef double a, b, c, x
    cdef int i, j, r, n
    for i in range(V.pieces):
        k = V.piece + i
        at, y, n = V.column + k.column, V.J + k.entry, k.columns
        if k.rows == 3:
            a = b = c = 0.0
            for j in range(n):
                x = u[at[j]]
                a += y[j] * x
                b += y[n + j] * x
                c += y[2 * n + j] * x
            v[k.row], v[k.row + 1], v[k.row + 2] = a, b, c
            continue
        for r in range(k.rows):
            a = 0.0
            for j in range(n):
                a += y[r * n + j] * u[at[j]]
            v[k.row + r] = a


cdef void pull_unknowns(const VelocitySpace* V, const double* lam, double* p) noexcept nogil:
    """p = J^T lam."""
    cdef const Piece* k
    cdef const double* y
    cdef const double* s
    cdef const int* at
    cdef int i, j, r, n
    memset(p, 0, V.unknowns * sizeof(double))
    for i in range(V.pieces):
        k = V.piece + i
        at, y, n, s = V.column + k.column, V.J + k.entry, k.columns, lam + k.row
        if k.rows == 3:
            if s[0] != 0.0 or s[1] != 0.0 or s[2] != 0.0:
                for j in range(n):
                    p[at[j]] += s[0] * y[j] + s[1] * y[n + j] + s[2] * y[2 * n + j]
            continue
        for r in range(k.rows):
            if s[r] != 0.0:
                for j in range(n):
                    p[at[j]] += s[r] * y[r * n + j]
