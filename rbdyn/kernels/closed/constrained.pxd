# Accelerations under loop constraints, by the motions that loops leave.
#
# With the rows K of the loops, whose motions K Z = 0 are columns of Z (groups.pxd),
#
#     M vd + h = tau + K^T lambda,    K vd + k = stabilisation
#
# has the solution vd = a + Z u, with the shortest a that does what the loops demand, and Z^T M Z u = Z^T (tau - h -
# M a): Gauss's principle of least constraint.  lambda is the shortest with K^T lambda = M vd + h - tau.  Rows that
# repeat others, or demand nothing, are found by the decomposition of K^T, group by group, and share the load.  A rotor
# of inertia I on a loop joint, with the row s, adds I s^T s to M, and I s^T s' v to h.
#
# Source: RBDA, the chapter on closed-loop systems; stabilisation after Baumgarte (1972).

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport solve_adjoint, solve_gram, times_q_transposed
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.closed.groups cimport (
    Group, Groups, add_row, close_group, find_groups, gather_joints, gather_rows_of, group_matrix, groups_size,
    number_freedom, place_groups, row_product, spread_joints, spread_rows_of,
)
from rbdyn.kernels.loops cimport loop_biases, loop_errors
from rbdyn.kernels.closed.reduced cimport (
    add_motion, reduce_force, reduced_factor, reduced_mass_matrix, reduced_singular, reduced_solve,
)
from rbdyn.kernels.rnea cimport rnea, rnea_momentum
from rbdyn.kernels.singular cimport NOT_SINGULAR
from rbdyn.model._model cimport CData, CModel

cdef enum:
    LOOP_STIFFNESS = 100  # [1/s^2] default gains of the stabilisation, those of RigidBodyDynamics.jl
    LOOP_DAMPING = 20     # [1/s]

cdef struct Loops:        # working memory of one State; n = nc + nr rows
    Groups g
    double* k             # (n,) dK/dt v of the loops' rows, then of their rotors'
    double* e             # (nc,) position errors [rad, m]
    double* b             # (nc,) what the rows shall do
    double* f             # (nv,) forces, less what x takes
    double* x             # (nv,) shortest velocity or acceleration that does b
    double* u             # (nv,) along the motions that the loops leave
    double* t             # (2 nv + 2 n,) scratch

cdef inline double tolerance() noexcept nogil:
    """What is left of a row, next to the largest of its group, when it counts as dependent on others."""
    return 1e-10

cdef inline double tolerance_at(const CModel* m, const Loops* w, const Group* c) noexcept nogil:
    """The same where the constraint violation is w.e: rows that repeat others when closed then differ by about as much.

    Taken for independent, they would demand huge accelerations, or none: redundant loops would lock.  The upper bound
    keeps the rows of poses that are merely near a singular one.
    """
    cdef double open = 0.0
    cdef int l, i
    for l in range(c.loops):
        for i in range(m.loops[c.loop[l]].row, m.loops[c.loop[l]].row + m.loops[c.loop[l]].rows):
            open = max(open, fabs(w.e[i]))
    return min(max(tolerance(), 30.0 * open), 1e-5)

cdef inline size_t loops_size(const CModel* m) noexcept nogil:
    """Bytes of a Loops."""
    cdef size_t n = m.nc + m.nr, nv = m.nv
    return (5 * n + 5 * nv) * sizeof(double) + groups_size(m)

cdef inline Loops place_loops(const CModel* m, double* memory) noexcept nogil:
    """Lay the arrays out in working memory, by the groups of the loops."""
    cdef Loops w
    cdef size_t n = m.nc + m.nr, nv = m.nv
    w.k = memory
    w.e = w.k + n
    w.b = w.e + n
    w.f = w.b + n
    w.x = w.f + nv
    w.u = w.x + nv
    w.t = w.u + nv
    w.g = place_groups(m, w.t + 2 * nv + 2 * n)
    find_groups(m, &w.g)
    return w

cdef inline void loop_matrices(const CModel* m, const CData* d, Loops* w) noexcept nogil:
    """K of all groups; the poses are current."""
    cdef int n
    for n in range(w.g.n):
        group_matrix(m, d, &w.g, w.g.group + n)

cdef inline void close_loops(const CModel* m, CData* d, Loops* w) noexcept nogil:
    """K, k and e, and what the loops leave to move."""
    cdef int n
    poses(m, d)
    velocities(m, d)
    loop_matrices(m, d, w)
    loop_biases(m, d, w.k)
    loop_errors(m, d, w.e)
    for n in range(w.g.n):
        close_group(w.g.group + n, tolerance_at(m, w, w.g.group + n))
    number_freedom(m, &w.g)

cdef inline int rank_of(const Loops* w) noexcept nogil:
    """How many rows are independent."""
    cdef int n, rank = 0
    for n in range(w.g.n):
        rank += w.g.group[n].Q.rank
    return rank

cdef inline void row_products(const CModel* m, const Loops* w, const double* v, double* y) noexcept nogil:
    """y (nc,) = K v."""
    cdef int n, i
    cdef Group* c
    memset(y, 0, m.nc * sizeof(double))
    for n in range(w.g.n):
        c = w.g.group + n
        for i in range(c.rows):
            w.t[i] = row_product(m, &w.g, c, i, v)
        spread_rows_of(m, &w.g, c, w.t, y)

cdef inline void shortest(const CModel* m, Loops* w) noexcept nogil:
    """x: the shortest one whose rows do b."""
    cdef int n
    cdef Group* c
    memset(w.x, 0, m.nv * sizeof(double))
    for n in range(w.g.n):
        c = w.g.group + n
        gather_rows_of(m, &w.g, c, w.b, w.t)
        solve_adjoint(&c.Q, w.t, w.t + c.rows)
        spread_joints(m, &w.g, c, w.t + c.rows, w.x)

cdef inline void add_rotor_forces(
        const CModel* m, const Loops* w, const double* vd, const double* k, double* f) noexcept nogil:
    """f += what the rotors of loop joints take: s^T (s vd + k), k NULL for zero."""
    cdef int n, l, at, j
    cdef double force
    cdef Group* c
    for n in range(w.g.n if m.nr else 0):
        c = w.g.group + n
        for l in range(c.loops):
            if m.loops[c.loop[l]].rotor > 0.0:
                at = w.g.rotor_row[c.loop[l]]
                for j in range(6 - m.loops[c.loop[l]].rows):
                    force = row_product(m, &w.g, c, at + j, vd)
                    if k is not NULL:
                        force += k[m.nc + m.loops[c.loop[l]].rotor_row + j]
                    add_row(m, &w.g, c, at + j, force, f)

cdef inline int follow(const CModel* m, CData* d, double* H, Loops* w) noexcept nogil:
    """x += Z u such that what is left of the forces f moves no motion Z; returns as `constrained`.  t = Z u."""
    cdef int i, at
    reduced_mass_matrix(m, d, &w.g, w.t, H)
    reduced_factor(&w.g, H)
    at = reduced_singular(m, d, &w.g, H)
    if at != NOT_SINGULAR:
        return at
    reduce_force(m, &w.g, w.f, w.t, w.u)
    reduced_solve(&w.g, H, w.u)
    memset(w.t, 0, m.nv * sizeof(double))
    add_motion(m, &w.g, w.u, w.t)
    for i in range(m.nv):
        w.x[i] += w.t[i]
    return NOT_SINGULAR

cdef inline void find_load(const CModel* m, CData* d, Loops* w) noexcept nogil:
    """f: what the loops must add to the forces for the motion t = Z u as well."""
    cdef double* y = w.t + m.nv
    cdef int i
    rnea_momentum(m, d, w.t, y)
    for i in range(m.nv):
        w.f[i] = y[i] - w.f[i]
    add_rotor_forces(m, w, w.t, NULL, w.f)

cdef inline void multipliers(const CModel* m, Loops* w, double* lam) noexcept nogil:
    """The shortest lambda with K^T lambda = f."""
    cdef int n
    cdef Group* c
    memset(lam, 0, m.nc * sizeof(double))
    for n in range(w.g.n):
        c = w.g.group + n
        gather_joints(m, &w.g, c, w.f, w.t)
        times_q_transposed(&c.Q, w.t)
        memcpy(c.Q.t, w.t, c.Q.rank * sizeof(double))
        solve_gram(&c.Q, w.t)
        spread_rows_of(m, &w.g, c, w.t, lam)

cdef inline int constrained(const CModel* m, CData* d, double* H, Loops* w, const double* tau, double stiffness,
                            double damping, bint external, double* vd, double* lam) noexcept nogil:
    """vd and lambda; returns NOT_SINGULAR, or the degree of freedom of a motion without inertia.  H: scratch.

    tau may be vd.  lam may be NULL.  With `external`, d.f holds the external forces.
    """
    cdef int i, at
    close_loops(m, d, w)
    row_products(m, w, d.v, w.b)
    for i in range(m.nc):
        w.b[i] = -w.k[i] - damping * w.b[i] - stiffness * w.e[i]
    shortest(m, w)
    rnea(m, d, w.x, w.f, external)
    add_rotor_forces(m, w, w.x, w.k, w.f)
    for i in range(m.nv):
        w.f[i] = tau[i] - w.f[i]
    at = follow(m, d, H, w)
    if at != NOT_SINGULAR:
        return at
    memcpy(vd, w.x, m.nv * sizeof(double))
    if lam is not NULL:
        find_load(m, d, w)
        multipliers(m, w, lam)
    return NOT_SINGULAR
