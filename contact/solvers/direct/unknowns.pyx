"""Nodes of the graph of what acts on what, and the rows of a constraint in their unknowns."""

from rbdyn.contact.operator cimport Contact, Line, Mover, Operator, further_line
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Mat3


cdef inline void forget_body(Direct* S, int body) noexcept nogil:
    if body >= 0:
        S.node_of_body[body] = -1


cdef void forget(Direct* S, const Operator* G) noexcept nogil:
    """No node for all that these constraints touch: others are of no concern."""
    cdef const Line* line
    cdef int i, k
    for i in range(G.n):
        forget_body(S, G.contact[i].a.body)
        forget_body(S, G.contact[i].b.body)
        for k in range(G.contact[i].row, G.contact[i].row_end):
            S.node_of_coordinate[G.row[k].coordinate] = -1
    for i in range(G.n_lines):
        line = G.line + i
        while line != NULL:
            forget_body(S, line.a.body)
            forget_body(S, line.b.body)
            line = further_line(line)
        for k in range(G.line[i].entry, G.line[i].entry_end):
            S.node_of_coordinate[G.entry[k].coordinate] = -1


cdef inline void add_node(Direct* S, int* place, int object, int size) noexcept nogil:
    """A node for a body or a coordinate that has none."""
    if object < 0 or place[object] >= 0:
        return
    S.node[S.nodes].object, S.node[S.nodes].size = object, size
    place[object] = S.nodes
    S.nodes += 1


cdef inline void add_mover(Direct* S, const Mover* m) noexcept nogil:
    """A node for a body at a row; one that no row turns needs three unknowns."""
    cdef int size = 6 if m.w.x != 0.0 or m.w.y != 0.0 or m.w.z != 0.0 else 3
    if m.body >= 0:
        add_node(S, S.node_of_body, m.body, size)
        if size == 6:
            S.node[S.node_of_body[m.body]].size = 6


cdef void number_nodes(Direct* S, const Operator* G) noexcept nogil:
    """Bodies, then coordinates, in the order in which constraints name them."""
    cdef const Line* line
    cdef int i, k
    forget(S, G)
    S.nodes = 0
    for i in range(G.n):
        add_node(S, S.node_of_body, G.contact[i].a.body, 6)
        add_node(S, S.node_of_body, G.contact[i].b.body, 6)
    for i in range(G.n_lines):
        line = G.line + i
        while line != NULL:
            add_mover(S, &line.a)
            add_mover(S, &line.b)
            line = further_line(line)
    for i in range(G.n):
        for k in range(G.contact[i].row, G.contact[i].row_end):
            add_node(S, S.node_of_coordinate, G.row[k].coordinate, 1)
    for i in range(G.n_lines):
        for k in range(G.line[i].entry, G.line[i].entry_end):
            add_node(S, S.node_of_coordinate, G.entry[k].coordinate, 1)
    S.n = 0
    for i in range(S.nodes):
        S.n += S.node[i].size


cdef int unknowns_of(const Operator* G, int i) noexcept nogil:
    """How many unknowns constraint i touches, at most."""
    cdef const Line* k
    cdef int n
    if i < G.n:
        return 12 + G.contact[i].row_end - G.contact[i].row
    k = G.line + i - G.n
    n = k.entry_end - k.entry
    while k != NULL:
        n += 12
        k = further_line(k)
    return n


cdef inline void write_side(double* J, int w, double s, const Mat3* R, const Mat3* L) noexcept nogil:
    """The columns of one body: R, and arm x axis."""
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.xx, s * R.xy, s * R.xz, s * L.xx, s * L.xy, s * L.xz
    J += w
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.yx, s * R.yy, s * R.yz, s * L.yx, s * L.yy, s * L.yz
    J += w
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.zx, s * R.zy, s * R.zz, s * L.zx, s * L.zy, s * L.zz


cdef inline int write_mover(double* J, const Mover* m, int size) noexcept nogil:
    """The columns of one body at a row; how many."""
    J[0], J[1], J[2] = m.v.x, m.v.y, m.v.z
    if size == 6:
        J[3], J[4], J[5] = m.w.x, m.w.y, m.w.z
    return size


cdef int parts_of_line(Direct* S, const Operator* G, const Line* k) noexcept nogil:
    """The nodes of a single row, and the row."""
    cdef double* J = S.J + 2 * S.width
    cdef const Line* line = k
    cdef int n = 0, j
    while line != NULL:
        if line.a.body >= 0:
            S.part[n] = S.node_of_body[line.a.body]
            J += write_mover(J, &line.a, S.node[S.part[n]].size)
            n += 1
        if line.b.body >= 0:
            S.part[n] = S.node_of_body[line.b.body]
            J += write_mover(J, &line.b, S.node[S.part[n]].size)
            n += 1
        line = further_line(line)
    for j in range(k.entry, k.entry_end):
        S.part[n] = S.node_of_coordinate[G.entry[j].coordinate]
        J[0] = G.entry[j].y
        J += 1
        n += 1
    return n


cdef int parts_of_contact(Direct* S, const Operator* G, int i) noexcept nogil:
    """The nodes of contact i, and its three rows."""
    cdef const Contact* k = G.contact + i
    cdef double* J = S.J
    cdef int n = 0, j, w = S.width
    if k.a.body >= 0:
        S.part[n] = S.node_of_body[k.a.body]
        write_side(J, w, 1.0, &k.R, &k.a.L)
        J += 6
        n += 1
    if k.b.body >= 0:
        S.part[n] = S.node_of_body[k.b.body]
        write_side(J, w, -1.0, &k.R, &k.b.L)
        J += 6
        n += 1
    for j in range(k.row, k.row_end):
        S.part[n] = S.node_of_coordinate[G.row[j].coordinate]
        J[0], J[w], J[2 * w] = G.row[j].x, G.row[j].y, G.row[j].n
        J += 1
        n += 1
    return n


cdef int parts(Direct* S, const Operator* G, int i) noexcept nogil:
    """The nodes of constraint i, and its rows of J in their unknowns, one node after the other; how many nodes."""
    return parts_of_contact(S, G, i) if i < G.n else parts_of_line(S, G, G.line + i - G.n)
