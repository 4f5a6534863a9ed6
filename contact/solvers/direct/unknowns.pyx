"""Numbers for the unknowns of a direct solve, and the rows of a contact in them."""

from libc.string cimport memset

from rbdyn.contact.operator cimport Contact, Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Vec3, vec3


cdef void list_contacts(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """The contacts of each body: counted, then placed."""
    cdef int i, k, body
    memset(S.neighbours, 0, (p.n_single + 1) * sizeof(int))
    for i in range(G.n):
        for k in range(2):
            body = G.contact[i].b.body if k else G.contact[i].a.body
            if body >= 0:
                S.neighbours[body + 1] += 1
    for i in range(p.n_single):
        S.neighbours[i + 1] += S.neighbours[i]
    for i in range(G.n):
        for k in range(2):
            body = G.contact[i].b.body if k else G.contact[i].a.body
            if body >= 0:
                S.incident[S.neighbours[body]] = i
                S.neighbours[body] += 1
    for i in range(p.n_single, 0, -1):
        S.neighbours[i] = S.neighbours[i - 1]
    S.neighbours[0] = 0


cdef void number_unknowns(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """Breadth-first from the body with the fewest contacts of each island; coordinates come last."""
    cdef int done = 0, head = 0, seed, body, other, i, k
    list_contacts(S, G, p)
    for body in range(p.n_single):
        S.place[body] = -1
    while True:
        seed = -1
        for body in range(p.n_single):
            k = S.neighbours[body + 1] - S.neighbours[body]
            if S.place[body] < 0 and k > 0 and (seed < 0 or k < S.neighbours[seed + 1] - S.neighbours[seed]):
                seed = body
        if seed < 0:
            break
        S.place[seed] = 6 * done
        S.order[done] = seed
        done += 1
        while head < done:
            body = S.order[head]
            head += 1
            for k in range(S.neighbours[body], S.neighbours[body + 1]):
                i = S.incident[k]
                other = G.contact[i].b.body if G.contact[i].a.body == body else G.contact[i].a.body
                if other >= 0 and S.place[other] < 0:
                    S.place[other] = 6 * done
                    S.order[done] = other
                    done += 1
    S.bodies, S.n = done, 6 * done
    for i in range(p.n_coordinates):
        S.column[i] = -1
    for i in range(G.n):
        for k in range(G.contact[i].row, G.contact[i].row_end):
            if S.column[G.row[k].coordinate] < 0:
                S.column[G.row[k].coordinate] = S.n
                S.n += 1


cdef inline void write_row(double* J, double s, Vec3 t, const double* L) noexcept nogil:
    J[0], J[1], J[2] = s * t.x, s * t.y, s * t.z
    J[3], J[4], J[5] = s * L[0], s * L[1], s * L[2]


cdef int columns(Direct* S, const Operator* G, const ContactProblem* p, int i) noexcept nogil:
    """The unknowns of contact i and its three rows of J; returns their number."""
    cdef const Contact* k = G.contact + i
    cdef int n = 0, j, side, body
    cdef double* J = S.J
    cdef double s
    cdef int w = S.width
    for side in range(2):
        body = k.b.body if side else k.a.body
        s = -1.0 if side else 1.0
        if body < 0:
            continue
        for j in range(6):
            S.index[n + j] = S.place[body] + j
        write_row(J + n, s, vec3(k.R.xx, k.R.xy, k.R.xz), &k.b.L.xx if side else &k.a.L.xx)
        write_row(J + w + n, s, vec3(k.R.yx, k.R.yy, k.R.yz), &k.b.L.yx if side else &k.a.L.yx)
        write_row(J + 2 * w + n, s, vec3(k.R.zx, k.R.zy, k.R.zz), &k.b.L.zx if side else &k.a.L.zx)
        n += 6
    for j in range(k.row, k.row_end):
        S.index[n] = S.column[G.row[j].coordinate]
        J[n], J[w + n], J[2 * w + n] = G.row[j].x, G.row[j].y, G.row[j].n
        n += 1
    return n
