"""Decimation of meshes without loss: vertices within flat regions, and within straight edges, are removed.

Triangles in one plane that hang together across their sides are a region.  A vertex that lies within a region, or
within a straight line between two regions or along the end of one, is moved into a neighbour: its two triangles at that
edge vanish, and the others cover what all of them did.  In each round a vertex goes only if nothing around it went
before it, so that triangles grow evenly.

Sources: W. Schroeder, J. Zarge, W. Lorensen, Decimation of triangle meshes (SIGGRAPH 1992), for classes of vertices;
H. Hoppe, Progressive meshes (SIGGRAPH 1996), for collapses of edges.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset

from rbdyn.memory cimport Arena, close_arena, open_arena, place
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, scale3, sub3

cdef double ROUNDING = 2.0 ** -24  # share of the largest coordinate: mesh files hold single precision
cdef double ONE_NORMAL = 1.0 - 0.5e-8   # cosine of 1e-4 rad, as `slant` in kernels/triangle.pxd
cdef double LEAST_SHAPE = 0.1      # of a triangle that grows: 1 is equilateral, 0 flat; thinner ones have poor normals
cdef enum:
    MOST = 32                      # triangles about a vertex; where more would meet nothing is removed

cdef struct Surface:
    int n_vertices, n_triangles
    double tolerance               # what is nearer to a plane or a line is on it [m]
    const Vec3* vertex
    int* face                      # (n_triangles, 3) corners, overwritten
    # (n_vertices,) and (3 n_triangles,) lists of the triangles about each vertex: corner k of triangle t is 3 t + k
    int* first
    int* next
    Vec3* normal                   # (n_triangles,) unit
    int* region                    # (n_triangles,) the triangle with which its region begins, or -1
    char* gone                     # (n_triangles,)

cdef struct Star:                  # the triangles about a vertex, in order around it
    int n
    int t[MOST]
    int p[MOST]                    # of each the corner after the vertex
    int q[MOST]                    # and the one after that: the p of the next one
    bint closed                    # True: the next one of the last is the first
    int n_ends                     # 0: within a region; 2: on a straight line between two regions, or at an end
    int end[2]                     # the vertices before and after it on that line


cdef inline double norm3(Vec3 a) noexcept nogil:
    return sqrt(dot3(a, a))


# ---- triangles about a vertex ------------------------------------------------------------------

cdef inline int corner_of(const Surface* s, int t, int v) noexcept nogil:
    """Which corner of triangle t vertex v is; -1: none."""
    cdef int k
    for k in range(3):
        if s.face[3 * t + k] == v:
            return k
    return -1


cdef inline void add_to_list(Surface* s, int v, int c) noexcept nogil:
    s.next[c] = s.first[v]
    s.first[v] = c


cdef inline void swap_places(Star* star, int i, int j) noexcept nogil:
    star.t[i], star.t[j] = star.t[j], star.t[i]
    star.p[i], star.p[j] = star.p[j], star.p[i]
    star.q[i], star.q[j] = star.q[j], star.q[i]


cdef inline int find_number(const int* list_, int first, int n, int v) noexcept nogil:
    """Where v is in a list, from `first` on; -1: nowhere."""
    cdef int i
    for i in range(first, n):
        if list_[i] == v:
            return i
    return -1


cdef bint gather_star(Surface* s, int v, Star* star) noexcept nogil:
    """List the triangles about a vertex, in any order; False if there are none or too many."""
    cdef int* link = &s.first[v]
    cdef int c, k, t
    star.n = 0
    while link[0] >= 0:
        c = link[0]
        t, k = c // 3, c % 3
        if s.gone[t]:
            link[0] = s.next[c]
            continue
        if star.n == MOST:
            return False
        star.t[star.n], star.p[star.n], star.q[star.n] = (
            t, s.face[3 * t + (k + 1) % 3], s.face[3 * t + (k + 2) % 3])
        star.n += 1
        link = &s.next[c]
    return star.n > 0


cdef bint order_star(Star* star) noexcept nogil:
    """Put the triangles in order around their vertex; False if they are no single fan."""
    cdef int i, j
    for i in range(star.n):
        if find_number(star.p, i + 1, star.n, star.p[i]) >= 0:
            return False
    for i in range(star.n):
        if find_number(star.q, 0, star.n, star.p[i]) < 0:        # where it begins, if it is open
            swap_places(star, 0, i)
            break
    for i in range(1, star.n):
        j = find_number(star.p, i, star.n, star.q[i - 1])
        if j < 0:
            return False
        swap_places(star, i, j)
    star.closed = star.q[star.n - 1] == star.p[0]
    return True


# ---- regions -----------------------------------------------------------------------------------

cdef int across(const Surface* s, int t, int k) noexcept nogil:
    """The triangle across the side from corner k, turned the same way; -1: none, or several."""
    cdef int a = s.face[3 * t + k], b = s.face[3 * t + (k + 1) % 3], c = s.first[a], found = -1, other
    while c >= 0:
        other = c // 3
        if other != t and corner_of(s, other, b) >= 0:
            if found >= 0 or s.face[3 * other + (c % 3 + 2) % 3] != b:
                return -1
            found = other
        c = s.next[c]
    return found


cdef inline bint in_plane(const Surface* s, int t, int seed) noexcept nogil:
    cdef Vec3 n = s.normal[seed], origin = s.vertex[s.face[3 * seed]]
    cdef int k
    if dot3(n, s.normal[t]) < ONE_NORMAL:
        return False
    for k in range(3):
        if fabs(dot3(n, sub3(s.vertex[s.face[3 * t + k]], origin))) > s.tolerance:
            return False
    return True


cdef void grow_region(Surface* s, int seed, int* waiting) noexcept nogil:
    """Take in what lies in the plane of a triangle and hangs together with it."""
    cdef int n = 1, t, other, k
    waiting[0], s.region[seed] = seed, seed
    while n > 0:
        n -= 1
        t = waiting[n]
        for k in range(3):
            other = across(s, t, k)
            if other >= 0 and s.region[other] < 0 and in_plane(s, other, seed):
                s.region[other] = seed
                waiting[n] = other
                n += 1


cdef int find_regions(Surface* s, const int* order, int* waiting) noexcept nogil:
    """Set the regions, from the first triangles of an order on (NULL: as they come); how many they are."""
    cdef int i, t, n = 0
    memset(s.region, -1, s.n_triangles * sizeof(int))
    for i in range(s.n_triangles):
        t = order[i] if order is not NULL else i
        if s.region[t] < 0:
            grow_region(s, t, waiting)
            n += 1
    return n


# ---- vertices that may go ----------------------------------------------------------------------

cdef inline bint add_end(Star* star, int v) noexcept nogil:
    """Note a vertex of a line; False if there are two already."""
    if star.n_ends == 2:
        return False
    star.end[star.n_ends] = v
    star.n_ends += 1
    return True


cdef bint has_many_regions(const Surface* s, const Star* star) noexcept nogil:
    """Test whether more than two regions meet at a vertex, in any order."""
    cdef int i, one = s.region[star.t[0]], other = -1, r
    for i in range(1, star.n):
        r = s.region[star.t[i]]
        if r != one and r != other:
            if other >= 0:
                return True
            other = r
    return False


cdef bint find_ends(const Surface* s, Star* star, int v) noexcept nogil:
    """Set the line on which a vertex lies, if it is on one; False if the shape needs the vertex."""
    cdef Vec3 a, b
    cdef double length
    cdef int i
    star.n_ends = 0
    for i in range(0 if star.closed else 1, star.n):
        if s.region[star.t[i]] != s.region[star.t[i - 1 if i > 0 else star.n - 1]] and not add_end(star, star.p[i]):
            return False
    if not star.closed:
        if star.n_ends > 0:
            return False
        add_end(star, star.p[0])
        add_end(star, star.q[star.n - 1])
    if star.n_ends == 0:
        return True
    a, b = sub3(s.vertex[star.end[0]], s.vertex[v]), sub3(s.vertex[star.end[1]], s.vertex[v])
    length = norm3(sub3(b, a))
    return dot3(a, b) < 0.0 and norm3(cross3(a, b)) <= s.tolerance * length


cdef double shape_of(const Surface* s, int a, int b, int c, Vec3 normal) noexcept nogil:
    """Area of a triangle in units of that of an equilateral one with such sides, negative if it is turned over."""
    cdef Vec3 x = sub3(s.vertex[b], s.vertex[a]), y = sub3(s.vertex[c], s.vertex[a])
    cdef Vec3 z = sub3(y, x)
    return 2.0 * sqrt(3.0) * dot3(normal, cross3(x, y)) / (dot3(x, x) + dot3(y, y) + dot3(z, z))


cdef double least_shape(const Surface* s, const Star* star, int u) noexcept nogil:
    """Of the triangles that are left once the vertex is moved into u, a neighbour."""
    cdef double least = 1.0
    cdef int i
    for i in range(star.n):
        if star.p[i] != u and star.q[i] != u:
            least = min(least, shape_of(s, u, star.p[i], star.q[i], s.normal[s.region[star.t[i]]]))
    return least


cdef bint may_join(Surface* s, const Star* star, int v, int u) noexcept nogil:
    """Test that v may be moved into u: no more neighbours are common to both than the triangles between them have."""
    cdef Star other
    cdef int i, n = 0
    if not gather_star(s, u, &other) or star.n + other.n - 4 > MOST:
        return False
    for i in range(other.n):           # each neighbour of u is a p or a q once, or both
        n += find_number(star.p, 0, star.n, other.p[i]) >= 0 or (other.p[i] == star.q[star.n - 1])
        if find_number(other.p, 0, other.n, other.q[i]) < 0:
            n += find_number(star.p, 0, star.n, other.q[i]) >= 0 or (other.q[i] == star.q[star.n - 1])
    return n == (2 if star.closed else 1)


cdef int best_neighbour(Surface* s, const Star* star, int v) noexcept nogil:
    """The neighbour into which v is moved, for the best of worst shapes; -1: it stays."""
    cdef double best = LEAST_SHAPE, least
    cdef int i, u, found = -1
    for i in range(star.n_ends if star.n_ends > 0 else star.n):
        u = star.end[i] if star.n_ends > 0 else star.p[i]
        least = least_shape(s, star, u)
        if least > best and may_join(s, star, v, u):
            best, found = least, u
    return found


cdef void move_into(Surface* s, const Star* star, int v, int u) noexcept nogil:
    cdef int i, k, t
    for i in range(star.n):
        t = star.t[i]
        if star.p[i] == u or star.q[i] == u:
            s.gone[t] = True
            continue
        k = corner_of(s, t, v)
        s.face[3 * t + k] = u
        add_to_list(s, u, 3 * t + k)
    s.first[v] = -1


# ---- rounds ------------------------------------------------------------------------------------

cdef inline void look_again(int v, char* queued, int* later, int* n) noexcept nogil:
    if not queued[v]:
        queued[v] = True
        later[n[0]] = v
        n[0] += 1


cdef int one_round(Surface* s, int round_, const int* now, int n_now, int* touched, char* queued,
                   int* later) noexcept nogil:
    """Remove what may go of some vertices; how many are to be looked at in the next round."""
    cdef Star star
    cdef int i, k, v, u, n = 0
    for k in range(n_now):
        v = now[k]
        queued[v] = False
        if touched[v] == round_:
            look_again(v, queued, later, &n)
            continue
        if not gather_star(s, v, &star) or has_many_regions(s, &star):
            continue
        if not order_star(&star) or not find_ends(s, &star, v):
            continue
        u = best_neighbour(s, &star, v)
        if u < 0:
            continue
        move_into(s, &star, v, u)
        for i in range(star.n + (not star.closed)):
            u = star.p[i] if i < star.n else star.q[star.n - 1]
            touched[u] = round_
            look_again(u, queued, later, &n)
    return n


cdef struct Work:                  # vertices that are looked at
    int* now                       # in this round; before, triangles whose sides are looked at
    int* later                     # in the next one
    int* touched                   # of each the round in which something around it went
    char* queued                   # of each whether it is in `now` or `later`


cdef void lay_out(Arena* arena, Surface* s, Work* w) noexcept nogil:
    cdef size_t n = s.n_vertices, m = s.n_triangles
    s.first, s.next = <int*> place(arena, n, sizeof(int)), <int*> place(arena, 3 * m, sizeof(int))
    s.normal = <Vec3*> place(arena, m, sizeof(Vec3))
    s.region, s.gone = <int*> place(arena, m, sizeof(int)), <char*> place(arena, m, 1)
    w.now, w.later = <int*> place(arena, max(n, m), sizeof(int)), <int*> place(arena, n, sizeof(int))
    w.touched, w.queued = <int*> place(arena, n, sizeof(int)), <char*> place(arena, n, 1)


cdef void measure(Surface* s, double* area) noexcept nogil:
    """Set lists, normals, and twice the area of each triangle [m^2]."""
    cdef Vec3 a, n
    cdef int i, t
    memset(s.first, -1, s.n_vertices * sizeof(int))
    for i in range(3 * s.n_triangles):
        add_to_list(s, s.face[i], i)
    for t in range(s.n_triangles):
        a = s.vertex[s.face[3 * t]]
        n = cross3(sub3(s.vertex[s.face[3 * t + 1]], a), sub3(s.vertex[s.face[3 * t + 2]], a))
        area[t] = norm3(n)
        s.normal[t] = scale3(1.0 / area[t], n)


cdef void decimate(Surface* s, Work* w) noexcept nogil:
    """Mark the triangles that go, and write the corners of the others."""
    cdef int i, count = s.n_vertices, round_ = 0
    for i in range(s.n_vertices):
        w.now[i], w.queued[i] = i, True
    while count > 0:
        round_ += 1
        count = one_round(s, round_, w.now, count, w.touched, w.queued, w.later)
        w.now, w.later = w.later, w.now


def without_flat_vertices(vertices, faces):
    """Triangles of the same surface that use no vertex within flat regions or straight edges, as far as shapes allow.

    Where a triangle would be thinner than LEAST_SHAPE vertices stay.

    Parameters
    ----------
    vertices : (n, 3) ndarray of float
        Those in one place joined [m].
    faces : (m, 3) ndarray of int
        Corner numbers; each triangle has an area.

    Returns
    -------
    faces : (k, 3) ndarray of int32
        What is left, in the same order.
    """
    cdef const double[:, ::1] x = np.ascontiguousarray(vertices, dtype=np.float64)
    cdef int[:, ::1] f = np.array(faces, dtype=np.intc, order="C")
    cdef double[::1] area = np.empty(len(faces))
    gone = np.zeros(len(faces), dtype=bool)
    cdef char[::1] out = gone.view(np.int8)
    cdef const int[::1] order
    cdef Arena arena
    cdef Surface s
    cdef Work w
    cdef int n_regions
    memset(&arena, 0, sizeof(Arena))
    s.n_vertices, s.n_triangles = <int> x.shape[0], <int> f.shape[0]
    s.vertex, s.face, s.tolerance = <const Vec3*> &x[0, 0], &f[0, 0], ROUNDING * np.abs(vertices).max()
    lay_out(&arena, &s, &w)
    open_arena(&arena)
    lay_out(&arena, &s, &w)
    try:
        with nogil:
            measure(&s, &area[0])
            n_regions = find_regions(&s, NULL, w.now)
        if n_regions < s.n_triangles:
            order = np.argsort(-np.asarray(area), kind="stable").astype(np.intc)     # planes of the largest are best
            with nogil:
                find_regions(&s, &order[0], w.now)
                decimate(&s, &w)
            memcpy(&out[0], s.gone, s.n_triangles)
    finally:
        close_arena(&arena)
    return np.asarray(f)[~gone]
