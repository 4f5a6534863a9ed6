"""Which torques of chosen joints produce a motion: inverse dynamics with loops, or with passive joints.

Let Z span the motions that the loops allow, K Z = 0.  Forces f on all joints and forces tau on some of them produce the
same motion if Z^T f = Z^T tau: what loops transmit does no work on Z.  The smallest such tau comes from the
decomposition of Z's actuated rows; what it leaves of Z^T f is what these joints cannot do.
"""

from rbdyn.errors import MechanismError, StateError

from libc.math cimport fabs
from libc.string cimport memset

from rbdyn.algorithms.loops.constrained cimport loops_of
from rbdyn.kernels.cod cimport Cod, cod_factor, cod_place, cod_size, dot, norm_of, solve_adjoint
from rbdyn.kernels.closed.constrained cimport Loops, add_rotor_forces, close_loops, loops_size, tolerance
from rbdyn.kernels.closed.groups cimport Group, row_product, row_size
from rbdyn.kernels.closed.reduced cimport add_motion
from rbdyn.kernels.rnea cimport rnea, rnea_momentum
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State


cdef list degrees_of_freedom(Model model, object actuated):
    """Indices in v of the named joints."""
    cdef CModel* m = &model.c
    if isinstance(actuated, str) or not hasattr(actuated, "__iter__") or getattr(actuated, "ndim", 1) == 0:
        raise StateError(f"actuated must be a sequence of joint names, got {actuated!r}")
    chosen = set()
    for joint in actuated:
        name = getattr(joint, "name", joint)
        if isinstance(name, str) and name in model.loop_names:
            raise MechanismError(f"actuated holds {name!r}, which closes a loop: it has no entry in tau")
        first = model.joint_v_index(joint)
        chosen.update(*[range(first, first + m.nvi[i]) for i in range(1, m.nb) if m.vi[i] == first])
    return sorted(chosen)


cdef int _check_loops(Model model, const Loops* w, const double* vd) except -1:
    """MechanismError if vd would open a loop: K vd + k is not zero to 1e-6 of its terms."""
    cdef CModel* m = &model.c
    cdef Group* c
    cdef int l, i, row, n
    cdef double opens, scale
    for n in range(w.g.n):
        c = w.g.group + n
        for l in range(c.loops):
            row = m.loops[c.loop[l]].row
            for i in range(m.loops[c.loop[l]].rows):
                opens = w.k[row + i] + row_product(m, &w.g, c, w.g.row[c.loop[l]] + i, vd)
                scale = 1.0 + fabs(w.k[row + i]) + row_size(m, &w.g, c, w.g.row[c.loop[l]] + i, vd)
                if fabs(opens) > 1e-6 * scale:
                    raise MechanismError(
                        f"vd would open loop joint {model.loop_names[c.loop[l]]!r}: row {i} of loop_jacobian(state) @ "
                        f"vd + loop_bias(state) is {opens:.3g}, and must be 0"
                    )
    return 0


cdef int _allowed_motions(const CModel* m, Loops* w, double* Z) noexcept nogil:
    """Orthonormal columns Z (n, nv) that span the motions with K v = 0; returns n."""
    cdef int j
    memset(Z, 0, m.nv * <size_t> w.g.freedom * sizeof(double))
    memset(w.u, 0, m.nv * sizeof(double))
    for j in range(w.g.freedom):
        w.u[j] = 1.0
        add_motion(m, &w.g, w.u, Z + <size_t> m.nv * j)
        w.u[j] = 0.0
    return w.g.freedom


cdef int _refuse_leftover(Model model, list dofs, int n, const double* Z, double* left, double scale) except -1:
    """MechanismError if `left`, the part of Z^T f that no torque makes up for, is not zero to 1e-8 of f."""
    cdef int j, k, worst = -1
    cdef double force, most = 0.0
    if norm_of(n, left) <= 1e-8 * scale:
        return 0
    for k in range(model.c.nv):
        force = 0.0
        for j in range(n):
            force += Z[<size_t> model.c.nv * j + k] * left[j]
        if k not in dofs and fabs(force) > most:
            most, worst = fabs(force), k
    raise MechanismError(
        f"the actuated joints cannot produce vd: joint {model.joint_of(worst)!r} lacks actuation, {most:.3g} N m or N "
        "is missing there"
    )


cdef int share_among(State state, list dofs, const double* vd, bint external, double* tau) except -1:
    """The smallest tau, zero but on `degrees_of_freedom`, that produces vd.  tau may be vd; an error leaves it alone.

    With `external`, the state's f holds the external forces.
    """
    cdef CModel* m = state.use()
    cdef size_t nv = m.nv, before = loops_size(m)
    cdef double* f = <double*> (<char*> state.workspace(before + (3 * nv + cod_size(nv, nv)) * sizeof(double)) + before)
    cdef double* b = f + nv
    cdef double* x = b + nv
    cdef double* Z = state.scratch()
    cdef Loops w = loops_of(state)
    cdef Cod c
    cdef int i, j, n
    cdef double scale
    rnea(m, &state.c, vd, f, external)
    rnea_momentum(m, &state.c, vd, x)
    scale = norm_of(m.nv, f) + norm_of(m.nv, x)       # f alone is rounding where vd is the free motion
    close_loops(m, &state.c, &w)
    _check_loops(state.model, &w, vd)
    add_rotor_forces(m, &w, vd, w.k, f)
    n = _allowed_motions(m, &w, Z)
    cod_place(&c, len(dofs), n, x + nv)
    for j in range(n):
        b[j] = dot(m.nv, Z + nv * j, f)
        for i, k in enumerate(dofs):
            c.A[c.m * j + i] = Z[nv * j + <int> k]
    cod_factor(&c, tolerance())
    solve_adjoint(&c, b, x)
    for j in range(n):
        for i, k in enumerate(dofs):
            b[j] -= Z[nv * j + <int> k] * x[i]
    _refuse_leftover(state.model, dofs, n, Z, b, scale)
    memset(tau, 0, nv * sizeof(double))
    for i, k in enumerate(dofs):
        tau[<int> k] = x[i]
    return 0
