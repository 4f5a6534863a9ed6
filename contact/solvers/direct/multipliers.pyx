"""The method of multipliers for the held rows: its matrix, and one step."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from rbdyn.contact.cone.block cimport determinant
from rbdyn.contact.cone.block cimport inverse as inverse3
from rbdyn.contact.operator cimport (
    Contact, Line, Operator, add_impulse, add_line_impulse, contact_velocity, impulse_at, line_velocity, set_impulse,
)
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.cholesky cimport block_of, factor, substitute
from rbdyn.contact.solvers.direct.unknowns cimport constraints, parts
from rbdyn.contact.solvers.direct.workspace cimport Direct, Node
from rbdyn.spatial._algebra cimport (
    Mat3, Sym3, Vec3, add3, neg3, row_x, row_y, row_z, scale3, sym3, tmul3, vec3,
)

cdef enum:
    STEPS = 6                # of the method of multipliers; each gains five digits or so
cdef double IMMOVABLE = 1e30
cdef double STIFFNESS = 1e7  # rho in units of 1 / mean diagonal of G_ii


cdef inline double weight(const Operator* G, int i) noexcept nogil:
    """rho [kg] of constraint i."""
    cdef const Sym3* B
    cdef const Line* k
    if i < G.n:
        B = &G.contact[i].block.G
        return STIFFNESS * 3.0 / (B.xx + B.yy + B.zz)
    k = G.line + i - G.n
    return STIFFNESS / (k.G + (STIFFNESS - 1.0) * k.compliance)


cdef inline bint is_single(const Operator* G, int i) noexcept nogil:
    return i < G.n and G.contact[i].row == G.contact[i].row_end


cdef double mass_of(const ContactProblem* p, int body) noexcept nogil:
    """[kg]; of what cannot move one beyond the reach of any stiffness here."""
    cdef double m = p.inverse_mass[body]
    return 1.0 / m if m > 0.0 else IMMOVABLE


cdef Sym3 inertia_of(const ContactProblem* p, int body) noexcept nogil:
    """World axes [kg m^2], likewise."""
    cdef const double* W = p.inverse_inertia + 6 * body
    cdef Sym3 I = sym3(W[0], W[1], W[2], W[3], W[4], W[5])
    cdef double det = determinant(I)
    return inverse3(I, det) if det > 0.0 else sym3(IMMOVABLE, 0.0, 0.0, IMMOVABLE, 0.0, IMMOVABLE)


cdef void add_masses(Direct* S, const ContactProblem* p) noexcept nogil:
    """A <- M: m 1 and the inertia of each body, 1 for each normalised coordinate."""
    cdef const Node* last = S.node + S.nodes - 1
    cdef double m
    cdef double* D
    cdef Sym3 I
    cdef int k, j
    memset(S.A, 0, (last.diagonal + last.size * (last.size + last.rows)) * sizeof(double))
    for k in range(S.nodes):
        D = S.A + S.node[k].diagonal
        if S.node[k].size == 1:
            D[0] = 1.0
            continue
        m = mass_of(p, S.node[k].object)
        for j in range(3):
            D[(S.node[k].size + 1) * j] = m
        if S.node[k].size == 3:
            continue
        I = inertia_of(p, S.node[k].object)
        D[21], D[27], D[28], D[33], D[34], D[35] = I.xx, I.xy, I.yy, I.xz, I.yz, I.zz


cdef inline void add_block(double* C, int width, double rho, const double* J, const double* K, int w, int n, int m,
                           bint all_rows) noexcept nogil:
    """C += rho J^T K, n rows of m numbers, over three rows of J and K or the normal one."""
    cdef double x, y, z
    cdef int i, j
    for i in range(n):
        x, y, z = rho * J[i], rho * J[w + i], rho * J[2 * w + i]
        if all_rows:
            for j in range(m):
                C[i * width + j] += x * K[j] + y * K[w + j] + z * K[2 * w + j]
        else:
            for j in range(m):
                C[i * width + j] += z * K[2 * w + j]


cdef inline void add_block_66(double* C, int width, double rho, const double* J, const double* K, int w) noexcept nogil:
    """The same with three rows for two bodies: six rows, each of six numbers in a row."""
    cdef double[6] y
    cdef double a, b, c
    cdef int i, j
    for i in range(6):
        a, b, c = rho * J[i], rho * J[w + i], rho * J[2 * w + i]
        for j in range(6):
            y[j] = a * K[j] + b * K[w + j] + c * K[2 * w + j]
        for j in range(6):
            C[i * width + j] += y[j]


cdef inline void add_product(double* C, int width, double rho, const double* J, const double* K, int w, int n, int m,
                             bint all_rows) noexcept nogil:
    """add_block by the sizes that are frequent."""
    if n == 6 and m == 6 and all_rows:
        add_block_66(C, width, rho, J, K, w)
    else:
        add_block(C, width, rho, J, K, w, n, m, all_rows)


# ---- sticking contacts of single bodies: their rows R (1, -[r]x) are orthonormal but for the arms, and drop out ----

cdef inline void add_own(double* D, double rho, const double* r) noexcept nogil:
    """The lower triangle of rho (1, [r]x) (1, -[r]x), six numbers in a row."""
    cdef double x = rho * r[0], y = rho * r[1], z = rho * r[2]
    D[0] += rho
    D[7] += rho
    D[14] += rho
    D[19] -= z
    D[20] += y
    D[24] += z
    D[26] -= x
    D[30] -= y
    D[31] += x
    D[21] += y * r[1] + z * r[2]
    D[27] -= x * r[1]
    D[28] += x * r[0] + z * r[2]
    D[33] -= x * r[2]
    D[34] -= y * r[2]
    D[35] += x * r[0] + y * r[1]


cdef inline void subtract_shared(double* C, int width, double rho, const double* r, const double* s) noexcept nogil:
    """C -= rho (1, [r]x) (1, -[s]x), with `width` numbers in a row."""
    cdef double x = rho * s[0], y = rho * s[1], z = rho * s[2]
    cdef double dot = x * r[0] + y * r[1] + z * r[2]
    C[0] -= rho
    C[4] -= z
    C[5] += y
    C += width
    C[1] -= rho
    C[3] += z
    C[5] -= x
    C += width
    C[2] -= rho
    C[3] -= y
    C[4] += x
    C += width
    C[1] += rho * r[2]
    C[2] -= rho * r[1]
    C[3] -= dot - x * r[0]
    C[4] += x * r[1]
    C[5] += x * r[2]
    C += width
    C[0] -= rho * r[2]
    C[2] += rho * r[0]
    C[3] += y * r[0]
    C[4] -= dot - y * r[1]
    C[5] += y * r[2]
    C += width
    C[0] += rho * r[1]
    C[1] -= rho * r[0]
    C[3] += z * r[0]
    C[4] += z * r[1]
    C[5] -= dot - z * r[2]


cdef void add_sticking(Direct* S, const ContactProblem* p, const Contact* k, double rho) noexcept nogil:
    """What all three rows of a contact of single bodies add to A."""
    cdef int a = S.node_of_body[k.a.body] if k.a.body >= 0 else -1
    cdef int b = S.node_of_body[k.b.body] if k.b.body >= 0 else -1
    cdef const double* r = p.arm_a + 3 * k.index
    cdef const double* s = p.arm_b + 3 * k.index
    if a >= 0:
        add_own(S.A + S.node[a].diagonal, rho, r)
    if b >= 0:
        add_own(S.A + S.node[b].diagonal, rho, s)
    if 0 <= a < b:
        subtract_shared(block_of(S, b, a), S.node[a].rows, rho, r, s)
    elif 0 <= b < a:
        subtract_shared(block_of(S, a, b), S.node[b].rows, rho, s, r)


cdef void add_square(Direct* S, int n, double rho, bint all_rows) noexcept nogil:
    """A <- A + rho J^T J for the n nodes whose rows are at hand: of each two the block below the earlier's diagonal."""
    cdef const Node* a
    cdef const Node* b
    cdef const double* J = S.J
    cdef const double* K
    cdef int j, k, w = S.width
    for j in range(n):
        a = S.node + S.part[j]
        K = S.J
        for k in range(n):
            b = S.node + S.part[k]
            if S.part[k] == S.part[j]:
                add_product(S.A + a.diagonal, a.size, rho, J, K, w, a.size, a.size, all_rows)
            elif S.part[k] > S.part[j]:
                add_product(block_of(S, S.part[k], S.part[j]), a.rows, rho, J, K, w, a.size, b.size, all_rows)
            K += b.size
        J += a.size


cdef void add_constraints(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """A <- A + J_S^T rho J_S."""
    cdef int i
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        if S.rows[i] == 3 and is_single(G, i) and G.contact[i].a.body != G.contact[i].b.body:
            add_sticking(S, p, G.contact + i, S.rho[i])
        else:
            add_square(S, parts(S, G, i), S.rho[i], S.rows[i] == 3)


cdef bint make_matrix(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """A for the rows that are held, all of them stiff, factored; False if it cannot be."""
    cdef int i
    for i in range(constraints(G)):
        S.rho[i] = weight(G, i)
    return make_weighted(S, G, p)


cdef bint make_weighted(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """The same with the weights that S.rho holds."""
    add_masses(S, p)
    add_constraints(S, G, p)
    return factor(S)


cdef inline Vec3 residue(const Operator* G, const double* impulse, int i, bint all_rows) noexcept nogil:
    """v + compliance lam of the held rows of constraint i [m/s]; of contacts v alone."""
    cdef int r = i - G.n
    cdef Vec3 v
    if r >= 0:
        return vec3(0.0, 0.0, line_velocity(G, r) + G.line[r].compliance * impulse[3 * G.n + r])
    v = contact_velocity(G, i)
    return v if all_rows else vec3(0.0, 0.0, v.z)


cdef inline void change(Operator* G, double* impulse, int i, Vec3 lam) noexcept nogil:
    """Add to the impulses of constraint i."""
    if i < G.n:
        add_impulse(G, i, lam)
        set_impulse(impulse, i, add3(impulse_at(impulse, i), lam))
    else:
        add_line_impulse(G, i - G.n, lam.z)
        impulse[2 * G.n + i] += lam.z


# ---- contacts of single bodies alone: pull and move (multipliers.pxd) without J, to the bit ----

cdef inline void subtract_from(double* x, const Mat3* R, const Mat3* L, Vec3 f) noexcept nogil:
    """x -= (R^T f, L^T f)."""
    cdef Vec3 v = tmul3(R[0], f), w = tmul3(L[0], f)
    x[0], x[1], x[2], x[3], x[4], x[5] = x[0] - v.x, x[1] - v.y, x[2] - v.z, x[3] - w.x, x[4] - w.y, x[5] - w.z


cdef void pull_single(Direct* S, const Contact* k, Vec3 f) noexcept nogil:
    """x -= J^T f."""
    if k.a.body >= 0:
        subtract_from(S.x + S.node[S.node_of_body[k.a.body]].first, &k.R, &k.a.L, f)
    if k.b.body >= 0:
        subtract_from(S.x + S.node[S.node_of_body[k.b.body]].first, &k.R, &k.b.L, neg3(f))


cdef inline double along(double v, Vec3 r, Vec3 l, const double* x) noexcept nogil:
    """v + (r, l) . x, one after the other."""
    return v + r.x * x[0] + r.y * x[1] + r.z * x[2] + l.x * x[3] + l.y * x[4] + l.z * x[5]


cdef inline double against(double v, Vec3 r, Vec3 l, const double* x) noexcept nogil:
    """v - (r, l) . x, likewise."""
    return v - r.x * x[0] - r.y * x[1] - r.z * x[2] - l.x * x[3] - l.y * x[4] - l.z * x[5]


cdef Vec3 move_single(const Direct* S, const Contact* k, bint all_rows) noexcept nogil:
    """J x."""
    cdef Vec3 v = vec3(0.0, 0.0, 0.0)
    cdef const double* x
    if k.a.body >= 0:
        x = S.x + S.node[S.node_of_body[k.a.body]].first
        if all_rows:
            v.x, v.y = along(v.x, row_x(k.R), row_x(k.a.L), x), along(v.y, row_y(k.R), row_y(k.a.L), x)
        v.z = along(v.z, row_z(k.R), row_z(k.a.L), x)
    if k.b.body >= 0:
        x = S.x + S.node[S.node_of_body[k.b.body]].first
        if all_rows:
            v.x, v.y = against(v.x, row_x(k.R), row_x(k.b.L), x), against(v.y, row_y(k.R), row_y(k.b.L), x)
        v.z = against(v.z, row_z(k.R), row_z(k.b.L), x)
    return v


cdef double multiplier_step(Direct* S, Operator* G, double* impulse) noexcept nogil:
    """One step from these impulses; returns the largest velocity of a held row before it [m/s]."""
    cdef double worst = 0.0
    cdef int i
    cdef Vec3 v
    memset(S.x, 0, S.n * sizeof(double))
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        v = residue(G, impulse, i, S.rows[i] == 3)
        S.r[3 * i], S.r[3 * i + 1], S.r[3 * i + 2] = v.x, v.y, v.z
        worst = max(worst, fabs(v.x), fabs(v.y), fabs(v.z))
        if is_single(G, i):
            pull_single(S, G.contact + i, scale3(S.rho[i], v))
        else:
            pull(S, S.rho[i], v, parts(S, G, i), S.rows[i] == 3)
    substitute(S)
    for i in range(constraints(G)):
        if S.rows[i] == 0:
            continue
        if is_single(G, i):
            v = add3(impulse_at(S.r, i), move_single(S, G.contact + i, S.rows[i] == 3))
        else:
            v = add3(impulse_at(S.r, i), move(S, parts(S, G, i), S.rows[i] == 3))
        change(G, impulse, i, scale3(-S.rho[i], v))
    return worst


cdef double hold(Direct* S, Operator* G, double* impulse, double threshold) noexcept nogil:
    """Steps until the held rows have no velocity, or it no longer falls; returns the largest before the last [m/s]."""
    cdef double worst, best = INFINITY
    for _ in range(STEPS):
        worst = multiplier_step(S, G, impulse)
        if worst < 0.01 * threshold or not worst < 0.5 * best:
            break
        best = worst
    return worst
