# Impulses under which the held rows have no velocity: workspace.pxd has the equations.

from rbdyn.contact.operator cimport Contact, Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct, Node
from rbdyn.spatial._algebra cimport Sym3, Vec3, vec3

cdef double mass_of(const ContactProblem* p, int body) noexcept nogil
cdef Sym3 inertia_of(const ContactProblem* p, int body) noexcept nogil
cdef void add_masses(Direct* S, const ContactProblem* p) noexcept nogil
cdef void add_square(Direct* S, int n, double rho, bint all_rows) noexcept nogil
cdef void add_constraints(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef void pull_single(Direct* S, const Contact* k, Vec3 f) noexcept nogil
cdef Vec3 move_single(const Direct* S, const Contact* k, bint all_rows) noexcept nogil
cdef bint make_matrix(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef bint make_weighted(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil
cdef double multiplier_step(Direct* S, Operator* G, double* impulse) noexcept nogil
cdef double hold(Direct* S, Operator* G, double* impulse, double threshold) noexcept nogil


cdef inline void pull(Direct* S, double rho, Vec3 v, int n, bint all_rows) noexcept nogil:
    """x -= J^T rho v, for the n nodes whose rows are at hand."""
    cdef const Node* a
    cdef const double* J = S.J
    cdef double x = rho * v.x, y = rho * v.y, z = rho * v.z
    cdef int k, j, w = S.width
    for k in range(n):
        a = S.node + S.part[k]
        for j in range(a.size):
            if all_rows:
                S.x[a.first + j] -= J[j] * x + J[w + j] * y + J[2 * w + j] * z
            else:
                S.x[a.first + j] -= J[2 * w + j] * z
        J += a.size


cdef inline Vec3 move(const Direct* S, int n, bint all_rows) noexcept nogil:
    """J x, likewise."""
    cdef const Node* a
    cdef const double* J = S.J
    cdef Vec3 v = vec3(0.0, 0.0, 0.0)
    cdef double x
    cdef int k, j, w = S.width
    for k in range(n):
        a = S.node + S.part[k]
        for j in range(a.size):
            x = S.x[a.first + j]
            if all_rows:
                v.x += J[j] * x
                v.y += J[w + j] * x
            v.z += J[2 * w + j] * x
        J += a.size
    return v
