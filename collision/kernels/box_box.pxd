# Box against box: separating axes, then the overlap of two faces or the meeting of two edges.
#
# Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree (SIGGRAPH 1996), section 5, for the 15
# axes; RTCD, sections 4.4.1 and 8.3.4.
#
# Everything happens in the frame of one box P with the other box Q at t, its axes the
# columns of C.  Features name corners and edges of the two boxes, not the faces that were
# compared, so that a contact keeps its name when the reference face changes:
#   k           corner k of the second box lies under a face of the first
#   8 + k       corner k of the first box lies under a face of the second
#   16 + 12 e + f    edge e of the first box crosses edge f of the second
# Corner: bit i is set on the positive side of axis i.  Edge: 4 i + the bits of the two
# axes after i.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport MAX_POINTS, Manifold, add_point, clear
from rbdyn.collision.kernels.support.box cimport box_of
from rbdyn.collision.kernels.vectors cimport axis_x, axis_y, axis_z, clamp
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3


cdef struct BoxPair:               # two boxes in the frame of P
    double[3] p                    # half sides of P [m]
    double[3] q                    # half sides of Q [m]
    double[3][3] C                 # C[i][j] = P_i . Q_j
    double[3] t                    # centre of Q [m]

cdef struct Facet:                 # the face of Q that is turned towards P, in face coordinates (u, v, height)
    double[3] f                    # [m] its centre
    double[2][3] e                 # [m] its two half edges
    int axis                       # its normal is the axis of Q with this number ...
    double sign                    # ... times this

cdef struct Spot:                  # a candidate contact on the reference face
    double u, v                    # [m] where, along the two axes of the face
    double gap                     # [m] height of Q's surface above the face
    int feature


cdef inline Vec3 column(const Mat3* R, int i) noexcept nogil:
    return axis_x(R) if i == 0 else (axis_y(R) if i == 1 else axis_z(R))


cdef inline void relate(const PosedShape* a, const PosedShape* b, BoxPair* k) noexcept nogil:
    cdef Vec3 t = tmul3(a.X.R, sub3(b.X.p, a.X.p))
    cdef Vec3 x = tmul3(a.X.R, axis_x(&b.X.R)), y = tmul3(a.X.R, axis_y(&b.X.R)), z = tmul3(a.X.R, axis_z(&b.X.R))
    k.p[0], k.p[1], k.p[2] = box_of(a).half.x, box_of(a).half.y, box_of(a).half.z
    k.q[0], k.q[1], k.q[2] = box_of(b).half.x, box_of(b).half.y, box_of(b).half.z
    k.C[0][0], k.C[0][1], k.C[0][2] = x.x, y.x, z.x
    k.C[1][0], k.C[1][1], k.C[1][2] = x.y, y.y, z.y
    k.C[2][0], k.C[2][1], k.C[2][2] = x.z, y.z, z.z
    k.t[0], k.t[1], k.t[2] = t.x, t.y, t.z


cdef inline void reverse(const BoxPair* k, BoxPair* r) noexcept nogil:
    """The same pair seen from Q: C^T and -C^T t."""
    cdef int i, j
    for i in range(3):
        r.p[i] = k.q[i]
        r.q[i] = k.p[i]
        r.t[i] = -(k.C[0][i] * k.t[0] + k.C[1][i] * k.t[1] + k.C[2][i] * k.t[2])
        for j in range(3):
            r.C[i][j] = k.C[j][i]


# ---- separating axes ---------------------------------------------------------------------

cdef inline double face_separation(const BoxPair* k, int* face) noexcept nogil:
    """Largest gap along a face normal of P (negative: overlap), and the axis of that face."""
    cdef double best = -1e300, gap
    cdef int i
    for i in range(3):
        gap = fabs(k.t[i]) - k.p[i] - (
            fabs(k.C[i][0]) * k.q[0] + fabs(k.C[i][1]) * k.q[1] + fabs(k.C[i][2]) * k.q[2])
        if gap > best:
            best = gap
            face[0] = i
    return best


cdef inline double edge_separation(const BoxPair* k, int* edge_p, int* edge_q) noexcept nogil:
    """Largest gap along P_i x Q_j; nearly parallel edges are left to the faces."""
    cdef double best = -1e300, gap, length2
    cdef int i, j, i1, i2, j1, j2
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            length2 = k.C[i1][j] * k.C[i1][j] + k.C[i2][j] * k.C[i2][j]    # sin^2 of their angle
            if length2 < 1e-8:
                continue
            # P_i x Q_j has components -C[i2][j] and C[i1][j] along P's other axes
            gap = fabs(k.t[i2] * k.C[i1][j] - k.t[i1] * k.C[i2][j]) - (
                k.p[i1] * fabs(k.C[i2][j]) + k.p[i2] * fabs(k.C[i1][j])
                + k.q[j1] * fabs(k.C[i][j2]) + k.q[j2] * fabs(k.C[i][j1]))
            gap /= sqrt(length2)
            if gap > best:
                best = gap
                edge_p[0] = i
                edge_q[0] = j
    return best


cdef inline double box_gap(const PosedShape* a, const PosedShape* b, Vec3* n) noexcept nogil:
    """The largest gap along one of the 15 axes [m], negative: overlap; n is that axis, world, unit, from b to a."""
    cdef BoxPair k, r
    cdef int face_a = 0, face_b = 0, i = 0, j = 0
    cdef double gap_a, gap_b, gap_e
    relate(a, b, &k)
    reverse(&k, &r)
    gap_a, gap_b = face_separation(&k, &face_a), face_separation(&r, &face_b)
    gap_e = edge_separation(&k, &i, &j)
    if gap_e > max(gap_a, gap_b):
        n[0] = cross3(column(&a.X.R, i), column(&b.X.R, j))
        n[0] = scale3(1.0 / sqrt(dot3(n[0], n[0])), n[0])
    else:
        n[0] = column(&a.X.R, face_a) if gap_a >= gap_b else column(&b.X.R, face_b)
    if dot3(n[0], sub3(a.X.p, b.X.p)) < 0.0:
        n[0] = neg3(n[0])
    return max(max(gap_a, gap_b), gap_e)


# ---- two faces ---------------------------------------------------------------------------

cdef inline int corner_number(int i, bint si, int j, bint sj, int k, bint sk) noexcept nogil:
    return (si << i) | (sj << j) | (sk << k)

cdef inline int edge_number(int axis, int i, bint si, int j, bint sj) noexcept nogil:
    """Number of the edge along `axis`, on sides si and sj of the axes i and j."""
    return 4 * axis + (si + 2 * sj if i == (axis + 1) % 3 else sj + 2 * si)

cdef inline int edge_feature(int edge_p, int edge_q, bint flipped) noexcept nogil:
    return 16 + (12 * edge_q + edge_p if flipped else 12 * edge_p + edge_q)


cdef inline int keep(Spot* spot, int n, double u, double v, double gap, int feature, double near) noexcept nogil:
    """Add a candidate, unless one stands there already; the deeper of two neighbours stays."""
    cdef int k
    for k in range(n):
        if fabs(spot[k].u - u) < near and fabs(spot[k].v - v) < near:
            if gap >= spot[k].gap - 0.01 * near:
                return n
            spot[k].u, spot[k].v, spot[k].gap, spot[k].feature = u, v, gap, feature
            return n
    if n == MAX_POINTS:
        return n
    spot[n].u, spot[n].v, spot[n].gap, spot[n].feature = u, v, gap, feature
    return n + 1


cdef inline void lean(double* x, const double* slant) noexcept nogil:
    """See x along the normal of the contacts, which leans over by this much for every metre of height."""
    x[0] -= slant[0] * x[2]
    x[1] -= slant[1] * x[2]


cdef inline Facet facing(const BoxPair* k, int face, double side, const double* slant) noexcept nogil:
    """The face of Q whose normal points most against side * P_face, seen along the normal of the contacts."""
    cdef Facet q
    cdef int iu = (face + 1) % 3, iv = (face + 2) % 3, j, c, l
    j = 0 if fabs(k.C[face][0]) >= fabs(k.C[face][1]) else 1
    j = 2 if fabs(k.C[face][2]) > fabs(k.C[face][j]) else j
    q.axis = j
    q.sign = -side if k.C[face][j] >= 0.0 else side
    q.f[0] = k.t[iu] + q.sign * k.q[j] * k.C[iu][j]
    q.f[1] = k.t[iv] + q.sign * k.q[j] * k.C[iv][j]
    q.f[2] = side * (k.t[face] + q.sign * k.q[j] * k.C[face][j]) - k.p[face]
    for c in range(2):
        l = (j + 1 + c) % 3
        q.e[c][0], q.e[c][1], q.e[c][2] = k.q[l] * k.C[iu][l], k.q[l] * k.C[iv][l], side * k.q[l] * k.C[face][l]
        lean(q.e[c], slant)
    lean(q.f, slant)
    return q


cdef inline int corners_of_q(
        const BoxPair* k, int face, const Facet* q, int first, double margin, double near,
        Spot* spot, int n) noexcept nogil:
    """Corners of Q's face above P's, or beside it by a hair: those move onto the rim."""
    cdef double hu = k.p[(face + 1) % 3], hv = k.p[(face + 2) % 3], x, y, z
    cdef int a, b
    for a in range(2):
        for b in range(2):
            x = q.f[0] + (2 * a - 1) * q.e[0][0] + (2 * b - 1) * q.e[1][0]
            y = q.f[1] + (2 * a - 1) * q.e[0][1] + (2 * b - 1) * q.e[1][1]
            z = q.f[2] + (2 * a - 1) * q.e[0][2] + (2 * b - 1) * q.e[1][2]
            if z < margin and fabs(x) <= hu + 0.25 * near and fabs(y) <= hv + 0.25 * near:
                n = keep(spot, n, clamp(x, -hu, hu), clamp(y, -hv, hv), z, first + corner_number(
                    q.axis, q.sign > 0.0, (q.axis + 1) % 3, a, (q.axis + 2) % 3, b), near)
    return n


cdef inline int corners_of_p(
        const BoxPair* k, int face, double side, const Facet* q, int first, double margin, double near,
        Spot* spot, int n) noexcept nogil:
    """Corners of P's face under Q's, or beside it by a hair."""
    cdef int iu = (face + 1) % 3, iv = (face + 2) % 3, a, b
    cdef double det = q.e[0][0] * q.e[1][1] - q.e[0][1] * q.e[1][0], x, y, z, alpha, beta
    # a hair, in units of the half edges
    cdef double hair_a = 1.0 + 0.25 * near / k.q[(q.axis + 1) % 3], hair_b = 1.0 + 0.25 * near / k.q[(q.axis + 2) % 3]
    for a in range(2):
        for b in range(2):
            x = (2 * a - 1) * k.p[iu]
            y = (2 * b - 1) * k.p[iv]
            alpha = ((x - q.f[0]) * q.e[1][1] - (y - q.f[1]) * q.e[1][0]) / det
            beta = ((y - q.f[1]) * q.e[0][0] - (x - q.f[0]) * q.e[0][1]) / det
            z = q.f[2] + alpha * q.e[0][2] + beta * q.e[1][2]
            if fabs(alpha) <= hair_a and fabs(beta) <= hair_b and z < margin:
                n = keep(spot, n, x, y, z, first + corner_number(face, side > 0.0, iu, a, iv, b), near)
    return n


cdef inline int overlap_faces(
        const BoxPair* k, int face, double side, const double* slant, bint flipped, double margin,
        Spot* spot) noexcept nogil:
    """Corners of the intersection of P's face on this side with the face of Q turned towards it.

    They are of three kinds: corners of Q's face, corners of P's face, and crossings of edges.
    Spots nearer than 2 % of the smallest side are merged.  The corners of the pair's second
    box come first, whichever is P, so that boxes of one size give the same names either way.
    """
    cdef Facet q = facing(k, face, side, slant)
    cdef double near = 0.04 * min(min(k.p[(face + 1) % 3], k.p[(face + 2) % 3]),
                                  min(k.q[(q.axis + 1) % 3], k.q[(q.axis + 2) % 3]))
    cdef int n = 0
    if flipped:
        n = corners_of_p(k, face, side, &q, 0, margin, near, spot, n)
        n = corners_of_q(k, face, &q, 8, margin, near, spot, n)
    else:
        n = corners_of_q(k, face, &q, 0, margin, near, spot, n)
        n = corners_of_p(k, face, side, &q, 8, margin, near, spot, n)
    return cross_edges(k, face, side, &q, flipped, margin, near, spot, n)


cdef inline int cross_edges(
        const BoxPair* k, int face, double side, const Facet* q, bint flipped, double margin, double near,
        Spot* spot, int n) noexcept nogil:
    """Crossings of the four edges of Q's face with the four sides of P's."""
    cdef int c, b, d, s, i, edge_q, edge_p
    cdef int[2] axis
    cdef double[2] half
    cdef double[3] start
    cdef double alpha, other
    axis[0], axis[1] = (face + 1) % 3, (face + 2) % 3
    half[0], half[1] = k.p[axis[0]], k.p[axis[1]]
    for c in range(2):                                   # Q's edge runs along half edge c ...
        for b in range(2):                               # ... on side b of the other one
            for i in range(3):
                start[i] = q.f[i] + (2 * b - 1) * q.e[1 - c][i]
            edge_q = edge_number((q.axis + 1 + c) % 3, (q.axis + 2 - c) % 3, b, q.axis, q.sign > 0.0)
            for d in range(2):                           # P's side lies at -+half[d]
                if fabs(q.e[c][d]) < 0.125 * near:       # nearly parallel: the corners stand for it
                    continue
                for s in range(2):
                    alpha = ((2 * s - 1) * half[d] - start[d]) / q.e[c][d]
                    other = start[1 - d] + alpha * q.e[c][1 - d]
                    if fabs(alpha) >= 1.0 or fabs(other) >= half[1 - d] or start[2] + alpha * q.e[c][2] >= margin:
                        continue
                    edge_p = edge_number(axis[1 - d], axis[d], s, face, side > 0.0)
                    n = keep(spot, n, start[0] + alpha * q.e[c][0], start[1] + alpha * q.e[c][1],
                             start[2] + alpha * q.e[c][2], edge_feature(edge_p, edge_q, flipped), near)
    return n


cdef inline Vec3 face_normal(const BoxPair* k, int face) noexcept nogil:
    """P_face, or its opposite, out of P towards Q, in its frame."""
    cdef double side = 1.0 if k.t[face] >= 0.0 else -1.0
    return vec3(side if face == 0 else 0.0, side if face == 1 else 0.0, side if face == 2 else 0.0)


cdef inline void touch_faces(
        const PosedShape* ref, const BoxPair* k, int face, Vec3 n, bint flipped, double margin,
        Manifold* m) noexcept nogil:
    """Contacts on a face of `ref`, the box P of k, along n, nearly its normal; flipped: P is the second one."""
    cdef Spot spot[MAX_POINTS]
    cdef double[3] x
    cdef double[2] slant
    cdef int iu = (face + 1) % 3, iv = (face + 2) % 3, count, i
    cdef double rise, side
    cdef Vec3 normal = mul3(ref.X.R, n)                  # out of P
    x[0], x[1], x[2] = n.x, n.y, n.z
    side, rise = (1.0 if x[face] >= 0.0 else -1.0), fabs(x[face])
    slant[0], slant[1] = x[iu] / rise, x[iv] / rise
    m.normal = normal if flipped else neg3(normal)
    count = overlap_faces(k, face, side, slant, flipped, margin * rise, spot)
    for i in range(count):
        x[face] = side * (k.p[face] + 0.5 * spot[i].gap)
        x[iu] = spot[i].u + 0.5 * spot[i].gap * slant[0]
        x[iv] = spot[i].v + 0.5 * spot[i].gap * slant[1]
        add_point(m, add3(ref.X.p, mul3(ref.X.R, vec3(x[0], x[1], x[2]))), -spot[i].gap / rise, spot[i].feature)


# ---- two edges ---------------------------------------------------------------------------

cdef inline double toward(const double* half, int skip, Vec3 n, double* x, int* corner) noexcept nogil:
    """Middle x of the edge along axis `skip` that reaches farthest along n; its sides as bits."""
    cdef int i
    corner[0] = 0
    for i in range(3):
        x[i] = 0.0
        if i != skip:
            corner[0] |= ((n.x if i == 0 else (n.y if i == 1 else n.z)) >= 0.0) << i
            x[i] = half[i] if corner[0] & (1 << i) else -half[i]
    return half[skip]


cdef inline Vec3 edge_normal(const BoxPair* k, int i, int j) noexcept nogil:
    """P_i x Q_j out of P, unit, in its frame."""
    cdef Vec3 n = cross3(vec3(i == 0, i == 1, i == 2), vec3(k.C[0][j], k.C[1][j], k.C[2][j]))
    return scale3((1.0 if dot3(n, vec3(k.t[0], k.t[1], k.t[2])) >= 0.0 else -1.0) / sqrt(dot3(n, n)), n)


cdef inline void touch_edges(
        const PosedShape* a, const BoxPair* k, int i, int j, double gap, Manifold* m) noexcept nogil:
    """The nearest points of edge i of the first box and edge j of the second: one contact."""
    cdef Vec3 u = vec3(i == 0, i == 1, i == 2), v = vec3(k.C[0][j], k.C[1][j], k.C[2][j])
    cdef Vec3 n = edge_normal(k, i, j), n_q, x, y, w, t = vec3(k.t[0], k.t[1], k.t[2])
    cdef double[3] local
    cdef double h_u, h_v, s, r, sine2
    cdef int corner_a, corner_b, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3
    cdef Mat3 C
    sine2 = k.C[i1][j] * k.C[i1][j] + k.C[i2][j] * k.C[i2][j]
    C.xx, C.xy, C.xz = k.C[0][0], k.C[0][1], k.C[0][2]
    C.yx, C.yy, C.yz = k.C[1][0], k.C[1][1], k.C[1][2]
    C.zx, C.zy, C.zz = k.C[2][0], k.C[2][1], k.C[2][2]
    h_u = toward(k.p, i, n, local, &corner_a)
    x = vec3(local[0], local[1], local[2])
    n_q = tmul3(C, neg3(n))
    h_v = toward(k.q, j, n_q, local, &corner_b)
    y = add3(t, mul3(C, vec3(local[0], local[1], local[2])))
    w = sub3(y, x)                                       # nearest points x + s u and y + r v
    s = clamp((dot3(w, u) - dot3(u, v) * dot3(w, v)) / sine2, -h_u, h_u)
    r = clamp((dot3(u, v) * dot3(w, u) - dot3(w, v)) / sine2, -h_v, h_v)
    x = scale3(0.5, add3(add3(x, scale3(s, u)), add3(y, scale3(r, v))))
    m.normal = mul3(a.X.R, neg3(n))
    add_point(m, add3(a.X.p, mul3(a.X.R, x)), -gap, edge_feature(
        edge_number(i, i1, (corner_a >> i1) & 1, i2, (corner_a >> i2) & 1),
        edge_number(j, j1, (corner_b >> j1) & 1, j2, (corner_b >> j2) & 1), False))


cdef inline int steepest(Vec3 n, double* along) noexcept nogil:
    """The axis that is nearest to n, and the size of its component along it."""
    cdef double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z)
    along[0] = max(max(x, y), z)
    return 0 if along[0] == x else (1 if along[0] == y else 2)


cdef inline void touch_faces_at_edges(
        const PosedShape* a, const PosedShape* b, const BoxPair* k, const BoxPair* r, int i, int j, double gap,
        double slack, double margin, Manifold* m) noexcept nogil:
    """Contacts of two boxes whose edges meet along a normal that is nearly one of their faces'.

    Long boxes that cross, and are hardly rolled, rest on edges: a face's plane cuts the other box far away.  They roll
    over from one edge to another within a step, and so the whole of what the faces have in common is told.
    """
    cdef Vec3 n = edge_normal(k, i, j), n_q
    cdef double along_p, along_q, deepest = -1e300
    cdef int l, face_p, face_q
    n_q = vec3(-(k.C[0][0] * n.x + k.C[1][0] * n.y + k.C[2][0] * n.z),
               -(k.C[0][1] * n.x + k.C[1][1] * n.y + k.C[2][1] * n.z),
               -(k.C[0][2] * n.x + k.C[1][2] * n.y + k.C[2][2] * n.z))
    face_p, face_q = steepest(n, &along_p), steepest(n_q, &along_q)
    if max(along_p, along_q) < 0.98:                     # more than 11 degrees off
        touch_edges(a, k, i, j, gap, m)
        return
    if along_p >= along_q:
        touch_faces(a, k, face_p, n, False, margin, m)
    else:
        touch_faces(b, r, face_q, n_q, True, margin, m)
    for l in range(m.n):
        deepest = max(deepest, m.depth[l])
    if deepest < -gap - slack:
        clear(m)
        touch_edges(a, k, i, j, gap, m)


cdef inline void box_box(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """Up to eight points on a face, or one between two edges that meet far from any face.

    A face of the first box is preferred to one of the second, and a face to an edge,
    unless the other clearly overlaps less: a box at rest keeps its manifold, and the depth
    exceeds the least one by 0.1 % of the smallest half side, or 5 %, at most.
    """
    cdef Manifold m
    cdef BoxPair k, r
    cdef double gap_a, gap_b, gap_e, slack
    cdef int face_a = 0, face_b = 0, i = 0, j = 0
    clear(&m)
    relate(a, b, &k)
    gap_a = face_separation(&k, &face_a)
    if gap_a >= margin:
        return
    reverse(&k, &r)
    gap_b = face_separation(&r, &face_b)
    if gap_b >= margin:
        return
    gap_e = edge_separation(&k, &i, &j)
    if gap_e >= margin:
        return
    slack = 1e-3 * min(min(min(k.p[0], k.p[1]), k.p[2]), min(min(k.q[0], k.q[1]), k.q[2]))
    if gap_e > max(gap_a, gap_b) + slack + 0.05 * fabs(max(gap_a, gap_b)):
        touch_faces_at_edges(a, b, &k, &r, i, j, gap_e, slack, margin, &m)
        emit(sink, &m)
        return
    if gap_b <= gap_a + slack:
        touch_faces(a, &k, face_a, face_normal(&k, face_a), False, margin, &m)
    else:
        touch_faces(b, &r, face_b, face_normal(&r, face_b), True, margin, &m)
    if m.n == 0 and gap_e > -1e290:          # the faces only meet beyond their edges
        touch_edges(a, &k, i, j, gap_e, &m)
    emit(sink, &m)
