"""A direct solve of all sticking contacts together."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.contact.cone.block cimport SKIPPED, determinant
from rbdyn.contact.cone.block cimport inverse as inverse3
from rbdyn.contact.laws cimport cone
from rbdyn.contact.operator cimport (
    Contact, Operator, add_impulse, contact_velocity, impulse_at, load_impulses, set_impulse,
)
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Sym3, Vec3, sym3, vec3

cdef enum:
    ROUNDS = 8               # times that contacts are let go or held in one solve
    FEW = 3                  # contacts still to be let go at its end that the sweeps may see to
    STEPS = 6                # of the method of multipliers; each gains five digits or so
cdef double IMMOVABLE = 1e30
cdef double FORTH = 1.5           # more contacts let go for each that was just held: to and fro
cdef double STIFFNESS = 1e7  # rho in units of 1 / mean diagonal of G_ii


cdef int begin(Direct* S, const Operator* G, const ContactProblem* p, size_t* reallocations) except -1 nogil:
    """Room for this problem, the order of its unknowns and the profile of A."""
    cdef size_t n = 6 * <size_t> p.n_single + p.n_coordinates, bodies = p.n_single, contacts = G.n
    cdef size_t width = 12, size
    cdef char* m
    cdef int i
    for i in range(G.n):
        width = max(width, <size_t> (12 + G.contact[i].row_end - G.contact[i].row))
    size = ((n + 1) * sizeof(size_t) + (3 * width + n + 6 * contacts) * sizeof(double)
            + (n + width + 3 * bodies + 1 + 3 * contacts + p.n_coordinates) * sizeof(int))
    reallocations[0] += grow(<void**> &S.memory, &S.capacity, size, 1)
    m = S.memory
    S.start = <size_t*> m
    S.J = <double*> (S.start + n + 1)
    S.x = S.J + 3 * width
    S.r = S.x + n
    S.begun = S.r + 3 * contacts
    S.first = <int*> (S.begun + 3 * contacts)
    S.index = S.first + n
    S.place = S.index + width
    S.column = S.place + bodies
    S.order = S.column + p.n_coordinates
    S.neighbours = S.order + bodies
    S.incident = S.neighbours + bodies + 1
    S.rows = S.incident + 2 * contacts
    S.width = <int> width
    number_unknowns(S, G, p)
    profile(S, G, p)
    reallocations[0] += grow(<void**> &S.A, &S.A_capacity, S.start[S.n], sizeof(double))
    return 0


cdef void release(Direct* S) noexcept nogil:
    """Give all memory back."""
    free(S.memory)
    free(S.A)
    memset(S, 0, sizeof(Direct))


cdef bint affordable(const Direct* S, int contacts) noexcept nogil:
    """Whether a factorisation costs less than some sixty sweeps, at 150 flops a visit."""
    cdef double flops = 0.0, row
    cdef int i
    for i in range(S.n):
        row = i + 1 - S.first[i]
        flops += row * row
    return flops < 1500.0 * contacts


cdef void list_contacts(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """The contacts of each body: counted, then placed."""
    cdef int i, k, body
    memset(S.neighbours, 0, (p.n_single + 1) * sizeof(int))
    for i in range(G.n):
        for k in range(2):
            body = G.contact[i].b.body if k else G.contact[i].a.body
            if body >= 0:
                S.neighbours[body + 1] += 1
    for i in range(p.n_single):
        S.neighbours[i + 1] += S.neighbours[i]
    for i in range(G.n):
        for k in range(2):
            body = G.contact[i].b.body if k else G.contact[i].a.body
            if body >= 0:
                S.incident[S.neighbours[body]] = i
                S.neighbours[body] += 1
    for i in range(p.n_single, 0, -1):
        S.neighbours[i] = S.neighbours[i - 1]
    S.neighbours[0] = 0


cdef void number_unknowns(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """Breadth-first from the body with the fewest contacts of each island; coordinates come last."""
    cdef int done = 0, head = 0, seed, body, other, i, k
    list_contacts(S, G, p)
    for body in range(p.n_single):
        S.place[body] = -1
    while True:
        seed = -1
        for body in range(p.n_single):
            k = S.neighbours[body + 1] - S.neighbours[body]
            if S.place[body] < 0 and k > 0 and (seed < 0 or k < S.neighbours[seed + 1] - S.neighbours[seed]):
                seed = body
        if seed < 0:
            break
        S.place[seed] = 6 * done
        S.order[done] = seed
        done += 1
        while head < done:
            body = S.order[head]
            head += 1
            for k in range(S.neighbours[body], S.neighbours[body + 1]):
                i = S.incident[k]
                other = G.contact[i].b.body if G.contact[i].a.body == body else G.contact[i].a.body
                if other >= 0 and S.place[other] < 0:
                    S.place[other] = 6 * done
                    S.order[done] = other
                    done += 1
    S.bodies, S.n = done, 6 * done
    for i in range(p.n_coordinates):
        S.column[i] = -1
    for i in range(G.n):
        for k in range(G.contact[i].row, G.contact[i].row_end):
            if S.column[G.row[k].coordinate] < 0:
                S.column[G.row[k].coordinate] = S.n
                S.n += 1


cdef int columns(Direct* S, const Operator* G, const ContactProblem* p, int i) noexcept nogil:
    """The unknowns of contact i and its three rows of J; returns their number."""
    cdef const Contact* k = G.contact + i
    cdef int n = 0, j, side, body
    cdef double* J = S.J
    cdef double s
    cdef int w = S.width
    for side in range(2):
        body = k.b.body if side else k.a.body
        s = -1.0 if side else 1.0
        if body < 0:
            continue
        for j in range(6):
            S.index[n + j] = S.place[body] + j
        write_row(J + n, s, vec3(k.R.xx, k.R.xy, k.R.xz), &k.b.L.xx if side else &k.a.L.xx)
        write_row(J + w + n, s, vec3(k.R.yx, k.R.yy, k.R.yz), &k.b.L.yx if side else &k.a.L.yx)
        write_row(J + 2 * w + n, s, vec3(k.R.zx, k.R.zy, k.R.zz), &k.b.L.zx if side else &k.a.L.zx)
        n += 6
    for j in range(k.row, k.row_end):
        S.index[n] = S.column[G.row[j].coordinate]
        J[n], J[w + n], J[2 * w + n] = G.row[j].x, G.row[j].y, G.row[j].n
        n += 1
    return n


cdef inline void write_row(double* J, double s, Vec3 t, const double* L) noexcept nogil:
    J[0], J[1], J[2] = s * t.x, s * t.y, s * t.z
    J[3], J[4], J[5] = s * L[0], s * L[1], s * L[2]


cdef void profile(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """first[i] and start[i]: a row reaches back to the lowest unknown that shares a contact with it."""
    cdef int i, j, n, low
    for i in range(S.n):
        S.first[i] = i
    for i in range(0, 6 * S.bodies, 6):
        for j in range(1, 6):
            S.first[i + j] = i
    for i in range(G.n):
        n = columns(S, G, p, i)
        low = S.n
        for j in range(n):
            low = min(low, S.index[j])
        for j in range(n):
            S.first[S.index[j]] = min(S.first[S.index[j]], low)
    S.start[0] = 0
    for i in range(S.n):
        S.start[i + 1] = S.start[i] + (i + 1 - S.first[i])


cdef void select_rows(Direct* S, const Operator* G, const double* impulse) noexcept nogil:
    """rows[i]: how many rows of each contact are held."""
    cdef int i
    for i in range(G.n):
        S.rows[i] = cone.held_rows(G.contact + i, impulse_at(impulse, i))


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


cdef bint factor(Direct* S) noexcept nogil:
    """A = L L^T in its profile; False if a pivot is not positive."""
    cdef int i, j, k, low
    cdef double s
    cdef double* row
    cdef double* other
    for i in range(S.n):
        row = S.A + S.start[i] - S.first[i]
        for j in range(S.first[i], i):
            other = S.A + S.start[j] - S.first[j]
            low = max(S.first[i], S.first[j])
            s = row[j]
            for k in range(low, j):
                s -= row[k] * other[k]
            row[j] = s / other[j]
        s = row[i]
        for k in range(S.first[i], i):
            s -= row[k] * row[k]
        if not s > 0.0:
            return False
        row[i] = sqrt(s)
    return True


cdef void substitute(Direct* S) noexcept nogil:
    """x <- A^-1 x."""
    cdef int i, k
    cdef double s
    cdef double* row
    for i in range(S.n):
        row = S.A + S.start[i] - S.first[i]
        s = S.x[i]
        for k in range(S.first[i], i):
            s -= row[k] * S.x[k]
        S.x[i] = s / row[i]
    for i in range(S.n - 1, -1, -1):
        row = S.A + S.start[i] - S.first[i]
        S.x[i] /= row[i]
        s = S.x[i]
        for k in range(S.first[i], i):
            S.x[k] -= row[k] * s


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


cdef int release_rows(Direct* S, const Operator* G, double* impulse) noexcept nogil:
    """Give up what friction or a push cannot do; returns how many contacts that concerns.

    A contact that pulls is opened.  One outside its cone keeps its normal row, and its friction at the cone's rim.
    """
    cdef int i, changed = 0
    cdef Vec3 lam, inside
    for i in range(G.n):
        if S.rows[i] == 0:
            continue
        lam = impulse_at(impulse, i)
        inside = cone.admissible(G.contact + i, lam)
        if not lam.z >= 0.0:
            S.rows[i] = 0
        elif inside.x != lam.x or inside.y != lam.y:
            S.rows[i] = 1
        else:
            continue
        set_impulse(impulse, i, inside)
        changed += 1
    return changed


cdef void begin_again(Direct* S, Operator* G, double* impulse) noexcept nogil:
    """The impulses that the solve began with, but for friction at its rim and contacts let go.

    Rows that contradict one another (corners of one face, with different gaps) leave impulses of any size behind.
    """
    cdef int i
    cdef double r, most
    cdef Vec3 lam, old
    for i in range(G.n):
        lam, old = impulse_at(impulse, i), impulse_at(S.begun, i)
        if S.rows[i] == 3:
            lam = old
        elif S.rows[i] == 1:
            r, most = sqrt(lam.x * lam.x + lam.y * lam.y), G.contact[i].block.mu * old.z
            lam = vec3(lam.x * most / r, lam.y * most / r, old.z) if r > most else vec3(lam.x, lam.y, old.z)
        set_impulse(impulse, i, lam)
    load_impulses(G, impulse)


cdef void hold(Direct* S, Operator* G, const ContactProblem* p, double* impulse, double threshold) noexcept nogil:
    """Steps until the held rows have no velocity, or it no longer falls."""
    cdef double worst, best = INFINITY
    for _ in range(STEPS):
        worst = multiplier_step(S, G, p, impulse)
        if worst < 0.01 * threshold or not worst < 0.5 * best:
            break
        best = worst


cdef int close_rows(Direct* S, const Operator* G, double threshold) noexcept nogil:
    """Hold open contacts that come together; returns how many.  Their impulses are zero."""
    cdef int i, changed = 0
    for i in range(G.n):
        if S.rows[i] == 0 and not G.contact[i].block.dependent and G.contact[i].block.kind != SKIPPED and (
                contact_velocity(G, i).z < -threshold):
            S.rows[i] = 3
            changed += 1
    return changed


cdef bint solve_sticking(Direct* S, Operator* G, const ContactProblem* p, double* impulse,
                         double threshold, bint patient) noexcept nogil:
    """Impulses that hold every sticking contact, the others fixed; clipped to the cones; velocities follow.

    Contacts that would have to pull, or to hold more than their friction, are let go, open ones that come together are
    held, and the rest is solved again.  Where that goes to and fro (things that rock or topple) it is given up, unless
    `patient`: the impulses are as before then, and the answer False.
    """
    cdef int released = 0, closed = G.n, i
    memcpy(S.begun, impulse, 3 * G.n * sizeof(double))
    select_rows(S, G, impulse)
    for _ in range(2 * ROUNDS if patient else ROUNDS):
        add_masses(S, p)
        add_contacts(S, G, p)
        if not factor(S):
            released = G.n
            break
        hold(S, G, p, impulse, threshold)
        released = release_rows(S, G, impulse)
        if released > FORTH * closed and not patient:
            break
        if released > 0:
            begin_again(S, G, impulse)
            continue
        closed = close_rows(S, G, threshold)
        if closed == 0:
            break
    if released > FEW and not patient:
        memcpy(impulse, S.begun, 3 * G.n * sizeof(double))
    else:
        for i in range(G.n):
            set_impulse(impulse, i, cone.admissible(G.contact + i, impulse_at(impulse, i)))
    load_impulses(G, impulse)
    return patient or released <= FEW
