# Loops of a system, eliminated: the rest of the step sees the closed mechanism.
#
# In normalised coordinates (columns.pxd) the rows of the loops are the columns of a matrix Y, and a velocity x keeps
# them closed if Y^T x = 0.  With Y = Q [R; 0] the last nv - rank entries of Q^T x are free: they are the coordinates of
# the closed mechanism, a row y of any other constraint has the entries of Q^T y there, and the product of two such rows
# is what they do to each other with the loops closed.  So impulses never open a loop, and no solver sees one.
#
# Velocities belong to the middle between two positions (semi-implicit rule): that of the step is not to open the loops
# at the middle of its motion, so that K v = -dt/2 k with K and k = dK/dt v of its start.  Positions then stay closed to
# third order in the time step and energy is kept as by a leapfrog scheme: K v = 0 would slow every turn down, and
# accelerations with K vd + k = 0 would speed it up.
#
# Source: RBDA, the chapter on closed-loop systems; Hairer, Lubich and Wanner, Geometric Numerical Integration, section
# VII.1 (SHAKE).

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport cod_factor, norm_of, solve_adjoint, solve_gram, times_q, times_q_transposed
from rbdyn.kernels.kinematics cimport velocities
from rbdyn.kernels.loops cimport loop_biases, loop_errors
from rbdyn.model._model cimport CLoop
from rbdyn.model.joints.dispatch cimport allowed_directions
from rbdyn.stepping.columns cimport from_normalised, to_normalised
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

cdef inline void loop_rows(System* s) noexcept nogil:
    """The columns of Y."""
    cdef const CLoop* c
    cdef int n, k, row, allowed
    memset(s.work.loops.Y.A, 0, s.m.nv * <size_t> s.m.nc * sizeof(double))
    for n in range(s.m.n_loops):
        c = s.m.loops + n
        row, allowed = c.row, allowed_directions(c.kind)
        for k in range(6):
            if not allowed >> k & 1:
                loop_row(s, c, k, s.work.loops.Y.A + s.m.nv * <size_t> row)
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

cdef inline void decompose_loops(System* s) noexcept nogil:
    """Y and its decomposition, at the start of the step; the columns of the system are normalised."""
    cdef double open
    loop_errors(s.m, s.d, s.work.loops.e)
    open = largest(s.work.loops.e, s.m.nc)
    loop_rows(s)
    scale_rows(s, open)
    cod_factor(&s.work.loops.Y, dependence(1e-7, open))
    s.work.loops.free = s.m.nv - s.work.loops.Y.rank
    s.work.loops.eliminated = True

cdef inline void close_velocity(System* s, double dt, double* v) noexcept nogil:
    """v (nv,), that of the tree without its loops, with what they do to it: K v = -dt/2 k.

    `load` begins with what of this the loops did: the first `rank` entries of Q^T x.
    """
    cdef double* x = s.work.loops.x
    cdef double* t = s.work.loops.t
    cdef int i, rank = s.work.loops.Y.rank
    velocities(s.m, s.d)
    loop_biases(s.m, s.d, s.work.loops.b)
    for i in range(s.m.nc):
        s.work.loops.b[i] *= -0.5 * dt * s.work.loops.scale[i]
    solve_adjoint(&s.work.loops.Y, s.work.loops.b, x)
    times_q_transposed(&s.work.loops.Y, x)
    to_normalised(s, v, t)
    times_q_transposed(&s.work.loops.Y, t)
    for i in range(rank):
        s.work.loops.load[i] = x[i] - t[i]
        t[i] = x[i]
    times_q(&s.work.loops.Y, t)
    from_normalised(s, t)
    memcpy(v, t, s.m.nv * sizeof(double))

cdef inline void joint_velocities(System* s, double* z) noexcept nogil:
    """z = Y^T lambda of the rows of the problem -> M~^-1 J^T lambda with the loops closed, in place."""
    cdef int i, rank
    if s.work.loops.eliminated:
        rank = s.work.loops.Y.rank
        for i in range(s.m.nv - 1, rank - 1, -1):
            z[i] = z[i - rank]
        for i in range(rank):
            z[i] = 0.0
        times_q(&s.work.loops.Y, z)
    from_normalised(s, z)

cdef inline void find_multipliers(System* s) noexcept nogil:
    """lam (nc,): impulses of the loop joints along their rows, from the load; the shortest, where rows are scaled."""
    cdef int i
    for i in range(s.work.loops.Y.rank):
        s.work.loops.Y.t[i] = s.work.loops.load[i]
    solve_gram(&s.work.loops.Y, s.work.loops.lam)
    for i in range(s.m.nc):
        s.work.loops.lam[i] *= s.work.loops.scale[i]
