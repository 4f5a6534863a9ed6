# One step of the Runge-Kutta method of order 4 on the configuration manifold, by Munthe-Kaas.
#
# Within a step the configuration is q = exp(theta) q0, and theta, of as many numbers as v, starts at 0.  Then
# theta' = dexp^-1_theta(v), v' = vd(t, q, v) is an ordinary differential equation in a flat space, and a classical
# Runge-Kutta method solves it with its classical order.  H. Munthe-Kaas, High order Runge-Kutta methods on manifolds,
# Applied Numerical Mathematics 29 (1999); E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, ch. IV.

from libc.math cimport sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport has_3dof_rotation
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, scale3, sincos_r, vec3

cdef struct Stages:
    double* q             # (nq,) where the step starts
    double* v             # (nv,) where the step starts
    double* theta         # (nv,) from there to the present stage
    double* K             # (nv,) rate of theta at the present stage
    double* A             # (nv,) rate of v at the present stage; the caller's to fill
    double* mean_K        # (nv,) weighted over the stages so far
    double* mean_A        # (nv,) weighted over the stages so far

cdef inline Vec3 dexp_inverse(Vec3 t, Vec3 w) noexcept nogil:
    """The rate of the rotation vector t of R = exp(t), whose angular velocity w is in the parent's axes.

    dexp^-1_t(w) = sum_k B_k / k! ad_t^k w = w - t x w / 2 + c t x (t x w), with B_k the Bernoulli numbers and
    c = (1 - x cot x) / |t|^2, x = |t| / 2.  The increments multiply from the left, so that the term in B_1 = -1/2 has
    this sign; with w in the body's axes it would have the other.
    """
    cdef double angle2 = t.x * t.x + t.y * t.y + t.z * t.z
    cdef double x, s, c
    cdef Vec3 txw = cross3(t, w)
    if angle2 < 1e-2:                    # series: what it leaves out is below 1e-15 of c
        c = 1.0 / 12.0 + angle2 * (1.0 / 720.0 + angle2 * (1.0 / 30240.0 + angle2 / 1209600.0))
    else:
        x = 0.5 * sqrt(angle2)
        sincos_r(x, &s, &c)
        c = (1.0 - x * c / s) / angle2
    return add3(w, add3(scale3(-0.5, txw), scale3(c, cross3(t, txw))))

cdef inline void theta_rate(const CModel* m, const double* theta, const double* v, double* K) noexcept nogil:
    """K = dexp^-1_theta(v), joint by joint; K = v where the configuration is flat."""
    cdef int i, k
    cdef Vec3 w
    memcpy(K, v, m.nv * sizeof(double))
    for i in range(1, m.nb):
        if has_3dof_rotation(m, i):
            k = m.vi[i] + m.nvi[i] - 3
            w = dexp_inverse(vec3(theta[k], theta[k + 1], theta[k + 2]), vec3(v[k], v[k + 1], v[k + 2]))
            K[k], K[k + 1], K[k + 2] = w.x, w.y, w.z

cdef inline void begin(const CModel* m, const CData* d, Stages* s) noexcept nogil:
    """The first stage is where the state stands."""
    memcpy(s.q, d.q, m.nq * sizeof(double))
    memcpy(s.v, d.v, m.nv * sizeof(double))
    memcpy(s.K, d.v, m.nv * sizeof(double))
    memset(s.mean_K, 0, m.nv * sizeof(double))
    memset(s.mean_A, 0, m.nv * sizeof(double))

cdef inline void count(const CModel* m, Stages* s, double weight) noexcept nogil:
    """Add the present stage to the means."""
    cdef int k
    for k in range(m.nv):
        s.mean_K[k] += weight * s.K[k]
        s.mean_A[k] += weight * s.A[k]

cdef inline void go_to(const CModel* m, CData* d, const Stages* s, const double* K, const double* A,
                       double dt) noexcept nogil:
    """Put the state where rates K and A lead from the start of the step in a time dt."""
    cdef int k
    for k in range(m.nv):
        s.theta[k] = dt * K[k]
        d.v[k] = s.v[k] + dt * A[k]
    memcpy(d.q, s.q, m.nq * sizeof(double))
    integrate_joints(m, d.q, s.theta, 1.0)
    d.stage = 0

cdef inline void next_stage(const CModel* m, CData* d, Stages* s, double dt) noexcept nogil:
    """The stage that the present one's rates lead to."""
    go_to(m, d, s, s.K, s.A, dt)
    theta_rate(m, s.theta, d.v, s.K)

cdef inline void finish(const CModel* m, CData* d, const Stages* s, double h) noexcept nogil:
    """The end of a step of length h."""
    go_to(m, d, s, s.mean_K, s.mean_A, h)

cdef inline void undo(const CModel* m, CData* d, const Stages* s) noexcept nogil:
    """Back to where the step started."""
    memcpy(d.q, s.q, m.nq * sizeof(double))
    memcpy(d.v, s.v, m.nv * sizeof(double))
    d.stage = 0
