"""Which torques of chosen joints produce a motion: inverse dynamics with loops, or with passive joints.

Let Z span the motions that the loops allow, K Z = 0.  Forces f on all joints and forces tau on some of them produce the
same motion if Z^T f = Z^T tau: what loops transmit does no work on Z.  The smallest such tau comes from the
decomposition of Z's actuated rows; what it leaves of Z^T f is what these joints cannot do.
"""

from rbdyn.errors import MechanismError, StateError

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.algorithms.loops.constrained cimport loops_of
from rbdyn.kernels.cod cimport Cod, cod_factor, cod_place, cod_size, norm_of, solve_adjoint, times_q
from rbdyn.kernels.constrained cimport Loops, loop_terms, loops_size, product, tolerance, tolerance_at
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
    cdef int i, k
    cdef double opens, scale
    for name, rows in model.loop_rows.items():
        for i in range(rows.start, rows.stop):
            opens = w.k[i] + product(m.nv, w.K + <size_t> m.nv * i, vd)
            scale = 1.0 + fabs(w.k[i])
            for k in range(m.nv):
                scale += fabs(w.K[<size_t> m.nv * i + k] * vd[k])
            if fabs(opens) > 1e-6 * scale:
                raise MechanismError(
                    f"vd would open loop joint {name!r}: row {i - rows.start} of loop_jacobian(state) @ vd + "
                    f"loop_bias(state) is {opens:.3g}, and must be 0"
                )
    return 0


cdef void _add_rotors(const CModel* m, const Loops* w, const double* vd, double* f) noexcept nogil:
    """f += what the rotors of loop joints take: s^T I (s vd + s' v)."""
    cdef int i, k
    cdef double force
    for i in range(m.nc, m.nc + m.nr):
        force = w.k[i] + product(m.nv, w.K + <size_t> m.nv * i, vd)
        for k in range(m.nv):
            f[k] += force * w.K[<size_t> m.nv * i + k]


cdef int _allowed_motions(const CModel* m, Loops* w, double* Z) noexcept nogil:
    """Orthonormal columns Z (n, nv) that span the motions with K v = 0; returns n.  Overwrites w.Y."""
    cdef Cod c
    cdef int j
    cod_place(&c, m.nv, m.nc, w.Y.A)
    memcpy(c.A, w.K, m.nc * <size_t> m.nv * sizeof(double))
    cod_factor(&c, tolerance_at(m, w))
    for j in range(m.nv - c.rank):
        memset(Z + <size_t> m.nv * j, 0, m.nv * sizeof(double))
        Z[<size_t> m.nv * j + c.rank + j] = 1.0
        times_q(&c, Z + <size_t> m.nv * j)
    return m.nv - c.rank


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
    loop_terms(m, &state.c, &w)
    _check_loops(state.model, &w, vd)
    _add_rotors(m, &w, vd, f)
    n = _allowed_motions(m, &w, Z)
    cod_place(&c, len(dofs), n, x + nv)
    for j in range(n):
        b[j] = product(m.nv, Z + nv * j, f)
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
