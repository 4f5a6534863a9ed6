"""What of a step's impulses lasts: lasting.pxd."""

from libc.string cimport memcmp, memcpy

from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.laws cimport cone
from rbdyn.contact.operator cimport (
    Contact, LineBlock, Operator, contact_velocity, impulse_at, line_velocity, load_impulses,
)
from rbdyn.contact.problem cimport BOX, DISC, ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, sub3, vec3


cdef inline Vec3 held(const Contact* k, Vec3 lam, Vec3 d) noexcept nogil:
    """What of a change d counts: all of it where a contact sticks, the normal part where it slides."""
    cdef int rows = cone.held_rows(k, lam)
    if rows == 3:
        return d
    return vec3(0.0, 0.0, d.z if rows == 1 else 0.0)


cdef inline bint is_held(const LineBlock* k, double lam) noexcept nogil:
    """Whether a row counts: a push that acts, and friction that has not given way; motors and discs do not hold."""
    if k.law == BOX:
        return k.compliance == 0.0 and k.low < lam < k.high
    return k.law != DISC and lam != 0.0


cdef double moved(const Island* island, const ContactProblem* p) noexcept nogil:
    """d . (v+ - v-) over the rows that are held, with the velocities v+ that the operator holds."""
    cdef const Operator* G = &island.G
    cdef const double* d = island.begun
    cdef double total = 0.0
    cdef int i, j, k, n
    cdef Vec3 change, x
    for i in range(G.n):
        n = G.contact[i].index
        x = held(G.contact + i, impulse_at(island.impulse, i), impulse_at(d, i))
        change = sub3(impulse_at(p.target, n), impulse_at(p.v_start, n))
        total += dot3(x, add3(contact_velocity(G, i), change))
    for i in range(G.n_blocks):
        for k in range(G.block[i].rows):
            j, n = G.block[i].first + k, G.block[i].row + k
            if is_held(G.block + i, island.impulse[3 * G.n + j]):
                total += d[3 * G.n + j] * (line_velocity(G, j) + p.target[n] - p.v_start[n])
    return total


cdef double moves(Island* island) noexcept nogil:
    """d . G d over the same rows; the operator holds the velocities that d makes, then."""
    cdef Operator* G = &island.G
    cdef const double* d = island.begun
    cdef double total = 0.0
    cdef int i, j, k
    cdef Vec3 x
    load_impulses(G, d)
    for i in range(G.n):
        x = held(G.contact + i, impulse_at(island.impulse, i), impulse_at(d, i))
        total += dot3(x, sub3(contact_velocity(G, i), G.contact[i].v_free))
    for i in range(G.n_blocks):
        for k in range(G.block[i].rows):
            j = G.block[i].first + k
            if is_held(G.block + i, island.impulse[3 * G.n + j]):
                total += d[3 * G.n + j] * (line_velocity(G, j) - G.line[j].v_free)
    return total


cdef bint acts_on_robots_alone(const Operator* G) noexcept nogil:
    """Whether no block acts on a single body."""
    cdef int i
    for i in range(G.n):
        if G.contact[i].a.body >= 0 or G.contact[i].b.body >= 0:
            return False
    for i in range(G.n_lines):
        if G.line[i].a.body >= 0 or G.line[i].b.body >= 0:
            return False
    return True


cdef void note_begun(Island* island) noexcept nogil:
    """Keep what the operator holds, if that are the velocities of the impulses which an island of robots began with."""
    cdef Operator* G = &island.G
    cdef int i, j
    if island.noted or memcmp(island.impulse, island.begun, rows_of(G) * sizeof(double)) != 0 or (
            not acts_on_robots_alone(G)):
        return
    for i in range(G.n):
        for j in range(G.contact[i].row, G.contact[i].row_end):
            G.z_begun[G.row[j].coordinate] = G.z[G.row[j].coordinate]
    for i in range(G.n_lines):
        for j in range(G.line[i].entry, G.line[i].entry_end):
            G.z_begun[G.entry[j].coordinate] = G.z[G.entry[j].coordinate]
    island.noted = True


cdef bint all_held(const Island* island) noexcept nogil:
    """Whether every row counts, but those that did not change."""
    cdef const Operator* G = &island.G
    cdef const double* d = island.begun
    cdef int i, j, k
    for i in range(G.n):
        if cone.held_rows(G.contact + i, impulse_at(island.impulse, i)) != 3 and (
                d[3 * i] != 0.0 or d[3 * i + 1] != 0.0 or d[3 * i + 2] != 0.0):
            return False
    for i in range(G.n_blocks):
        for k in range(G.block[i].rows):
            j = 3 * G.n + G.block[i].first + k
            if d[j] != 0.0 and not is_held(G.block + i, island.impulse[j]):
                return False
    return True


cdef inline void take_coordinate(Operator* G, int c, double* moved, double* whole) noexcept nogil:
    """What coordinate c adds to both products, the first time it is met."""
    cdef double d = G.z[c] - G.z_begun[c]
    moved[0] += d * G.z[c]
    whole[0] += d * d
    G.z_begun[c] = G.z[c]


cdef double moved_together(const Island* island, const ContactProblem* p, double* whole) noexcept nogil:
    """Both products, where every row counts and robots alone are acted on: G d = Y Y^T d, and Y^T d is known."""
    cdef Operator* G = <Operator*> &island.G
    cdef const double* d = island.begun
    cdef double total = 0.0
    cdef int i, j, k, n
    cdef Vec3 change
    whole[0] = 0.0
    for i in range(G.n):
        n = G.contact[i].index
        change = sub3(impulse_at(p.target, n), impulse_at(p.v_start, n))
        total += dot3(impulse_at(d, i), add3(G.contact[i].v_free, change))
        for j in range(G.contact[i].row, G.contact[i].row_end):
            take_coordinate(G, G.row[j].coordinate, &total, whole)
    for i in range(G.n_blocks):
        for k in range(G.block[i].rows):
            j, n = G.block[i].first + k, G.block[i].row + k
            total += d[3 * G.n + j] * (G.line[j].v_free + p.target[n] - p.v_start[n])
    for i in range(G.n_lines):
        for j in range(G.line[i].entry, G.line[i].entry_end):
            take_coordinate(G, G.entry[j].coordinate, &total, whole)
    return total


cdef void keep_lasting(Island* island, const ContactProblem* p) noexcept nogil:
    """Replace the impulses that a solved island began with by those that the next step is to begin with.

    One sweep changes nothing that counts: its impulses last as they are.
    """
    cdef Operator* G = &island.G
    cdef double* d = island.begun
    cdef double share, whole
    cdef int i, rows = rows_of(G)
    if island.converged and island.iterations <= 1 or p.v_start == NULL or p.target == NULL:
        memcpy(d, island.impulse, rows * sizeof(double))
        return
    for i in range(rows):
        d[i] = island.impulse[i] - d[i]
    if island.noted and all_held(island):
        share = moved_together(island, p, &whole)
    else:
        share = moved(island, p)
        whole = moves(island)
    share = min(1.0, max(0.0, share / whole)) if whole > 0.0 else 0.0
    for i in range(rows):
        d[i] = island.impulse[i] - share * d[i]
