"""Proximal Newton method for one island: newton.pxd."""

from libc.math cimport INFINITY, fabs, hypot, isfinite, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.contact.cone.local cimport OPEN, SLIDE, STICK
from rbdyn.contact.islands cimport Island
from rbdyn.contact.laws cimport cone, disc
from rbdyn.contact.operator cimport Operator, load_impulses
from rbdyn.contact.problem cimport BILATERAL, COMPLIANT, CONE, DISC, REFINED, UNILATERAL, ContactProblem
from rbdyn.contact.solve.couplings cimport (
    find_coupling_impulses, release_couplings, take_out_followers, write_coupled_mass,
)
from rbdyn.contact.solve.factor cimport (
    begin_matrix, factor, factor_mass, open_envelope, release_envelope, set_unit_mass, solve_factored, solve_mass,
    times_mass,
)
from rbdyn.contact.solve.velocity_space cimport (
    Piece, VelocitySpace, close_space, move_rows, open_space, pull_unknowns, release_space,
)
from rbdyn.contact.tolerances cimport (
    AFFORDABLE, ASSEMBLY, CHORD, COMPLIANT_PENALTY, CONTRADICTION, DIGITS, EASY, ENOUGH_STILL, FEWEST_STEPS,
    FIRST_PENALTY, FORGETTING, GOOD_STEP, HIDDEN_SHARE, HIDING_PENALTY, INNER_ACCURACY, INNER_STEPS, INNER_TOLERANCE,
    LARGEST_PENALTY, LAST_PENALTY, LONGEST_WAIT, PENALTY_GROWTH, POLISH_STEPS, RUNAWAY, SEEN, SHORTEST, SLOPES, SOFT,
    STILL, STILL_GROWTH, STUCK,
)
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Mat3, Vec3, vec3


cdef void release_newton(Newton* N) noexcept nogil:
    """Give all memory back."""
    release_space(&N.space)
    release_couplings(&N.couplings)
    release_envelope(&N.matrix)
    free(N.memory)
    memset(N, 0, sizeof(Newton))


cdef int make_room(Newton* N) except -1 nogil:
    """Point the arrays into one allocation."""
    cdef size_t rows = N.space.rows, unknowns = N.space.unknowns
    N.reallocations += grow(<void**> &N.memory, &N.capacity, 9 * rows + 8 * unknowns, sizeof(double))
    N.lam = N.memory
    N.shift = N.lam + rows
    N.v = N.shift + rows
    N.y = N.v + rows
    N.new = N.y + rows
    N.along = N.new + rows
    N.best = N.along + rows
    N.before = N.best + rows
    N.grown = N.before + rows
    N.u = N.grown + rows
    N.p = N.u + unknowns
    N.g = N.p + unknowns
    N.h = N.g + unknowns
    N.d = N.h + unknowns
    N.q = N.d + unknowns
    N.start = N.q + unknowns
    N.begun = N.start + unknowns
    return 0


# ---- projections ----

cdef inline double radius(const Newton* N, const Piece* k) noexcept nogil:
    """Largest impulse of a disc beside the push that the proximal term holds [N m s]."""
    return k.a * max(0.0, N.lam[k.partner]) if k.partner >= 0 else 0.0


cdef inline void project(const Newton* N, const Piece* k, double share, const double* y, double* out) noexcept nogil:
    """out = P(share y) of one piece."""
    cdef Vec3 x
    cdef int r
    if k.mobility == 0.0:
        for r in range(k.rows):
            out[r] = 0.0
    elif k.law == CONE:
        x = cone.project(k.a, vec3(share * y[0], share * y[1], share * y[2]))
        out[0], out[1], out[2] = x.x, x.y, x.z
    elif k.law == DISC:
        out[0] = share * y[0]
        if k.rows == 2:
            out[1] = share * y[1]
        disc.project(radius(N, k), k.rows, out)
    elif k.law == BILATERAL:
        out[0] = share * y[0]
    elif k.law == UNILATERAL:
        out[0] = max(0.0, share * y[0])
    else:
        out[0] = min(k.b, max(k.a, share * y[0]))


cdef inline double penalty(const Newton* N, const Piece* k) noexcept nogil:
    """rho [kg]."""
    cdef double kappa = N.kappa if k.law == CONE else max(N.kappa, N.least_of_rows)
    if k.compliance > 0.0 and k.law != CONE and k.law != DISC:
        kappa = max(kappa, min(LAST_PENALTY(), FORGETTING() * k.mobility / k.compliance))
    return kappa / k.mobility if k.mobility > 0.0 else 0.0


cdef inline double softened(double rho, const Piece* k) noexcept nogil:
    """Share of y that is projected: lam = P(y - rho c lam) is P(y / (1 + rho c)) for a compliance c."""
    return 1.0 / (1.0 + rho * k.compliance)


cdef void find_shift(Newton* N) noexcept nogil:
    """shift, from v."""
    cdef const Piece* k
    cdef int i, r
    for i in range(N.space.pieces):
        k = N.space.piece + i
        if k.law == CONE:
            r = k.row
            N.shift[r + 2] = k.a * hypot(N.v[r] + k.compliance * N.lam[r], N.v[r + 1] + k.compliance * N.lam[r + 1])


cdef void project_all(Newton* N, bint coupled) noexcept nogil:
    """y and new: of (3) if coupled, else of (2)."""
    cdef const Piece* k
    cdef Vec3 x
    cdef double rho, share
    cdef int i, r
    for i in range(N.space.pieces):
        k = N.space.piece + i
        rho = penalty(N, k)
        share = softened(rho, k)
        for r in range(k.row, k.row + k.rows):
            N.y[r] = N.lam[r] - rho * (N.v[r] if coupled else N.v[r] + N.shift[r])
        if coupled and k.law == CONE:
            x = cone.project_within_rim(k.a, vec3(share * N.y[k.row], share * N.y[k.row + 1], share * N.y[k.row + 2]))
            N.new[k.row], N.new[k.row + 1], N.new[k.row + 2] = x.x, x.y, x.z
        else:
            project(N, k, share, N.y + k.row, N.new + k.row)


cdef double residual(const Newton* N) noexcept nogil:
    """Largest |lam - P(lam - (v + s) / m)| m of (1) at lam, whose velocities v and shift hold [m/s]."""
    cdef const Piece* k
    cdef double y[3]
    cdef double x[3]
    cdef double worst = 0.0, lam
    cdef int i, r
    for i in range(N.space.pieces):
        k = N.space.piece + i
        if k.mobility == 0.0:
            continue
        for r in range(k.rows):
            lam = N.lam[k.row + r]
            y[r] = lam - (N.v[k.row + r] + k.compliance * lam + N.shift[k.row + r]) / k.mobility
        project(N, k, 1.0, y, x)
        for r in range(k.rows):
            lam = fabs(N.lam[k.row + r] - x[r]) * k.mobility
            if not lam <= worst:                       # a NaN is no solution
                worst = lam if isfinite(lam) else INFINITY
    return worst


# ---- velocities ----

cdef inline double inner(const double* a, const double* b, int n) noexcept nogil:
    cdef double s = 0.0
    cdef int i
    for i in range(n):
        s += a[i] * b[i]
    return s


cdef void find_velocities(Newton* N) noexcept nogil:
    """v = c + J u."""
    cdef int r
    move_rows(&N.space, N.u, N.v)
    for r in range(N.space.rows):
        N.v[r] += N.space.c[r]


cdef void begin_at(Newton* N) noexcept nogil:
    """u, p, v and shift of the impulses lam."""
    cdef int u
    pull_unknowns(&N.space, N.lam, N.p)
    memcpy(N.u, N.p, N.space.unknowns * sizeof(double))
    for u in range(N.space.unknowns if N.couplings.count > 0 else 0):
        N.u[u] -= N.couplings.bias[u]
    solve_mass(&N.matrix, N.u)
    find_velocities(N)
    find_shift(N)


cdef void find_gradient(Newton* N) noexcept nogil:
    """g of (2) from p and new."""
    cdef int u
    pull_unknowns(&N.space, N.new, N.g)
    for u in range(N.space.unknowns):
        N.g[u] = N.p[u] - N.g[u]


cdef double find_motion(Newton* N) noexcept nogil:
    """h, the velocities that g makes; returns g . M^-1 g."""
    memcpy(N.h, N.g, N.space.unknowns * sizeof(double))
    solve_mass(&N.matrix, N.h)
    return inner(N.g, N.h, N.space.unknowns)


cdef double unbalanced(Newton* N) noexcept nogil:
    """Largest velocity of a row that g makes [m/s], from h."""
    cdef double worst = 0.0
    cdef int r
    move_rows(&N.space, N.h, N.along)
    for r in range(N.space.rows):
        worst = max(worst, fabs(N.along[r]))
    return worst


# ---- Newton matrix ----

cdef inline void differentiate(const Newton* N, const Piece* k, double rho, bint coupled, double* D) noexcept nogil:
    """D (rows x rows, 3 a row) = rho P'(y) of a piece, by (3) if coupled, else by (2)."""
    cdef double share = softened(rho, k)
    cdef const double* y = N.y + k.row
    cdef Mat3 B
    memset(D, 0, 9 * sizeof(double))
    rho *= share
    if k.law == CONE:
        if coupled:
            B = cone.derivative_within_rim(k.a, vec3(share * y[0], share * y[1], share * y[2]))
        else:
            B = cone.derivative(k.a, vec3(share * y[0], share * y[1], share * y[2]))
        D[0], D[1], D[2] = rho * B.xx, rho * B.xy, rho * B.xz
        D[3], D[4], D[5] = rho * B.yx, rho * B.yy, rho * B.yz
        D[6], D[7], D[8] = rho * B.zx, rho * B.zy, rho * B.zz
    elif k.law == DISC:
        disc.derivative(radius(N, k), k.rows, share * y[0], share * y[1] if k.rows == 2 else 0.0, rho, D)
    elif k.law == BILATERAL:
        D[0] = rho
    elif k.law == UNILATERAL:
        D[0] = rho if y[0] > 0.0 else 0.0
    else:
        D[0] = rho if k.a < share * y[0] < k.b else 0.0


cdef inline bint is_zero(const double* D) noexcept nogil:
    cdef int i
    for i in range(9):
        if D[i] != 0.0:
            return False
    return True


cdef inline void add_run(double* sum, const double* J, int n, int rows, int count, const double* T) noexcept nogil:
    """sum[m] += T . column m of J (rows, n), for the first `count` columns."""
    cdef int m, r
    if rows == 3:
        for m in range(count):
            sum[m] += T[0] * J[m] + T[1] * J[n + m] + T[2] * J[2 * n + m]
    else:
        for r in range(rows):
            for m in range(count):
                sum[m] += T[r] * J[r * n + m]


cdef inline void times_column(const double* D, const double* J, int n, int rows, int column, double* T) noexcept nogil:
    """T = D times a column of J (rows, n)."""
    cdef int r, s
    for r in range(rows):
        T[r] = 0.0
        for s in range(rows):
            T[r] += D[3 * r + s] * J[s * n + column]


cdef inline void transpose(double* D) noexcept nogil:
    """Swap rows and columns, 3 x 3."""
    D[1], D[3] = D[3], D[1]
    D[2], D[6] = D[6], D[2]
    D[5], D[7] = D[7], D[5]


cdef inline void add_triangle(const Newton* N, const Piece* k, double* triangle, const double* D,
                              bint diagonal) noexcept nogil:
    """Add J^T D J of a piece to a triangle, column by column, with or without its diagonal."""
    cdef const int* at = N.space.column + k.column
    cdef const int* run = N.space.run + k.column
    cdef const double* J = N.space.J + k.entry
    cdef double T[3]
    cdef double* column
    cdef int i, j, end, n = k.columns, u
    for i in range(n):
        u = at[i]
        times_column(D, J, n, k.rows, i, T)
        column = triangle + N.matrix.start[u] - N.matrix.first[u]
        j = 0
        while j < i + diagonal:
            end = min(run[j], i + diagonal)
            add_run(column + at[j], J + j, n, k.rows, end - j, T)
            j = end


cdef void add_product(Newton* N, const Piece* k, double* D, bint symmetric) noexcept nogil:
    """Add J^T D J of a piece to the matrix; of a symmetric one to the upper triangle alone."""
    add_triangle(N, k, N.matrix.upper, D, True)
    if not symmetric:
        transpose(D)
        add_triangle(N, k, N.matrix.lower, D, False)


cdef bint write_mass(Newton* N) noexcept nogil:
    """M = B^T B, upper triangle, and its factors; False if rounding leaves it none."""
    cdef const VelocitySpace* V = &N.space
    cdef const double* B
    cdef const double* C
    cdef double* column
    cdef int k, a, b
    set_unit_mass(&N.matrix)
    if V.unit:
        return True
    if N.couplings.count > 0:
        return write_coupled_mass(&N.couplings, V, &N.matrix)
    for k in range(6 * V.bodies, V.unknowns):
        N.matrix.mass[N.matrix.start[k + 1] - 1] = 0.0
    for k in range(6 * V.bodies, V.unknowns):
        B, a = V.root[k], k
        while a >= 0:                                  # entries (b, a): b from k to a
            column = N.matrix.mass + N.matrix.start[a] - N.matrix.first[a]
            C, b = V.root[k], k
            while b != a:
                column[b] += C[0] * B[0]
                C, b = C + 1, V.above[b]
            column[a] += B[0] * B[0]
            B, a = B + 1, V.above[a]
    return factor_mass(&N.matrix)


cdef bint any_cone_slides(const Newton* N) noexcept nogil:
    """Tell whether friction of any cone is beyond its rim in a coupled step: its matrix is not symmetric then."""
    cdef const Piece* k
    cdef const double* y
    cdef int i
    for i in range(N.space.pieces):
        k = N.space.piece + i
        y = N.y + k.row
        if k.law == CONE and y[2] > 0.0 and y[0] * y[0] + y[1] * y[1] > k.a * k.a * y[2] * y[2]:
            return True
    return False


cdef bint find_direction(Newton* N, bint coupled) noexcept nogil:
    """d = -(M + J^T rho P' J)^-1 g; False if the matrix has no such factors."""
    cdef const Piece* k
    cdef double D[9]
    cdef int i, u
    cdef bint symmetric = not coupled or not any_cone_slides(N)
    begin_matrix(&N.matrix, symmetric)
    for i in range(N.space.pieces):
        k = N.space.piece + i
        if k.mobility > 0.0:
            differentiate(N, k, penalty(N, k), coupled, D)
            if not is_zero(D):
                add_product(N, k, D, symmetric)
    if not factor(&N.matrix, symmetric):
        return False
    for u in range(N.space.unknowns):
        N.d[u] = -N.g[u]
    solve_factored(&N.matrix, N.d)
    times_mass(&N.matrix, N.d, N.q)
    return True


# ---- the two kinds of steps ----

cdef double slope(Newton* N, double at_zero, double square, double share) noexcept nogil:
    """d . g at u + share d."""
    cdef const Piece* k
    cdef double y[3]
    cdef double x[3]
    cdef double rho, soft, total = at_zero + share * square
    cdef int i, r
    for i in range(N.space.pieces):
        k = N.space.piece + i
        if k.mobility == 0.0:
            continue
        rho = penalty(N, k)
        soft = softened(rho, k)
        for r in range(k.rows):
            y[r] = N.y[k.row + r] - share * rho * N.along[k.row + r]
        project(N, k, soft, y, x)
        for r in range(k.rows):
            total -= x[r] * N.along[k.row + r]
    return total


cdef double search_line(Newton* N) noexcept nogil:
    """Share of d to where the slope has nearly vanished, but not beyond d (false position, kept off the ends)."""
    cdef double low = 0.0, high = 1.0, at_low, at_high, at, share = 1.0, now, along, square
    cdef int n = N.space.unknowns
    move_rows(&N.space, N.d, N.along)
    along, square = inner(N.p, N.d, n), inner(N.q, N.d, n)
    at_low, at_high = inner(N.g, N.d, n), slope(N, along, square, 1.0)
    if not at_high > 1e-3 * fabs(at_low):
        return 1.0
    at = fabs(at_low)
    for _ in range(SLOPES):
        share = low - at_low * (high - low) / (at_high - at_low)
        share = min(max(share, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        now = slope(N, along, square, share)
        if fabs(now) < 0.1 * at:
            break
        if now > 0.0:
            high, at_high = share, now
        else:
            low, at_low = share, now
    return share


cdef int take_convex_step(Newton* N, double enough, int most) noexcept nogil:
    """Solve (2); returns the Newton steps it took.  Its impulses are in new."""
    cdef double share, left, before = INFINITY, rounding = CONTRADICTION() * N.fastest
    cdef int steps = 0, u, r
    while True:
        project_all(N, False)
        find_gradient(N)
        find_motion(N)
        left = unbalanced(N)
        if steps == most or left < enough or left < rounding and left > 0.5 * before or not find_direction(N, False):
            return steps
        before = left
        steps += 1
        share = search_line(N)
        for u in range(N.space.unknowns):
            N.u[u] += share * N.d[u]
            N.p[u] += share * N.q[u]
        for r in range(N.space.rows):
            N.v[r] += share * N.along[r]


cdef bint take_coupled_step(Newton* N, double enough, int most, int* steps) noexcept nogil:
    """Solve (3) by damped Newton steps; False where they get stuck.  Its impulses are in new."""
    cdef double now, share, next_
    cdef int n = N.space.unknowns, u
    project_all(N, True)
    find_gradient(N)
    now = find_motion(N)
    for _ in range(most):
        if unbalanced(N) < enough:
            return True
        if not find_direction(N, True):
            return False
        steps[0] += 1
        memcpy(N.start, N.u, n * sizeof(double))
        memcpy(N.begun, N.p, n * sizeof(double))
        share = 1.0
        while True:
            for u in range(n):
                N.u[u] = N.start[u] + share * N.d[u]
                N.p[u] = N.begun[u] + share * N.q[u]
            find_velocities(N)
            project_all(N, True)
            find_gradient(N)
            next_ = find_motion(N)
            if sqrt(next_) < (1.0 - 1e-2 * share) * sqrt(now):
                break
            share *= 0.5
            if not share > SHORTEST():
                return False
        now = next_
    return True


# ---- the method ----

cdef double begin(Newton* N, const Island* island) noexcept nogil:
    """Take the admissible impulses nearest to the island's; returns their residual [m/s]."""
    cdef int i
    for i in range(N.space.rows):
        N.lam[i] = island.impulse[i]
    for i in range(N.space.pieces):                    # cones come before the discs that their pushes bound
        memcpy(N.y, N.lam + N.space.piece[i].row, N.space.piece[i].rows * sizeof(double))
        project(N, N.space.piece + i, 1.0, N.y, N.lam + N.space.piece[i].row)
    begin_at(N)
    return residual(N)


cdef void adopt_best(Newton* N) noexcept nogil:
    """Go back to the impulses of best."""
    memcpy(N.lam, N.best, N.space.rows * sizeof(double))
    begin_at(N)


cdef double adopt(Newton* N) noexcept nogil:
    """Go on from the impulses in new; returns their residual [m/s]."""
    memcpy(N.lam, N.new, N.space.rows * sizeof(double))
    begin_at(N)
    return residual(N)


cdef double moved(const Newton* N) noexcept nogil:
    """Largest change of a row's velocity in a convex step [m/s]."""
    cdef double most = 0.0
    cdef int r
    for r in range(N.space.rows):
        most = max(most, fabs(N.v[r] - N.before[r]))
    return most


cdef double residual_of_none(Newton* N) noexcept nogil:
    """Residual [m/s] of no impulses: the fastest row that a law forbids.  Rows that part fast do not count."""
    memset(N.lam, 0, N.space.rows * sizeof(double))
    begin_at(N)
    return residual(N)


cdef void take_less(Newton* N, const double* impulse, double share) noexcept nogil:
    """lam: the admissible impulses nearest to `impulse` less a share of what grew."""
    cdef const Piece* k
    cdef int i, r
    for r in range(N.space.rows):
        N.lam[r] = N.y[r] = impulse[r] - share * N.grown[r]
    for i in range(N.space.pieces):                    # cones come before the discs that their pushes bound
        k = N.space.piece + i
        project(N, k, 1.0, N.y + k.row, N.lam + k.row)
    begin_at(N)


cdef int find_compliant(Newton* N, double left, double enough, int most) noexcept nogil:
    """lam: velocities that miss the laws least, and the impulses by which rows of the compliance SOFT would push.

    Where no velocities meet all laws, each step adds impulses that move nothing, J^T grown = 0 (Farkas' lemma), and as
    many again for the same kappa.  Two steps that begin without impulses find what acts; what grew is taken back.
    Where the second one changes impulses by more than what stops `left` [m/s] along their rows, friction turns and
    growth has no direction: the impulses of the first one stay, as a smaller kappa would have them.  Returns the
    Newton steps taken, `most` of them in all.
    """
    cdef const Piece* k
    cdef double share = COMPLIANT_PENALTY() / N.kappa, change = 0.0
    cdef int steps, r, i
    N.kappa = COMPLIANT_PENALTY()
    memset(N.lam, 0, N.space.rows * sizeof(double))
    steps = take_convex_step(N, enough, min(<int> INNER_STEPS, most))
    for r in range(N.space.rows):
        N.before[r] = N.new[r] / (SOFT() * N.kappa)
    take_less(N, N.new, share)
    steps += take_convex_step(N, enough, min(<int> INNER_STEPS, most - steps))   # mends what the first one leaves
    for i in range(N.space.pieces):
        k = N.space.piece + i
        for r in range(k.row, k.row + k.rows):
            change = max(change, k.mobility * fabs(N.new[r] - share * N.grown[r] - N.lam[r]))
    if change <= left:
        take_less(N, N.new, share)
        take_less(N, N.lam, -share / (SOFT() * N.kappa))
    else:
        memcpy(N.lam, N.before, N.space.rows * sizeof(double))
        begin_at(N)
    return steps


cdef bint runs_away(const Newton* N) noexcept nogil:
    """Tell whether an impulse of best is far beyond what would stop the residual of no impulses on the heaviest row."""
    cdef double least = INFINITY
    cdef int i
    for i in range(N.space.pieces):
        if N.space.piece[i].mobility > 0.0:
            least = min(least, N.space.piece[i].mobility)
    for i in range(N.space.rows):
        if least * fabs(N.best[i]) > RUNAWAY() * N.fastest:
            return True
    return False


cdef int take_soft_step(Newton* N, double* least, double enough, int most) noexcept nogil:
    """Take the impulses by which rows of the compliance SOFT would push; returns the Newton steps it took."""
    cdef int steps
    N.kappa = 1.0 / SOFT()
    memset(N.lam, 0, N.space.rows * sizeof(double))
    begin_at(N)
    steps = take_convex_step(N, enough, min(<int> INNER_STEPS, most))
    least[0] = adopt(N)
    memcpy(N.best, N.lam, N.space.rows * sizeof(double))
    return steps


cdef bint keep_compliant(Newton* N, double* least) noexcept nogil:
    """Keep lam as best if it misses the laws by about as little; else rounding looked like a contradiction."""
    cdef double r = residual(N)
    if not r < 2.0 * least[0]:
        return False
    least[0] = r
    memcpy(N.best, N.lam, N.space.rows * sizeof(double))
    return True


cdef bint try_coupled_step(Newton* N, double enough, int most, double* r, int* taken) noexcept nogil:
    """Take a coupled step if that lowers the residual r; else leave lam, u and v as they are."""
    cdef double after
    cdef bint done = take_coupled_step(N, enough, most, taken)
    if done:
        memcpy(N.y, N.lam, N.space.rows * sizeof(double))
        after = adopt(N)
        done = after < r[0]
        if done:
            r[0] = after
        else:
            memcpy(N.lam, N.y, N.space.rows * sizeof(double))
    if not done:
        begin_at(N)
    return done


cdef bint try_convex_step(Newton* N, double least, double enough, int most, double* r, int* taken) noexcept nogil:
    """Take a convex step, which may raise the residual r; notes what it changes.

    One that is far from its end after INNER_STEPS is taken back to best, whose residual is `least`, and to the first
    kappa.
    """
    cdef double before = r[0]
    cdef int steps, q
    memcpy(N.before, N.v, N.space.rows * sizeof(double))
    steps = take_convex_step(N, enough, min(<int> INNER_STEPS, most))
    taken[0] += steps
    for q in range(N.space.rows):
        N.grown[q] = N.new[q] - N.lam[q]
    r[0] = adopt(N)
    if steps < INNER_STEPS or not r[0] > before:
        return True
    adopt_best(N)
    r[0], N.kappa = least, FIRST_PENALTY()
    return False


cdef void repeat_step(Newton* N, bint coupled) noexcept nogil:
    """One Newton step of the next proximal step, with the matrix of the last one; its impulses are in new."""
    cdef int u
    project_all(N, coupled)
    find_gradient(N)
    for u in range(N.space.unknowns):
        N.d[u] = -N.g[u]
    solve_factored(&N.matrix, N.d)
    times_mass(&N.matrix, N.d, N.q)
    for u in range(N.space.unknowns):
        N.u[u] += N.d[u]
        N.p[u] += N.q[u]
    find_velocities(N)
    project_all(N, coupled)


cdef double repeat_steps(Newton* N, bint coupled, double r, double* ratio) noexcept nogil:
    """Go on from the impulses lam of a step, whose residual is r, with its matrix; returns the residual.

    Once it is known which rows push, stick or slide, one matrix does for all further steps.  `ratio` becomes what the
    last one left, if any left less.
    """
    cdef double after
    while r > DIGITS() * N.fastest:
        memcpy(N.before, N.lam, N.space.rows * sizeof(double))
        repeat_step(N, coupled)
        after = adopt(N)
        if not after < r:
            memcpy(N.lam, N.before, N.space.rows * sizeof(double))
            begin_at(N)
            return r
        ratio[0], r = after / r, after
        if ratio[0] > CHORD():
            break
    return r


cdef inline double next_penalty(const Newton* N, double finest, int inner, bint stuck) noexcept nogil:
    """kappa after a step that gained little, and took so many Newton steps; without progress rounding may be why."""
    cdef double largest = finest if inner <= EASY else LARGEST_PENALTY()
    cdef double next_ = min(largest, PENALTY_GROWTH() * N.kappa)
    return min(finest, max(N.kappa, next_)) if stuck else max(N.kappa, next_)


cdef void iterate(Newton* N, double r, double threshold, double tolerance, int most, int* taken, double* least,
                  bint* contradictory) noexcept nogil:
    """Take proximal steps from lam, whose residual is r; `taken` grows by the Newton steps, up to `most`.

    best are the impulses of the least residual, or where laws contradict one another those of `find_compliant`.
    """
    cdef double before, enough, finest, ratio, fastest = N.fastest
    cdef int wait = 0, patience = 1, stood = 0, stuck = 0, inner
    cdef bint coupled, still
    N.kappa, N.least_of_rows = FIRST_PENALTY(), 0.0
    least[0], contradictory[0] = r, False
    memcpy(N.best, N.lam, N.space.rows * sizeof(double))
    while r > threshold and taken[0] < most:
        before, inner, coupled, still = r, taken[0], False, False
        enough = max(INNER_ACCURACY() * least[0], INNER_TOLERANCE() * tolerance)
        if wait == 0:
            coupled = try_coupled_step(N, enough, min(<int> INNER_STEPS, most - taken[0]), &r, taken)
            if not coupled:
                wait, patience = patience, min(2 * patience, <int> LONGEST_WAIT)
        if not coupled:
            wait = max(0, wait - 1)
            inner = taken[0]
            if N.kappa == LAST_PENALTY():              # nearly still: to the last digits
                enough = INNER_TOLERANCE() * tolerance
            if not try_convex_step(N, least[0], enough, most - taken[0], &r, taken):
                continue
            still = moved(N) < STILL() * r and r > CONTRADICTION() * fastest
        ratio, inner = r / before, taken[0] - inner
        taken[0] += inner == 0 and taken[0] < most     # it counts, as it cost something: the method comes to an end
        if not still and inner > 0:
            r = repeat_steps(N, coupled, r, &ratio)
        if r < SEEN() * least[0] or r <= tolerance and r < least[0]:
            least[0] = r
            memcpy(N.best, N.lam, N.space.rows * sizeof(double))
        if r <= tolerance and r > GOOD_STEP() * before:
            return
        if still:
            stood += 1 if N.kappa == LAST_PENALTY() else 0
            if stood == ENOUGH_STILL or stood > 0 and moved(N) < tolerance:
                taken[0] += find_compliant(N, r, enough, most - taken[0])
                contradictory[0] = keep_compliant(N, least)
                if contradictory[0]:
                    return
                adopt_best(N)
                r, stood, N.kappa = least[0], -STUCK, LARGEST_PENALTY()
                continue
            N.kappa = min(STILL_GROWTH() * N.kappa, LAST_PENALTY())
        elif ratio > GOOD_STEP():
            stuck = 0 if r < SEEN() * before else stuck + 1
            if stuck >= STUCK and r < CONTRADICTION() * fastest:
                return                                 # by rounding
            finest = HIDING_PENALTY() * max(tolerance, HIDDEN_SHARE() * r) / (fastest + 1e-300)
            finest = min(LAST_PENALTY(), max(LARGEST_PENALTY(), finest))
            N.kappa = next_penalty(N, finest, inner, stuck > 0)


cdef void correct_poses(Newton* N, double tolerance, int most, int* taken, double* least,
                        bint* contradictory) noexcept nogil:
    """Take convex steps from no impulses, with a large kappa: without friction each of them has one answer.

    Where one changes next to no velocity, a stop and a depth contradict one another: the depth gives way, SOFT.
    """
    cdef double r = INFINITY
    cdef int steps
    N.kappa = N.least_of_rows = LARGEST_PENALTY()
    memset(N.lam, 0, N.space.rows * sizeof(double))
    begin_at(N)
    while taken[0] < most:
        memcpy(N.before, N.v, N.space.rows * sizeof(double))
        steps = take_convex_step(N, INNER_TOLERANCE() * tolerance, min(<int> INNER_STEPS, most - taken[0]))
        taken[0] += max(1, steps)
        contradictory[0] = moved(N) < STILL() * r < INFINITY
        if contradictory[0]:
            taken[0] += take_soft_step(N, least, INNER_TOLERANCE() * tolerance, most)
            return
        r = least[0] = adopt(N)
        memcpy(N.best, N.lam, N.space.rows * sizeof(double))
        if r <= tolerance:
            return


cdef void polish(Newton* N, double* least, int most, int* taken) noexcept nogil:
    """Write the last digits of a solution, best, while Newton steps are fewer than `most`."""
    cdef double r, ratio = 0.0
    cdef int steps = 0
    adopt_best(N)
    r = least[0]
    if r > DIGITS() * N.fastest and take_coupled_step(
            N, INNER_ACCURACY() * r, min(<int> POLISH_STEPS, most - taken[0]), &steps) and steps > 0:
        r = adopt(N)
        if r < least[0]:
            least[0] = repeat_steps(N, True, r, &ratio)
            memcpy(N.best, N.lam, N.space.rows * sizeof(double))
    taken[0] += steps


cdef void note_modes(Operator* G, const double* impulse) noexcept nogil:
    """Tell of each contact whether it is open, sticks or slides."""
    cdef const double* lam
    cdef double rim
    cdef int i
    for i in range(G.n):
        lam = impulse + 3 * i
        if not lam[2] > 0.0:
            G.contact[i].mode = OPEN
        else:
            rim = (1.0 - 1e-9) * G.contact[i].block.mu * lam[2]
            G.contact[i].mode = STICK if hypot(lam[0], lam[1]) < rim else SLIDE


cdef bint solve_newton(Newton* N, Island* island, const ContactProblem* p, double threshold, double tolerance,
                       int steps, double allowance, bint bounded) except -1 nogil:
    """Solve an island from its impulses, to the threshold [m/s], or to the tolerance where progress is slow.

    Takes so many Newton steps at most, and as many again where impulses ran away; a bounded solve takes what AFFORDABLE
    allows.  Returns False, and changes nothing, where that is too little for a solve, and where M has no factors.
    Sets the island's impulses, velocities, error (the residual) and converged; `iterations` grows by the steps taken.
    """
    cdef double least, affordable
    cdef int taken = 0
    cdef bint contradictory
    open_space(&N.space, &island.G, p)
    take_out_followers(&N.couplings, &N.space)
    open_envelope(&N.matrix, N.space.unknowns, N.space.first)
    affordable = allowance * AFFORDABLE() / (ASSEMBLY() + 2.0 * N.matrix.work / max(1, N.space.swept))
    if affordable < FEWEST_STEPS:
        close_space(&N.space, &island.G)
        return False
    if bounded:
        steps = min(steps, <int> affordable)
    if not write_mass(N):
        close_space(&N.space, &island.G)
        return False
    make_room(N)
    memset(N.shift, 0, N.space.rows * sizeof(double))
    N.fastest = residual_of_none(N)
    least = begin(N, island)
    if not least < INFINITY:
        island.error = INFINITY
        close_space(&N.space, &island.G)
        return True
    if is_of_poses(p):
        correct_poses(N, tolerance, steps, &taken, &least, &contradictory)
    else:
        iterate(N, least, threshold, tolerance, steps, &taken, &least, &contradictory)
    if not contradictory:
        polish(N, &least, steps, &taken)
        if least > tolerance and runs_away(N):
            taken += take_soft_step(N, &least, INNER_TOLERANCE() * tolerance, steps)
            contradictory = True
    if N.couplings.count > 0:
        adopt_best(N)
        find_coupling_impulses(&N.couplings, &N.space, N.u, N.best)
    island.iterations += taken
    memcpy(island.impulse, N.best, N.space.rows * sizeof(double))
    note_modes(&island.G, island.impulse)
    load_impulses(&island.G, island.impulse)
    island.error, island.converged = least, least <= tolerance
    island.ended = max(island.ended, COMPLIANT if contradictory else REFINED)
    close_space(&N.space, &island.G)
    return True
