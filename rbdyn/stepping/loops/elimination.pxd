# Loops of a system, eliminated: the rest of the step sees the closed mechanism.
#
# In normalised coordinates (columns.pxd) the rows of the loops are the columns of a matrix Y, and a velocity x keeps
# them closed if Y^T x = 0.  With Y = Q [R; 0] the last nv - rank entries of Q^T x are free: they are the coordinates of
# the closed mechanism, a row y of any other constraint has the entries of Q^T y there, and the product of two such rows
# is what they do to each other with the loops closed.  So impulses never open a loop, and no solver sees one.
#
# Velocities: what is in contact moves by its new velocity, which then belongs to the middle of its motion.  It is not
# to open loops there, so that K v = -dt/2 k with K and k = dK/dt v of the step's start.  Positions stay closed to third
# order in the time step, and energy is kept as by a leapfrog scheme: K v = 0 would slow every turn down, accelerations
# with K vd + k = 0 would speed it up.  In flight v belongs to the end of the step, and the same holds with K and k of
# its middle (flight.pxd).
#
# Source: RBDA, the chapter on closed-loop systems; Hairer, Lubich and Wanner, Geometric Numerical Integration, section
# VII.1 (SHAKE).

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport cod_factor, norm_of, solve_adjoint, solve_gram, times_q, times_q_transposed
from rbdyn.kernels.kinematics cimport velocities
from rbdyn.kernels.loops cimport loop_biases, loop_errors, loop_rows_at
from rbdyn.model._model cimport CData, CLoop
from rbdyn.model.joints.dispatch cimport LoopRows, allowed_directions, row_force
from rbdyn.spatial._algebra cimport Force, force, scale_f, vec3
from rbdyn.stepping.columns cimport free_twists, from_normalised, normalise_columns, to_normalised
from rbdyn.stepping.loops.forces cimport (
    answer_impulses, factor_forces, find_laws, force_rows, from_free, keep_forces, load_forces, motors_reach,
    move_with_forces,
)
from rbdyn.stepping.loops.normal cimport factor_normal, solve_normal
from rbdyn.stepping.loops.rows cimport loop_row
from rbdyn.stepping.scene cimport System

cdef inline double largest(const double* e, int n) noexcept nogil:
    """The largest of these, without signs."""
    cdef double most = 0.0
    cdef int i
    for i in range(n):
        most = max(most, fabs(e[i]))
    return most

cdef inline double dependence(double least, double open) noexcept nogil:
    """What is left of a row, next to its length, when it counts as dependent on others, where loops are open by this.

    Rows that repeat others when closed differ by about as much; taken for independent they would lock the mechanism.
    """
    return min(max(least, 30.0 * open), 1e-4)

cdef inline void loop_rows(System* s, const CData* d) noexcept nogil:
    """The columns of Y, at the place d."""
    cdef const CLoop* c
    cdef int n, k, row, allowed
    memset(s.work.loops.Y.A, 0, s.m.nv * <size_t> s.m.nc * sizeof(double))
    for n in range(s.m.n_loops):
        c = s.m.loops + n
        row, allowed = c.row, allowed_directions(c.kind)
        for k in range(6):
            if not allowed >> k & 1:
                loop_row(s, d, c, k, s.work.loops.Y.A + s.m.nv * <size_t> row)
                row += 1

cdef inline void scale_rows(System* s, double open) noexcept nogil:
    """Make all rows as long as one another: units and masses do not tell which depend on others.

    What is next to nothing beside the longest is nothing: rows across the plane of a planar mechanism.
    """
    cdef int i, k, n = s.m.nv
    cdef double* y
    cdef double longest = 0.0, least
    for i in range(s.m.nc):
        s.work.loops.scale[i] = norm_of(n, s.work.loops.Y.A + <size_t> n * i)
        longest = max(longest, s.work.loops.scale[i])
    least = longest * dependence(1e-9, open)
    for i in range(s.m.nc):
        y = s.work.loops.Y.A + <size_t> n * i
        s.work.loops.scale[i] = 1.0 / s.work.loops.scale[i] if s.work.loops.scale[i] > least else 0.0
        for k in range(n):
            y[k] *= s.work.loops.scale[i]

cdef inline void decompose_rows(System* s, double open) noexcept nogil:
    """The decomposition of Y, of loops that are open by this; no load yet."""
    scale_rows(s, open)
    decompose_scaled(s, open)

cdef inline void decompose_scaled(System* s, double open) noexcept nogil:
    """Likewise of rows that have their scale."""
    s.work.loops.normal = False
    cod_factor(&s.work.loops.Y, dependence(1e-7, open))
    s.work.loops.free = s.m.nv - s.work.loops.Y.rank
    memset(s.work.loops.load, 0, s.m.nv * sizeof(double))

cdef inline double rows_at(System* s, CData* d) noexcept nogil:
    """Y at the place d, whose poses are current and columns normalised; how far loops are open there."""
    loop_errors(s.m, d, s.work.loops.e)
    loop_rows(s, d)
    s.work.loops.eliminated = True
    return largest(s.work.loops.e, s.m.nc)

cdef inline void decompose_loops(System* s, CData* d) noexcept nogil:
    """Y and its decomposition, likewise."""
    decompose_rows(s, rows_at(s, d))
    force_rows(s, d)

cdef inline void prepare_flight(System* s, CData* d) noexcept nogil:
    """Likewise for free motion alone, which normal equations say where rows are independent and nothing else acts."""
    cdef double open
    if s.work.loops.n_forces or s.work.n_ties:
        decompose_loops(s, d)
        return
    open = rows_at(s, d)
    scale_rows(s, open)
    s.work.loops.normal = factor_normal(s)
    if not s.work.loops.normal:
        decompose_scaled(s, open)

cdef inline void close_motion(System* s, CData* d, double ahead, double share, bint gained, double* v) noexcept nogil:
    """v (nv,), that of the tree without its loops, with what they do to it: K v = -ahead k, at the place d.

    Velocities, with `gained`, `ahead` [s] being how far behind the time at which they close the loops that place is; or
    accelerations, with 1.  Forces act along what loops allow, for a time `share` [s] or with 1.  `load` becomes what
    the loops did of this: the first `rank` entries of Q^T x.
    """
    cdef double* x = s.work.loops.x
    cdef double* t = s.work.loops.t
    cdef int i, rank = s.work.loops.Y.rank
    velocities(s.m, d)
    loop_biases(s.m, d, s.work.loops.b)
    for i in range(s.m.nc):
        s.work.loops.b[i] *= -ahead * s.work.loops.scale[i]
    if s.work.loops.normal:
        to_normalised(s, v, x)
        solve_normal(s, s.work.loops.b, x)
        from_normalised(s, x)
        memcpy(v, x, s.m.nv * sizeof(double))
        return
    solve_adjoint(&s.work.loops.Y, s.work.loops.b, x)
    times_q_transposed(&s.work.loops.Y, x)
    find_laws(s, d, share, gained)
    to_normalised(s, v, t)
    times_q_transposed(&s.work.loops.Y, t)
    for i in range(rank):
        s.work.loops.load[i] = x[i] - t[i]
    memcpy(x + rank, t + rank, (s.m.nv - rank) * sizeof(double))
    move_with_forces(s, x)
    while motors_reach(s):
        memcpy(x + rank, t + rank, (s.m.nv - rank) * sizeof(double))
        move_with_forces(s, x)
    load_forces(s, s.work.loops.load)
    times_q(&s.work.loops.Y, x)
    from_normalised(s, x)
    memcpy(v, x, s.m.nv * sizeof(double))

cdef inline void close_acceleration(System* s, CData* d, double* a) noexcept nogil:
    """The acceleration of the tree, with what loops and their joints do."""
    close_motion(s, d, 1.0, 1.0, False, a)

cdef inline void close_velocity(System* s, CData* d, double* v) noexcept nogil:
    """The velocity of the tree at the end of the step, likewise: what it is without constraints."""
    cdef int i
    close_motion(s, d, 0.5 * s.work.loops.dt, s.work.loops.dt, True, v)
    keep_forces(s)
    if s.work.loops.normal:                      # the only load of such a step
        for i in range(s.m.nc):
            s.work.loops.lam[i] += s.work.loops.scale[i] * s.work.loops.Y.t[i]

cdef inline void add_multipliers(System* s) noexcept nogil:
    """Add impulses that make the load to lam (nc,): the shortest, where rows are scaled."""
    cdef int i
    if s.work.loops.normal:
        return                                   # it is there already
    for i in range(s.work.loops.Y.rank):
        s.work.loops.Y.t[i] = s.work.loops.load[i]
    solve_gram(&s.work.loops.Y, s.work.loops.b)
    for i in range(s.m.nc):
        s.work.loops.lam[i] += s.work.loops.scale[i] * s.work.loops.b[i]

cdef inline void prepare_at_start(System* s) noexcept nogil:
    """Columns, and loops if they are eliminated, at the start of the step; what they did so far is added to lam."""
    if s.work.loops.middle:
        add_multipliers(s)
        s.work.loops.middle = False
    normalise_columns(s, s.d)
    if s.work.loops.eliminated:
        decompose_loops(s, s.d)
        factor_forces(s)
    free_twists(s)

cdef inline void write_force(double* out, Force g) noexcept nogil:
    out[0], out[1], out[2], out[3], out[4], out[5] = g.n.x, g.n.y, g.n.z, g.f.x, g.f.y, g.f.z

cdef inline void list_forces(System* s, double dt) noexcept nogil:
    """What the loop joints exerted in the step, in their axes: once it is done."""
    cdef const CLoop* c
    cdef double f[6]
    cdef Force g
    cdef LoopRows rows
    cdef int n, k, row, allowed
    if s.work.loops.eliminated:
        add_multipliers(s)
    for n in range(s.m.n_loops):
        c = s.m.loops + n
        row, allowed = c.row, allowed_directions(c.kind)
        for k in range(6):
            f[k] = s.work.loops.along[6 * n + k] if allowed >> k & 1 else s.work.loops.lam[row]
            row += not allowed >> k & 1
        rows = loop_rows_at(s.d, c)
        g = row_force(&rows, force(vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5])))
        write_force(s.work.loops.force + 6 * n, scale_f(1.0 / dt, g))
        s.work.loops.drive[2 * n + 1] = s.work.loops.drive[2 * n] / dt

cdef inline void answer_in_loops(System* s, const double* z) noexcept nogil:
    """What springs and motors of eliminated loop joints do against the impulses Y^T lambda."""
    if s.work.loops.eliminated and s.work.loops.n_forces:
        memcpy(s.work.loops.x, z, s.work.loops.free * sizeof(double))
        from_free(s, s.work.loops.x)
        answer_impulses(s, s.work.loops.x)

cdef inline void joint_velocities(System* s, double* z) noexcept nogil:
    """z = Y^T lambda of the rows of the problem -> M~^-1 J^T lambda with the loops closed, in place."""
    cdef int i, rank
    if s.work.loops.eliminated:
        rank = s.work.loops.Y.rank
        from_free(s, z)
        for i in range(s.m.nv - 1, rank - 1, -1):
            z[i] = z[i - rank]
        for i in range(rank):
            z[i] = 0.0
        times_q(&s.work.loops.Y, z)
    from_normalised(s, z)
