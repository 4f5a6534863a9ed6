# Joints that follow others, and couplings of joints, in free motion: accelerations obey them.
#
# With K a = 0 for each tie, and the forces K^T lam that are missing for it, the motion of a step stays of the order
# that it has without ties.  Rows of the contact problem alone, which lead the velocity back at the end of a step, see
# the middle of it where the joints would be without them: first order, and energy from nothing at every turn.  Those
# rows are written all the same: for velocities that were set otherwise, and for what contacts and stops do.
#
# (K M~^-1 K^T) lam = -K a is solved by conjugate gradients, which takes as many steps as there are ties, and no more
# memory than vectors: M~^-1 K^T p is one pass along the tree and back (columns.pxd).

from libc.math cimport fabs
from libc.string cimport memset

from rbdyn.kernels.aba cimport aba_outward
from rbdyn.kernels.cod cimport dot
from rbdyn.kernels.kinematics cimport poses
from rbdyn.model._model cimport CData
from rbdyn.stepping.columns cimport force_to_normalised, from_normalised, normalise_columns
from rbdyn.stepping.scene cimport Mimic, System, Tie

cdef inline bint is_rigid(const System* s, const Mimic* m) noexcept nogil:
    """Whether it does not give way: a row that does is a spring, and no tie."""
    return s.control.mimic_softness[m.dof] == 0.0

cdef inline void across_ties(const System* s, const double* a, double* out) noexcept nogil:
    """K a, (n_ties,)."""
    cdef const Mimic* m
    cdef const Tie* tie = s.work.tie
    cdef int i, k
    for i in range(s.control.n_mimics):
        m = s.control.mimic + i
        out[i] = a[m.dof] - m.multiplier * a[m.leader_dof] if is_rigid(s, m) else 0.0
    for i in range(s.control.n_mimics, s.work.n_ties):
        out[i] = 0.0
        for k in range(tie.n):
            out[i] += tie.term[k].coefficient * a[tie.term[k].dof]
        tie = tie.next

cdef inline void along_ties(const System* s, const double* lam, double* tau) noexcept nogil:
    """tau = K^T lam, (nv,)."""
    cdef const Mimic* m
    cdef const Tie* tie = s.work.tie
    cdef int i, k
    memset(tau, 0, s.m.nv * sizeof(double))
    for i in range(s.control.n_mimics):
        m = s.control.mimic + i
        if not is_rigid(s, m):
            continue
        tau[m.dof] += lam[i]
        tau[m.leader_dof] -= m.multiplier * lam[i]
    for i in range(s.control.n_mimics, s.work.n_ties):
        for k in range(tie.n):
            tau[tie.term[k].dof] += tie.term[k].coefficient * lam[i]
        tie = tie.next

cdef inline void keep_tie_forces(System* s, const double* lam) noexcept nogil:
    """What the ties do in this acceleration, on joints and one by one."""
    cdef Tie* tie = s.work.tie
    cdef int i
    along_ties(s, lam, s.work.tied)
    for i in range(s.control.n_mimics, s.work.n_ties):
        tie.force = lam[i]
        tie = tie.next

cdef inline void obey_ties(System* s, CData* d, double* a) noexcept nogil:
    """Add M~^-1 K^T lam to the acceleration a (nv,) at the place d, whose factors are current, so that K a = 0."""
    cdef int i, k, n = s.work.n_ties, nv = s.m.nv
    cdef double* lam = s.work.tie_room
    cdef double* r = lam + nv                    # K a is to change by this
    cdef double* p = r + nv
    cdef double* q = p + nv
    cdef double* y = q + nv
    cdef double size, least, share, before
    poses(s.m, d)
    normalise_columns(s, d)
    across_ties(s, a, r)
    for i in range(n):
        p[i] = r[i] = -r[i]
        lam[i] = 0.0
    size = dot(n, r, r)
    least = 1e-30 * size
    for _ in range(3 * n):                       # as many again and again: rounding
        if not size > least:
            break
        along_ties(s, p, s.work.tied)
        force_to_normalised(s, s.work.tied, s.ahead.f, y)
        from_normalised(s, y)
        across_ties(s, y, q)
        share = dot(n, p, q)
        if not share > 0.0:                      # they repeat one another
            break
        share = size / share
        for i in range(n):
            lam[i] += share * p[i]
            r[i] -= share * q[i]
        for k in range(nv):
            a[k] += share * y[k]
        before, size = size, dot(n, r, r)
        for i in range(n):
            p[i] = r[i] + size / before * p[i]
    keep_tie_forces(s, lam)

cdef inline void free_acceleration(System* s, CData* d, double* a) noexcept nogil:
    """a (nv,) that the factors at the place d give, with what ties do, unless loops are still to be closed."""
    aba_outward(s.m, d, a)
    if s.work.n_ties and (s.m.nc == 0 or s.control.inloop):
        obey_ties(s, d, a)

cdef inline void forget_tie_impulses(System* s) noexcept nogil:
    """Free motion begins anew."""
    cdef Tie* tie = s.work.tie
    memset(s.work.tie_impulse, 0, s.m.nv * sizeof(double))
    for _ in range(s.control.n_mimics, s.work.n_ties):
        tie.impulse = 0.0
        tie = tie.next

cdef inline void add_tie_impulses(System* s, double dt) noexcept nogil:
    """The latest acceleration counts for a time dt."""
    cdef Tie* tie = s.work.tie
    cdef int k
    if s.work.n_ties:
        for k in range(s.m.nv):
            s.work.tie_impulse[k] += dt * s.work.tied[k]
    for _ in range(s.control.n_mimics, s.work.n_ties):
        tie.impulse += dt * tie.force
        tie = tie.next

cdef inline double beyond_rounding(double sum_, double size) noexcept nogil:
    """A sum of terms of this size; 0 if rounding may have made it: rows that have nothing to do are to do nothing."""
    return sum_ if fabs(sum_) > 1e-13 * size else 0.0
