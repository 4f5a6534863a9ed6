# An articulated system in normalised coordinates: the columns of its factors, velocities from them, and back.
#
# With M~ = C^-1 C^-T the velocity is v = C^T x, and half of x . x the kinetic energy.  A constraint with the Jacobian J
# has the row y = C J^T there, which impulse propagation writes (builder.pyx).

from libc.math cimport sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport solve_upper
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, is_revolute, joint_column
from rbdyn.spatial._algebra cimport (
    Force, Motion, Vec3, add3, add_f, add_m, cross3, dot3, force, motion, mul3, power, scale_f, scale_m, sub3, sub_f,
    sub_m, tmul3, vec3, zero_f, zero_m,
)
from rbdyn.stepping.scene cimport System

cdef enum:
    FEW = 2                   # degrees of freedom for each row of friction or of a mimic: fewer rows are not worth it

cdef inline Motion world_motion(const System* s, const CData* d, int i, Motion a) noexcept nogil:
    """A motion vector of body i, in world axes about the system's origin."""
    cdef Vec3 w = mul3(d.R[i], a.w)
    return motion(w, add3(mul3(d.R[i], a.v), cross3(sub3(d.p[i], s.work.origin), w)))

cdef inline Motion world_column(const System* s, const CData* d, int i) noexcept nogil:
    """The one column of the joint of body i, likewise; of a revolute joint it is a turn about z."""
    cdef Vec3 w
    if not is_revolute(s.m, i):
        return world_motion(s, d, i, joint_column(s.m, d, i, 0))
    w = vec3(d.R[i].xz, d.R[i].yz, d.R[i].zz)
    return motion(w, cross3(sub3(d.p[i], s.work.origin), w))

cdef inline Force world_force(const System* s, const CData* d, int i, Force a) noexcept nogil:
    """A force vector of body i, in world axes about the system's origin."""
    cdef Vec3 f = mul3(d.R[i], a.f)
    return force(add3(mul3(d.R[i], a.n), cross3(sub3(d.p[i], s.work.origin), f)), f)

cdef inline double greatest_power(Motion S, Force P) noexcept nogil:
    """The square of what S . P is at most."""
    return (dot3(S.w, S.w) + dot3(S.v, S.v)) * (dot3(P.n, P.n) + dot3(P.f, P.f))

cdef inline bint is_rounding(double left, double most) noexcept nogil:
    """Whether the sum of squares of a row's entries is what rounding leaves of that of what they could be."""
    return left <= 1e-16 * most

cdef inline void normalise_columns(System* s, CData* d) noexcept nogil:
    """S and U with S^T I^A S = 1 for each degree of freedom, at the place d, whose factors and poses are current.

    With D = L L^T, S <- S L^-T and U <- I^A S L^-T.  Then the Delassus matrix is a sum of products of
    y_k = S_k . P over shared columns, P being a unit impulse carried towards the root: P <- P - U_k y_k.
    """
    cdef const CModel* m = s.m
    cdef const double* L
    cdef int i, j, k, v0, n
    cdef double r
    cdef Motion S
    s.work.origin = d.p[1] if m.nb > 1 else d.p[0]
    for i in range(1, m.nb):
        v0 = m.vi[i]
        n = m.nvi[i]
        L = d.D + 6 * v0
        if n == 1:
            r = 1.0 / sqrt(L[0])
            s.work.S[v0] = scale_m(r, world_column(s, d, i))
            s.work.U[v0] = scale_f(r, world_force(s, d, i, d.U[v0]))
        else:
            for j in range(n):                  # rows of L^-1 S^T; d.U holds L^-1 U^T already
                S = world_motion(s, d, i, joint_column(m, d, i, j))
                for k in range(j):
                    S = sub_m(S, scale_m(L[6 * j + k], s.work.S[v0 + k]))
                s.work.S[v0 + j] = scale_m(1.0 / L[6 * j + j], S)
                s.work.U[v0 + j] = world_force(s, d, i, d.U[v0 + j]) if m.parent[i] else zero_f()  # the root takes none
    memcpy(s.work.L, d.D, 6 * m.nv * sizeof(double))
    memset(s.work.z, 0, m.nv * sizeof(double))
    memset(s.work.held, 0, m.nv * sizeof(bint))

cdef inline void free_twists(System* s) noexcept nogil:
    """The free velocity of each body, world axes about the system's origin; its columns are those of the start."""
    cdef Motion own
    cdef int i, v0
    s.work.twist[0] = zero_m()
    for i in range(1, s.m.nb):
        v0 = s.m.vi[i]
        if s.m.nvi[i] == 1:
            own = scale_m(sqrt(s.work.L[6 * v0]) * s.work.v_free[v0], s.work.S[v0])
        else:
            own = world_motion(s, s.d, i, add_joint_motion(s.m, s.d, i, s.work.v_free + v0, zero_m()))
        s.work.twist[i] = add_m(s.work.twist[s.m.parent[i]], own)

cdef inline Vec3 start_point_velocity(const System* s, int i, Vec3 at) noexcept nogil:
    """World velocity of the point `at` of body i at the start of the step."""
    return add3(mul3(s.d.R[i], s.d.vel[i].v), cross3(mul3(s.d.R[i], s.d.vel[i].w), sub3(at, s.d.p[i])))

cdef inline Vec3 free_point_velocity(const System* s, int i, Vec3 at) noexcept nogil:
    """The same with its free velocity."""
    return add3(s.work.twist[i].v, cross3(s.work.twist[i].w, sub3(at, s.work.origin)))

cdef inline Motion free_body_velocity(const System* s, int i) noexcept nogil:
    """The free velocity of body i, body axes, of its origin."""
    return motion(tmul3(s.d.R[i], s.work.twist[i].w), tmul3(s.d.R[i], free_point_velocity(s, i, s.d.p[i])))

cdef inline void from_normalised(System* s, double* z) noexcept nogil:
    """z = Y^T lambda -> M~^-1 J^T lambda, in place, root to leaves; work.change is what bodies move with then.

    x = z_k - U_k . a_parent is the normalised acceleration of a column; L^-T x the joint's.
    """
    cdef const CModel* m = s.m
    cdef int i, j, v0, n
    cdef double x
    cdef Motion a
    s.work.change[0] = zero_m()
    for i in range(1, m.nb):
        v0 = m.vi[i]
        n = m.nvi[i]
        a = s.work.change[m.parent[i]]
        s.work.change[i] = a
        for j in range(n):
            x = z[v0 + j] - power(a, s.work.U[v0 + j])
            z[v0 + j] = x
            s.work.change[i] = add_m(s.work.change[i], scale_m(x, s.work.S[v0 + j]))
        if n == 1:
            z[v0] = z[v0] / sqrt(s.work.L[6 * v0])
        else:
            solve_upper(n, s.work.L + 6 * v0, z + v0)

cdef inline void force_to_normalised(System* s, const double* tau, Force* f, double* y) noexcept nogil:
    """y (nv,): the entries of generalised impulses tau (nv,), leaves to root; f (nb,) is scratch."""
    cdef const CModel* m = s.m
    cdef int i, j, k, v0, n
    cdef const double* L
    for i in range(m.nb):
        f[i] = zero_f()
    for i in range(m.nb - 1, 0, -1):
        v0 = m.vi[i]
        n = m.nvi[i]
        L = s.work.L + 6 * v0
        for j in range(n):
            y[v0 + j] = tau[v0 + j]
            for k in range(j):
                y[v0 + j] -= L[6 * j + k] * y[v0 + k]
            y[v0 + j] /= sqrt(L[0]) if n == 1 else L[6 * j + j]
        for j in range(n):
            y[v0 + j] += power(s.work.S[v0 + j], f[i])
        for j in range(n):
            f[i] = sub_f(f[i], scale_f(y[v0 + j], s.work.U[v0 + j]))
        f[m.parent[i]] = add_f(f[m.parent[i]], f[i])

cdef inline void to_normalised(System* s, const double* v, double* z) noexcept nogil:
    """The inverse of from_normalised: velocities v (nv,) in normalised coordinates z (nv,)."""
    cdef const CModel* m = s.m
    cdef int i, j, k, v0, n
    cdef double x
    cdef Motion a
    s.work.change[0] = zero_m()
    for i in range(1, m.nb):
        v0 = m.vi[i]
        n = m.nvi[i]
        a = s.work.change[m.parent[i]]
        s.work.change[i] = a
        for j in range(n):
            if n == 1:
                x = sqrt(s.work.L[6 * v0]) * v[v0]
            else:
                x = 0.0
                for k in range(j, n):
                    x += s.work.L[6 * (v0 + k) + j] * v[v0 + k]
            z[v0 + j] = x + power(a, s.work.U[v0 + j])
            s.work.change[i] = add_m(s.work.change[i], scale_m(x, s.work.S[v0 + j]))

cdef inline bint tells_velocities(const System* s) noexcept nogil:
    """Tell whether the problem tells the velocities of its joints.

    A solver that knows them has one number in the row of a joint, and not those of all joints from there to the root;
    to tell them costs as much as a row for each.  Loops make other coordinates of them.
    """
    return (s.work.active and not s.work.loops.eliminated
            and FEW * (s.control.n_slides + s.control.n_mimics) > s.m.nv)

cdef inline size_t roots_length(const System* s) noexcept nogil:
    """Return how many numbers `find_roots` writes."""
    cdef size_t total = 0
    cdef int i, k
    for i in range(1, s.m.nb):
        total += s.m.nvi[i] * (s.m.nvi[i] + 1) // 2
        k = s.m.parent[i]
        while k > 0:
            total += s.m.nvi[i] * s.m.nvi[k]
            k = s.m.parent[k]
    return total

cdef inline void unit_columns(const System* s, Motion* W) noexcept nogil:
    """Write W (nv,), motions at unit velocities, world axes about the origin, from the normalised columns S."""
    cdef const CModel* m = s.m
    cdef const double* L
    cdef int i, j, k, v0
    for i in range(1, m.nb):
        v0 = m.vi[i]
        L = s.work.L + 6 * v0
        if m.nvi[i] == 1:
            W[v0] = scale_m(sqrt(L[0]), s.work.S[v0])
            continue
        for j in range(m.nvi[i]):
            W[v0 + j] = zero_m()
            for k in range(j + 1):
                W[v0 + j] = add_m(W[v0 + j], scale_m(L[6 * j + k], s.work.S[v0 + k]))

cdef inline int find_roots(const System* s, Motion* W, int first, int* above, int* start, double* root) noexcept nogil:
    """Write the rows of C^-T, z = C^-T v (to_normalised), from place `first` on; returns how many numbers.

    A degree of freedom comes first in its row, then those behind it in its joint, then those of the joints below.  W
    (nv,) is scratch.  `above` and `start` are those of the whole problem (problem.pxd).
    """
    cdef const CModel* m = s.m
    cdef const double* L
    cdef int i, j, k, l, b, c, v0, n, at = 0
    unit_columns(s, W)
    for i in range(1, m.nb):
        v0, n, b = m.vi[i], m.nvi[i], m.parent[i]
        L = s.work.L + 6 * v0
        while b > 0 and m.nvi[b] == 0:
            b = m.parent[b]
        for j in range(n):
            c = s.work.coordinate + v0 + j
            start[c] = first + at
            above[c] = c + 1 if j + 1 < n else (s.work.coordinate + m.vi[b] if b > 0 else -1)
            for k in range(j, n):
                root[at] = sqrt(L[0]) if n == 1 else L[6 * k + j]
                at += 1
            k = b
            while k > 0:
                for l in range(m.vi[k], m.vi[k] + m.nvi[k]):
                    root[at] = power(W[l], s.work.U[v0 + j])
                    at += 1
                k = m.parent[k]
    return at
