"""Steps of the alternating direction method of multipliers: steps.pxd."""

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.contact.cone.block cimport SKIPPED, mobility
from rbdyn.contact.islands cimport rows_of
from rbdyn.contact.laws cimport bilateral, cone
from rbdyn.contact.laws.dispatch cimport make_admissible
from rbdyn.contact.operator cimport (
    LineBlock, Operator, add_impulse, add_line_impulse, contact_velocity, impulse_at, line_velocity, load_impulses,
    set_impulse,
)
from rbdyn.contact.problem cimport BILATERAL, DISC, ContactProblem
from rbdyn.contact.solvers.direct.cholesky cimport substitute
from rbdyn.contact.solvers.direct.multipliers cimport make_weighted, move, pull
from rbdyn.contact.solvers.direct.unknowns cimport constraints, parts
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3, vec3, zero3

cdef double WEIGHT = 0.25         # R in units of the mean diagonal of G_ii
cdef double RELAXED = 1.6         # of d


cdef inline double compliance(const Operator* G, int i) noexcept nogil:
    """Of constraint i [1/kg]."""
    return G.contact[i].block.compliance if i < G.n else G.line[i - G.n].compliance


cdef inline double resistance(const Direct* S, const Operator* G, int i) noexcept nogil:
    """R of constraint i [1/kg]: what its weight has beyond the compliance."""
    return 1.0 / S.rho[i] - compliance(G, i)


cdef inline double largest(Vec3 v) noexcept nogil:
    return max(fabs(v.x), fabs(v.y), fabs(v.z))


cdef void weigh_block(Direct* S, const Operator* G, const LineBlock* k) noexcept nogil:
    """rows: 1 where something moves, and no other row determines it; one weight for both rows of a disc."""
    cdef int* rows = S.rows + G.n + k.first
    cdef double R
    cdef int i
    if k.law == BILATERAL:
        bilateral.held_rows(G, k, rows)
    for i in range(k.rows):
        if k.law != BILATERAL:
            rows[i] = G.line[k.first + i].G > 0.0
        R = WEIGHT * (k.disc.first if k.law == DISC else G.line[k.first + i].G)
        S.rho[G.n + k.first + i] = 1.0 / (R + k.compliance) if rows[i] != 0 else 0.0


cdef void weigh(Direct* S, const Operator* G) noexcept nogil:
    """Weights of all constraints, and how many rows of each take part."""
    cdef int i
    for i in range(G.n):
        S.rows[i] = 0 if G.contact[i].block.kind == SKIPPED else 3
        S.rho[i] = 1.0 / (WEIGHT * mobility(&G.contact[i].block) + G.contact[i].block.compliance)
    for i in range(G.n_blocks):
        weigh_block(S, G, G.block + i)


cdef inline Vec3 wanted(const Splitting* A, const Operator* G, const double* impulse, int i) noexcept nogil:
    """v + compliance z + w of constraint i [m/s]; of a single row in z."""
    cdef int n = 2 * G.n + i
    cdef Vec3 v
    if i < G.n:
        v = add3(contact_velocity(G, i), scale3(G.contact[i].block.compliance, impulse_at(impulse, i)))
        return add3(v, impulse_at(A.w, i))
    return vec3(0.0, 0.0, line_velocity(G, i - G.n) + G.line[i - G.n].compliance * impulse[n] + A.w[n])


cdef bint begin(Splitting* A, Direct* S, Operator* G, const ContactProblem* p, double* impulse) noexcept nogil:
    """Contacts keep their loads, rows have none, and laws want what velocities are then; False without a matrix."""
    cdef int i
    cdef Vec3 v
    weigh(S, G)
    if not make_weighted(S, G, p):
        return False
    memset(impulse + 3 * G.n, 0, G.n_lines * sizeof(double))
    load_impulses(G, impulse)
    for i in range(G.n):
        v = add3(contact_velocity(G, i), scale3(G.contact[i].block.compliance, impulse_at(impulse, i)))
        set_impulse(A.w, i, scale3(-1.0, v))
    for i in range(G.n_lines):
        A.w[3 * G.n + i] = -line_velocity(G, i)
    return True


cdef void solve_all(Splitting* A, Direct* S, const Operator* G, const double* impulse) noexcept nogil:
    """x of the step, from what velocities miss."""
    cdef Vec3 r
    cdef int i
    memset(S.x, 0, S.n * sizeof(double))
    A.left = 0.0
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        r = wanted(A, G, impulse, i)
        A.left = max(A.left, largest(r))
        S.r[3 * i], S.r[3 * i + 1], S.r[3 * i + 2] = r.x, r.y, r.z
        pull(S, S.rho[i], r, parts(S, G, i), S.rows[i] == 3)
    substitute(S)


cdef void spread(Splitting* A, Direct* S, const Operator* G, double* impulse) noexcept nogil:
    """y, and in place of the impulses y + w / R."""
    cdef Vec3 v, d
    cdef double R
    cdef int i, n
    A.change = 0.0
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        v = move(S, parts(S, G, i), S.rows[i] == 3)
        A.change = max(A.change, largest(v))
        d = scale3(-RELAXED * S.rho[i], add3(impulse_at(S.r, i), v))
        R = resistance(S, G, i)
        if i < G.n:
            d = add3(impulse_at(impulse, i), d)
            set_impulse(A.y, i, d)
            set_impulse(impulse, i, add3(d, scale3(1.0 / R, impulse_at(A.w, i))))
        else:
            n = 2 * G.n + i
            A.y[n] = impulse[n] + d.z
            impulse[n] = A.y[n] + A.w[n] / R


cdef void obey(Splitting* A, Direct* S, Operator* G, double* impulse) noexcept nogil:
    """Admissible impulses, what laws want, and the velocities that follow."""
    cdef Vec3 change
    cdef double R
    cdef int i, n
    for i in range(G.n):
        set_impulse(impulse, i, cone.admissible(G.contact + i, impulse_at(impulse, i)) if S.rows[i] != 0 else zero3())
    for i in range(G.n_blocks):
        make_admissible(G.block + i, impulse, impulse + 3 * G.n + G.block[i].first)
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        R = resistance(S, G, i)
        if i < G.n:
            change = scale3(R, sub3(impulse_at(A.y, i), impulse_at(impulse, i)))
            set_impulse(A.w, i, add3(impulse_at(A.w, i), change))
            add_impulse(G, i, sub3(impulse_at(impulse, i), impulse_at(A.z, i)))
        else:
            n = 2 * G.n + i
            change = vec3(0.0, 0.0, R * (A.y[n] - impulse[n]))
            A.w[n] += change.z
            add_line_impulse(G, i - G.n, impulse[n] - A.z[n])
        A.change = max(A.change, largest(change))


cdef void step(Splitting* A, Direct* S, Operator* G, double* impulse) noexcept nogil:
    """One step from these impulses, whose velocities the operator holds before and after."""
    memcpy(A.z, impulse, rows_of(G) * sizeof(double))
    solve_all(A, S, G, impulse)
    spread(A, S, G, impulse)
    obey(A, S, G, impulse)


cdef double missed(const Splitting* A, const Direct* S, const Operator* G, const double* impulse) noexcept nogil:
    """By how much velocities miss what laws want with these impulses [m/s]."""
    cdef double most = 0.0
    cdef int i
    for i in range(constraints(G)):
        if S.rows[i] != 0:
            most = max(most, largest(wanted(A, G, impulse, i)))
    return most
