"""The method of multipliers for the held rows: its matrix, and one step."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from rbdyn.contact.cone.block cimport determinant
from rbdyn.contact.cone.block cimport inverse as inverse3
from rbdyn.contact.operator cimport Contact, Operator, add_impulse, contact_velocity
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.profile cimport factor, substitute
from rbdyn.contact.solvers.direct.unknowns cimport columns
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Sym3, Vec3, sym3, vec3

cdef enum:
    STEPS = 6                # of the method of multipliers; each gains five digits or so
cdef double IMMOVABLE = 1e30
cdef double STIFFNESS = 1e7  # rho in units of 1 / mean diagonal of G_ii


cdef inline double weight(const Contact* k) noexcept nogil:
    """rho [kg]."""
    return STIFFNESS * 3.0 / (k.block.G.xx + k.block.G.yy + k.block.G.zz)


cdef void add_masses(Direct* S, const ContactProblem* p) noexcept nogil:
    """A <- M: m 1 and the inertia of each body, 1 for each normalised coordinate.

    What cannot move gets a mass beyond the reach of any stiffness here.
    """
    cdef int i, j, k, body
    cdef const double* W
    cdef double det, m
    cdef Sym3 I
    memset(S.A, 0, S.start[S.n] * sizeof(double))
    for j in range(S.bodies):
        body = S.order[j]
        i = 6 * j
        W = p.inverse_inertia + 6 * body
        I = sym3(W[0], W[1], W[2], W[3], W[4], W[5])
        det = determinant(I)
        I = inverse3(I, det) if det > 0.0 else sym3(IMMOVABLE, 0.0, 0.0, IMMOVABLE, 0.0, IMMOVABLE)
        m = 1.0 / p.inverse_mass[body] if p.inverse_mass[body] > 0.0 else IMMOVABLE
        for k in range(3):
            S.A[S.start[i + k] + i + k - S.first[i + k]] = m
        S.A[S.start[i + 3] + i + 3 - S.first[i + 3]] = I.xx
        S.A[S.start[i + 4] + i + 3 - S.first[i + 4]] = I.xy
        S.A[S.start[i + 4] + i + 4 - S.first[i + 4]] = I.yy
        S.A[S.start[i + 5] + i + 3 - S.first[i + 5]] = I.xz
        S.A[S.start[i + 5] + i + 4 - S.first[i + 5]] = I.yz
        S.A[S.start[i + 5] + i + 5 - S.first[i + 5]] = I.zz
    for i in range(6 * S.bodies, S.n):
        S.A[S.start[i] + i - S.first[i]] = 1.0


cdef void add_contacts(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """A <- A + J_S^T rho J_S."""
    cdef int i, a, b, n, w = S.width
    cdef double rho, x
    cdef double* row
    for i in range(G.n):
        if S.rows[i] == 0:
            continue
        n = columns(S, G, p, i)
        rho = weight(G.contact + i)
        for a in range(n):
            row = S.A + S.start[S.index[a]] - S.first[S.index[a]]
            for b in range(n):
                if S.index[b] <= S.index[a]:
                    x = S.J[2 * w + a] * S.J[2 * w + b]
                    if S.rows[i] == 3:
                        x += S.J[a] * S.J[b] + S.J[w + a] * S.J[w + b]
                    row[S.index[b]] += rho * x


cdef bint make_matrix(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """A for the rows that are held, factored; False if it cannot be."""
    add_masses(S, p)
    add_contacts(S, G, p)
    return factor(S)


cdef double multiplier_step(Direct* S, Operator* G, const ContactProblem* p, double* impulse) noexcept nogil:
    """One step from these impulses; returns the largest contact velocity before it [m/s]."""
    cdef double worst = 0.0, rho
    cdef double y[3]
    cdef int i, j, c, n, w = S.width
    cdef Vec3 v
    memset(S.x, 0, S.n * sizeof(double))
    for i in range(G.n):
        if S.rows[i] == 0:
            continue
        v = contact_velocity(G, i)
        if S.rows[i] == 1:
            v.x = v.y = 0.0
        S.r[3 * i], S.r[3 * i + 1], S.r[3 * i + 2] = v.x, v.y, v.z
        worst = max(worst, fabs(v.x), fabs(v.y), fabs(v.z))
        n = columns(S, G, p, i)
        rho = weight(G.contact + i)
        for j in range(n):
            S.x[S.index[j]] -= rho * (S.J[j] * v.x + S.J[w + j] * v.y + S.J[2 * w + j] * v.z)
    substitute(S)
    for i in range(G.n):
        if S.rows[i] == 0:
            continue
        n = columns(S, G, p, i)
        rho = weight(G.contact + i)
        for c in range(3):
            y[c] = 0.0
            if c == 2 or S.rows[i] == 3:
                y[c] = S.r[3 * i + c]
                for j in range(n):
                    y[c] += S.J[c * w + j] * S.x[S.index[j]]
                y[c] *= -rho
        add_impulse(G, i, vec3(y[0], y[1], y[2]))
        for c in range(3):
            impulse[3 * i + c] += y[c]
    return worst


cdef void hold(Direct* S, Operator* G, const ContactProblem* p, double* impulse, double threshold) noexcept nogil:
    """Steps until the held rows have no velocity, or it no longer falls."""
    cdef double worst, best = INFINITY
    for _ in range(STEPS):
        worst = multiplier_step(S, G, p, impulse)
        if worst < 0.01 * threshold or not worst < 0.5 * best:
            break
        best = worst
