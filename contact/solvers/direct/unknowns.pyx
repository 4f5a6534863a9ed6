"""Nodes of the contact graph, and the rows of a contact in their unknowns."""

from rbdyn.contact.operator cimport Contact, Operator
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Mat3


cdef void forget(Direct* S, const Operator* G) noexcept nogil:
    """No node for all that these contacts touch: others are of no concern."""
    cdef int i, k
    for i in range(G.n):
        if G.contact[i].a.body >= 0:
            S.node_of_body[G.contact[i].a.body] = -1
        if G.contact[i].b.body >= 0:
            S.node_of_body[G.contact[i].b.body] = -1
        for k in range(G.contact[i].row, G.contact[i].row_end):
            S.node_of_coordinate[G.row[k].coordinate] = -1


cdef inline void add_node(Direct* S, int* place, int object, int size) noexcept nogil:
    """A node for a body or a coordinate that has none."""
    if place[object] >= 0:
        return
    S.node[S.nodes].object, S.node[S.nodes].size = object, size
    place[object] = S.nodes
    S.nodes += 1


cdef void number_nodes(Direct* S, const Operator* G) noexcept nogil:
    """Bodies, then coordinates, in the order in which contacts name them."""
    cdef int i, k
    forget(S, G)
    S.nodes = 0
    for i in range(G.n):
        if G.contact[i].a.body >= 0:
            add_node(S, S.node_of_body, G.contact[i].a.body, 6)
        if G.contact[i].b.body >= 0:
            add_node(S, S.node_of_body, G.contact[i].b.body, 6)
    S.bodies = S.nodes
    for i in range(G.n):
        for k in range(G.contact[i].row, G.contact[i].row_end):
            add_node(S, S.node_of_coordinate, G.row[k].coordinate, 1)
    S.n = 5 * S.bodies + S.nodes


cdef inline void write_side(double* J, int w, double s, const Mat3* R, const Mat3* L) noexcept nogil:
    """The columns of one body: R, and arm x axis."""
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.xx, s * R.xy, s * R.xz, s * L.xx, s * L.xy, s * L.xz
    J += w
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.yx, s * R.yy, s * R.yz, s * L.yx, s * L.yy, s * L.yz
    J += w
    J[0], J[1], J[2], J[3], J[4], J[5] = s * R.zx, s * R.zy, s * R.zz, s * L.zx, s * L.zy, s * L.zz


cdef int parts(Direct* S, const Operator* G, int i) noexcept nogil:
    """The nodes of contact i, and its three rows of J in their unknowns, one node after the other; how many nodes."""
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
