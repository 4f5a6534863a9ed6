# Accelerations under loop constraints, by multipliers.
#
# With M = L^T D L, C = D^-1/2 L^-T and the rows K of the loops,
#
#     M vd + h = tau + K^T lambda,    K vd + k = stabilisation
#
# become, with Y = C K^T and y = C (tau - h), the problem Y^T (y + Y lambda) = stabilisation - k, whose shortest
# solution Y lambda is Gauss's principle of least constraint.  Rows that repeat others, or demand nothing, are found by
# the decomposition of Y and then share the load by the shortest lambda.  A rotor of inertia I on a loop joint, with the
# row s, adds I s^T s to M: a row sqrt(I) s of compliance 1, that is, a further unit entry below its column of Y.
#
# Source: RBDA, the chapter on closed-loop systems; stabilisation after Baumgarte (1972).

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport Cod, cod_factor, cod_place, cod_size, solve_adjoint, solve_gram
from rbdyn.kernels.crba cimport crba_lower
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport loop_biases, loop_errors, loop_matrix
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_solve_lower, ltdl_solve_upper
from rbdyn.kernels.rnea cimport rnea
from rbdyn.kernels.singular cimport NOT_SINGULAR, singular_pivot
from rbdyn.model._model cimport CData, CModel

cdef enum:
    LOOP_STIFFNESS = 100  # [1/s^2] default gains of the stabilisation, those of RigidBodyDynamics.jl
    LOOP_DAMPING = 20     # [1/s]

cdef struct Loops:        # working memory of one State; n = nc + nr rows
    double* K             # (n, nv) rows of the loops, then of their rotors
    double* k             # (n,) dK/dt v of both
    double* e             # (n,) position errors [rad, m]; what stands at rotor rows means nothing
    double* b             # (n,) right side
    double* lam           # (n,) multipliers
    double* x             # (nv + nr,) D^1/2 L times the change of vd, then what the rotors take
    double* y             # (nv,) D^1/2 L times vd
    Cod Y                 # (nv + nr, n) decomposition of Y

cdef inline double tolerance() noexcept nogil:
    """What is left of a row, next to the largest, when it counts as dependent on others."""
    return 1e-10

cdef inline double tolerance_at(const CModel* m, const Loops* w) noexcept nogil:
    """The same where the constraint violation is w.e: rows that repeat others when closed then differ by about as much.

    Taken for independent, they would demand huge accelerations, or none: redundant loops would lock.  The upper bound
    keeps the rows of heavy bodies, which are short, and those of poses that are merely near a singular one.
    """
    cdef double open = 0.0
    cdef int i
    for i in range(m.nc):
        open = max(open, fabs(w.e[i]))
    return min(max(tolerance(), 30.0 * open), 1e-5)

cdef inline size_t loops_size(const CModel* m) noexcept nogil:
    """Bytes of a Loops."""
    cdef size_t n = m.nc + m.nr, nv = m.nv
    return (n * nv + 4 * n + 2 * nv + m.nr + cod_size(nv + m.nr, n)) * sizeof(double)

cdef inline Loops place_loops(const CModel* m, double* memory) noexcept nogil:
    """Lay the arrays out in working memory."""
    cdef Loops w
    cdef size_t n = m.nc + m.nr, nv = m.nv
    w.K = memory
    w.k = w.K + n * nv
    w.e = w.k + n
    w.b = w.e + n
    w.lam = w.b + n
    w.y = w.lam + n
    w.x = w.y + nv
    cod_place(&w.Y, m.nv + m.nr, m.nc + m.nr, w.x + nv + m.nr)
    return w

cdef inline double product(int n, const double* a, const double* b) noexcept nogil:
    cdef double s = 0.0
    cdef int i
    for i in range(n):
        s += a[i] * b[i]
    return s

cdef inline void loop_terms(const CModel* m, CData* d, Loops* w) noexcept nogil:
    """K, k and e."""
    poses(m, d)
    velocities(m, d)
    memset(w.K, 0, (m.nc + m.nr) * <size_t> m.nv * sizeof(double))
    loop_matrix(m, d, w.K)
    loop_biases(m, d, w.k)
    loop_errors(m, d, w.e)

cdef inline void to_mass_axes(const CModel* m, const double* H, double* x) noexcept nogil:
    """x <- D^-1/2 L^-T x: a force, in axes in which M is the identity."""
    cdef size_t i, nv = m.nv
    ltdl_solve_upper(m, H, x)
    for i in range(nv):
        x[i] /= sqrt(H[i * nv + i])

cdef inline void from_mass_axes(const CModel* m, const double* H, double* x) noexcept nogil:
    """x <- L^-1 D^-1/2 x: an acceleration, from axes in which M is the identity."""
    cdef size_t i, nv = m.nv
    for i in range(nv):
        x[i] /= sqrt(H[i * nv + i])
    ltdl_solve_lower(m, H, x)

cdef inline void form_y(const CModel* m, const double* H, Loops* w) noexcept nogil:
    """Y = D^-1/2 L^-T K^T, with the rotors' unit entries below it."""
    cdef int i, nv = m.nv
    cdef double* column
    for i in range(w.Y.n):
        column = w.Y.A + <size_t> w.Y.m * i
        memset(column, 0, w.Y.m * sizeof(double))
        memcpy(column, w.K + <size_t> nv * i, nv * sizeof(double))
        to_mass_axes(m, H, column)
        if i >= m.nc:
            column[nv + i - m.nc] = 1.0

cdef inline void stabilised(const CModel* m, const CData* d, Loops* w, double stiffness, double damping) noexcept nogil:
    """b = stabilisation - k - K vd0: what Y lambda must add to the rows; vd0 is w.y, in its axes, Y still whole."""
    cdef int i
    for i in range(w.Y.n):
        w.b[i] = -w.k[i] - product(m.nv, w.Y.A + <size_t> w.Y.m * i, w.y)
        if i < m.nc:
            w.b[i] -= damping * product(m.nv, w.K + <size_t> m.nv * i, d.v) + stiffness * w.e[i]

cdef inline int constrained(const CModel* m, CData* d, double* H, Loops* w, const double* tau, double stiffness,
                            double damping, bint external, double* vd, double* lam) noexcept nogil:
    """vd and lambda; returns NOT_SINGULAR, or the degree of freedom whose pivot vanishes.  H is zeroed on entry.

    tau may be vd.  lam may be NULL.  With `external`, d.f holds the external forces.
    """
    cdef int i, at
    rnea(m, d, NULL, w.x, external)
    for i in range(m.nv):
        w.y[i] = tau[i] - w.x[i]
    loop_terms(m, d, w)
    crba_lower(m, d, H)
    ltdl_factor(m, H)
    at = singular_pivot(m, d, H, False)
    if at != NOT_SINGULAR:
        return at
    to_mass_axes(m, H, w.y)
    form_y(m, H, w)
    stabilised(m, d, w, stiffness, damping)
    cod_factor(&w.Y, tolerance_at(m, w))
    solve_adjoint(&w.Y, w.b, w.x)
    for i in range(m.nv):
        vd[i] = w.y[i] + w.x[i]
    from_mass_axes(m, H, vd)
    if lam is not NULL:
        solve_gram(&w.Y, w.lam)
        memcpy(lam, w.lam, m.nc * sizeof(double))
    return NOT_SINGULAR
