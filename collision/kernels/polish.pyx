"""The last digits of nearest points, and of where two shapes touch.

A descent ends where distances are right to rounding.  Points and normals are so only to its root, as distances are flat
there; what is left is a system of equations.  With x_a and x_b on patches (patch.pxd) along the normal n, into a,

    x_a - x_b + t way = gap n,    n . e = 0 for every direction e along which one of the patches goes on,

of which either the gap between the cores or, for shapes that are shifted until they touch, the share t of a way is not
known.  Newton's method solves it, and does not mind that the gap is zero: J. Nocedal, S. Wright, Numerical Optimization
(2006), chapter 11 for the method, and section 12.3 for the conditions.  Where edges or faces are parallel, the points
may go on along both at once: some unknowns are free, which a step leaves as they are.  On which patches the points are
is not known for certain: those that the normal tells of at several blurs are tried, and what is beyond the end of one
that is left.
A solution counts if both points are in their cores, and if the plane along n keeps the cores as far apart as the points
are: of convex cores that is the nearest, and no other.  Otherwise what was found before stays.
"""

from libc.math cimport fabs, fmax

from rbdyn.collision._types cimport BOX_CORE, HULL_CORE, Pose
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.patch cimport Patch, begin_on, bend_of, moved_on, patch_of, point_on
from rbdyn.collision.kernels.patch_ends cimport holds, leave
from rbdyn.collision.kernels.vectors cimport along, norm3, perpendicular
from rbdyn.spatial._algebra cimport add3, cross3, dot3, neg3, scale3, sub3, zero3

cdef enum:
    MAX_UNKNOWN = 7                    # two of the normal, the gap or the share, and two along each patch
    MAX_NEWTON = 12                    # steps; three are usual
    MAX_PATCHES = 5                    # of one pair, each beyond the end of the last
    N_BLURS = 4
cdef double* BLUR = [1e-9, 1e-6, 1e-4, 1e-2]          # [rad]

cdef struct Touch:                     # of two cores
    Vec3 n                             # unit, from b to a
    Vec3 x_a, x_b                      # as they are now, relative to b's origin [m]
    double gap                         # [m]
    double t                           # share of the way
    double[2] s_a, s_b                 # along the directions of the patches [m]


cdef void solve(double[MAX_UNKNOWN][MAX_UNKNOWN + 1] m, int n) noexcept nogil:
    """Gauss's elimination with pivots, in place; the solution is in the last column.

    Unknowns that the others leave free are 0, and equations that the others contradict are left out.
    """
    cdef int[MAX_UNKNOWN] row_of
    cdef int i, j, k, best, rank = 0
    cdef double f
    cdef double[MAX_UNKNOWN] x
    for i in range(n):
        row_of[i] = -1
        best = rank
        for j in range(rank + 1, n):
            if fabs(m[j][i]) > fabs(m[best][i]):
                best = j
        if not fabs(m[best][i]) > 1e-13:
            continue
        for k in range(i, n + 1):
            m[rank][k], m[best][k] = m[best][k], m[rank][k]
        for j in range(n):
            if j != rank:
                f = m[j][i] / m[rank][i]
                for k in range(i, n + 1):
                    m[j][k] -= f * m[rank][k]
        row_of[i] = rank
        rank += 1
    for i in range(n):
        x[i] = m[row_of[i]][n] / m[row_of[i]][i] if row_of[i] >= 0 else 0.0
    for i in range(n):
        m[i][n] = x[i]


cdef void write_column(double[MAX_UNKNOWN][MAX_UNKNOWN + 1] m, int column, Vec3 x) noexcept nogil:
    m[0][column], m[1][column], m[2][column] = x.x, x.y, x.z


cdef double miss(const PosedShape* a, const PosedShape* b, Patch* p, Patch* q, Vec3 way, Touch* u, double size,
                 Vec3* off, double* tilt) noexcept nogil:
    """By how much the equations are not met, [m] and shares of `size`; writes the points."""
    cdef double most
    cdef int k
    u.x_a = point_on(a, p, neg3(u.n), u.s_a)
    u.x_b = point_on(b, q, u.n, u.s_b)
    off[0] = along(along(sub3(u.x_a, u.x_b), u.t, way), -u.gap, u.n)
    most = norm3(off[0])
    for k in range(p.n_along):
        tilt[k] = dot3(u.n, p.along[k])
        most = fmax(most, size * fabs(tilt[k]))
    for k in range(q.n_along):
        tilt[p.n_along + k] = dot3(u.n, q.along[k])
        most = fmax(most, size * fabs(tilt[p.n_along + k]))
    return most


cdef bint settle(const PosedShape* a, const PosedShape* b, Patch* p, Patch* q, Vec3 way, bint shifted, double size,
                 Touch* u) noexcept nogil:
    """Newton's method on these patches from what `u` says; False if it does not get to rounding."""
    cdef double[MAX_UNKNOWN][MAX_UNKNOWN + 1] m
    cdef double[4] tilt
    cdef double last, now, step
    cdef Touch tried
    cdef Vec3 off, off_then, c, d, e
    cdef int k, row, n_p = p.n_along, n_q = q.n_along, n = 3 + n_p + n_q
    last = miss(a, b, p, q, way, u, size, &off, tilt)
    for _ in range(MAX_NEWTON):
        if last <= 3e-16 * size:
            break
        c = perpendicular(u.n)
        d = cross3(u.n, c)
        for k in range(2):
            e = d if k else c
            write_column(m, k, scale3(1.0 / size, along(sub3(
                moved_on(a, p, neg3(u.n), neg3(e), u.s_a[0]), moved_on(b, q, u.n, e, u.s_b[0])), -u.gap, e)))
            for row in range(3, n):
                m[row][k] = dot3(e, p.along[row - 3] if row < 3 + n_p else q.along[row - 3 - n_p])
        write_column(m, 2, scale3(1.0 / norm3(way), way) if shifted else neg3(u.n))
        for k in range(n_p):
            write_column(m, 3 + k, p.along[k])
        for k in range(n_q):
            write_column(m, 3 + n_p + k, neg3(q.along[k]))
        write_column(m, n, scale3(-1.0 / size, off))
        for row in range(3, n):
            for k in range(2, n):
                m[row][k] = 0.0
            if row == 3 and n_p > 0:
                m[row][row] = size * bend_of(a, p, u.n)
            elif row == 3 + n_p:
                m[row][row] = size * bend_of(b, q, u.n)
            m[row][n] = -tilt[row - 3]
        solve(m, n)
        tried = u[0]
        e = add3(scale3(m[0][n], c), scale3(m[1][n], d))
        step = norm3(e)
        step = 0.5 / step if step > 0.5 else 1.0
        tried.n = along(u.n, step, e)
        tried.n = scale3(1.0 / norm3(tried.n), tried.n)
        if shifted:
            tried.t += step * size * m[2][n] / norm3(way)
        else:
            tried.gap += step * size * m[2][n]
        for k in range(n_p):
            tried.s_a[k] += step * size * m[3 + k][n]
        for k in range(n_q):
            tried.s_b[k] += step * size * m[3 + n_p + k][n]
        now = miss(a, b, p, q, way, &tried, size, &off_then, tilt)
        if not now < last and last <= 1e-13 * size:        # rounding stops it
            miss(a, b, p, q, way, u, size, &off, tilt)
            break
        if not now < 4.0 * last + 0.1 * size:
            break
        u[0], last, off = tried, now, off_then
    return last <= 1e-13 * size


cdef bint is_between(const PosedShape* a, const PosedShape* b, Vec3 way, double size, const Touch* u) noexcept nogil:
    """Whether the plane along n keeps the cores as far apart as the points are."""
    cdef Vec3 w = along(sub3(support(a, neg3(u.n)), support(b, u.n)), u.t, way)
    return dot3(u.n, w) >= u.gap - 1e-13 * size


cdef bint settle_within(const PosedShape* a, const PosedShape* b, Patch* p, Patch* q, Vec3 way, bint shifted,
                        double size, Touch* u) noexcept nogil:
    """`settle`, and on from patches whose ends it passes; False if it does not end at the best plane.

    Of cores that overlap there are many such planes: it must be the one that was found before.
    """
    cdef double hair = 1e-13 * size, least = min(0.0, u.gap - 1e-6 * size)
    cdef bint in_a, in_b
    begin_on(a, p, neg3(u.n), u.x_a, u.s_a)
    begin_on(b, q, u.n, u.x_b, u.s_b)
    for _ in range(MAX_PATCHES):
        if not (settle(a, b, p, q, way, shifted, size, u) and u.gap >= least and is_between(a, b, way, size, u)):
            return False
        in_a, in_b = p.n_along == 0 or holds(a, u.x_a, hair), q.n_along == 0 or holds(b, u.x_b, hair)
        if in_a and in_b:
            return True
        if not in_a:
            leave(a, neg3(u.n), u.x_a, p)
            begin_on(a, p, neg3(u.n), u.x_a, u.s_a)
        if not in_b:
            leave(b, u.n, u.x_b, q)
            begin_on(b, q, u.n, u.x_b, u.s_b)
    return False


cdef bint is_like(const Patch* p, const Patch* q) noexcept nogil:
    """Whether two patches that one normal tells of, blurred differently, are the same."""
    return p.n_along == q.n_along and p.sort == q.sort


cdef bint search(const PosedShape* a, const PosedShape* b, Vec3 way, bint shifted, double size,
                 Touch* u) noexcept nogil:
    """From the patches that the normal tells of, until one pair of them proves to be right."""
    cdef Patch p, last, on_a, on_b
    cdef Patch[N_BLURS] q
    cdef Touch tried
    cdef int i, j, n = 0
    for i in range(N_BLURS):
        patch_of(a, neg3(u.n), BLUR[i], &p)
        if i > 0 and is_like(&p, &last):
            continue
        for j in range(N_BLURS):
            if j == n:
                patch_of(b, u.n, BLUR[j], q + j)
                n += 1
            if j > 0 and is_like(q + j, q + j - 1):
                continue
            tried, on_a, on_b = u[0], p, q[j]
            if settle_within(a, b, &on_a, &on_b, way, shifted, size, &tried):
                u[0] = tried
                return True
        last = p
    return False


cdef void start(const PosedShape* a, const PosedShape* b, const Nearest* at, Touch* u) noexcept nogil:
    """From what is known: the points of the cores, seen from b's origin."""
    u.n, u.t = at.normal, 0.0
    u.s_a[0] = u.s_a[1] = u.s_b[0] = u.s_b[1] = 0.0
    u.gap = at.distance + core_radius(a) + core_radius(b)
    u.x_a = sub3(along(at.on_a, core_radius(a), at.normal), b.X.p)
    u.x_b = sub3(along(at.on_b, -core_radius(b), at.normal), b.X.p)


cdef void keep(const PosedShape* a, const PosedShape* b, const Touch* u, Nearest* at) noexcept nogil:
    at.normal, at.distance = u.n, u.gap - core_radius(a) - core_radius(b)
    at.on_a = add3(b.X.p, along(u.x_a, -core_radius(a), u.n))
    at.on_b = add3(b.X.p, along(u.x_b, core_radius(b), u.n))


cdef bint is_polytope(const PosedShape* a) noexcept nogil:
    return a.s.core == BOX_CORE or a.s.core == HULL_CORE


cdef bint polish(const PosedShape* a, const PosedShape* b, Nearest* at) noexcept nogil:
    """Bring the nearest points of two convex shapes that were found to rounding.

    Of two polytopes they are there already, unless the gap is so small that it blurs the normal.  False, and nothing
    changed, if that cannot be done.
    """
    cdef PosedShape c = a[0], d = b[0]
    cdef Pose X = a.X[0], Y = b.X[0]
    cdef Touch u
    cdef double size
    start(a, b, at, &u)
    size = a.s.bounds.radius + b.s.bounds.radius + fabs(u.gap)
    if is_polytope(a) and is_polytope(b) and fabs(u.gap) > 1e-4 * size:
        return True
    X.p, Y.p = sub3(a.X.p, b.X.p), zero3()
    c.X, d.X = &X, &Y
    if not search(&c, &d, zero3(), False, size, &u):
        return False
    keep(a, b, &u, at)
    return True


cdef bint touch(const PosedShape* a, const PosedShape* b, Vec3 way, double* t, Nearest* at) noexcept nogil:
    """Where a touches b on its way, at which share t of it, from what is nearest now and a guess of t.

    False, and nothing changed, if that cannot be told yet.
    """
    cdef PosedShape c = a[0], d = b[0]
    cdef Pose X = a.X[0], Y = b.X[0]
    cdef Touch u
    cdef double size
    start(a, b, at, &u)
    size = a.s.bounds.radius + b.s.bounds.radius + fabs(u.gap)
    X.p, Y.p = sub3(a.X.p, b.X.p), zero3()
    c.X, d.X = &X, &Y
    u.t, u.gap = t[0], core_radius(a) + core_radius(b)
    if not (search(&c, &d, way, True, size, &u) and u.t >= 0.0 and dot3(u.n, way) < 0.0):
        return False
    t[0] = u.t
    keep(a, b, &u, at)
    at.on_a = add3(at.on_a, scale3(u.t, way))
    return True
