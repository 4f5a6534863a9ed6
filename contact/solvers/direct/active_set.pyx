"""Which rows are held: let go and held until cones, bounds and signs agree."""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from rbdyn.contact.cone.block cimport SKIPPED, apply_block
from rbdyn.contact.islands cimport is_of_robots, rows_of
from rbdyn.contact.laws cimport cone
from rbdyn.contact.laws.dispatch cimport held_rows, hold_more, let_go, make_admissible
from rbdyn.contact.operator cimport (
    Contact, LineBlock, Operator, contact_velocity, impulse_at, load_impulses, set_impulse,
)
from rbdyn.contact.problem cimport BILATERAL, ContactProblem
from rbdyn.contact.solvers.direct.multipliers cimport hold, make_matrix, multiplier_step
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport FEW_CONTACTS
from rbdyn.spatial._algebra cimport Vec3, sub3, vec3

cdef enum:
    ROUNDS = 8               # times that constraints are let go or held in one solve
    FEW = 3                  # constraints still to be let go at its end that the sweeps may see to
cdef double MANY = 0.25           # of those that may give way let go at once: nothing is at rest here
cdef double FORTH = 1.5           # more let go for each that was just held: to and fro
cdef double RIM = 1.0001          # of the square of what friction can do: what is on its rim is not outside
cdef double UNSEEN = 0.1          # of the threshold: what the last bits of a push do to the rim of friction
cdef double CONTRADICTED = 100.0  # thresholds: held rows that are this far from rest ask for opposite velocities


cdef inline double* lines_of(const Operator* G, const LineBlock* k, double* impulse) noexcept nogil:
    """The impulses of a block."""
    return impulse + 3 * G.n + k.first


cdef void select_rows(Direct* S, const Operator* G, double* impulse) noexcept nogil:
    """rows[i]: how many rows of each constraint are held."""
    cdef const LineBlock* k
    cdef int i
    for i in range(G.n):
        S.rows[i] = cone.held_rows(G.contact + i, impulse_at(impulse, i))
    for i in range(G.n_blocks):
        k = G.block + i
        held_rows(G, k, impulse, lines_of(G, k, impulse), S.rows + G.n + k.first)


cdef int may_give_way(const Operator* G) noexcept nogil:
    """Constraints that are not held whatever comes."""
    cdef int i, n = G.n
    for i in range(G.n_blocks):
        n += G.block[i].rows if G.block[i].law != BILATERAL else 0
    return n


cdef inline bint is_seen(const Contact* k, Vec3 cut, double least) noexcept nogil:
    """Whether a change of its impulse moves a contact by more than that [m/s]."""
    cdef Vec3 v = apply_block(&k.block, cut)
    return not (fabs(v.x) <= least and fabs(v.y) <= least and fabs(v.z) <= least)


cdef int release_contacts(Direct* S, const Operator* G, double* impulse, double unseen) noexcept nogil:
    """Give up what friction or a push cannot do; returns how many contacts that concerns.

    A contact that pulls is opened.  One outside its cone keeps its normal row, and its friction at the cone's rim; the
    rim follows the push, until nobody sees by how much: that moves it by no more than `unseen` [m/s].
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
            S.stale = True
        elif S.rows[i] == 1 and not is_seen(G.contact + i, sub3(inside, lam), unseen):
            continue
        elif inside.x != lam.x or inside.y != lam.y:
            S.stale |= S.rows[i] == 3
            S.rows[i] = 1
        else:
            continue
        set_impulse(impulse, i, inside)
        changed += 1
    return changed


cdef int count_outside(const Direct* S, const Operator* G, const double* impulse) noexcept nogil:
    """How many contacts pull, or bear more than their friction."""
    cdef int i, count = 0
    cdef Vec3 lam
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        count += S.rows[i] > 0 and not (
            lam.z >= 0.0 and lam.x * lam.x + lam.y * lam.y <= RIM * (G.contact[i].block.mu * lam.z) ** 2)
    return count


cdef int release_rows(Direct* S, const Operator* G, double* impulse, double unseen) noexcept nogil:
    """Give up what contacts and other blocks cannot do; returns how many constraints that concerns.

    Rows beyond a bound stay at it, discs on their rims.
    """
    cdef const LineBlock* k
    cdef int i, changed = release_contacts(S, G, impulse, unseen), rows = 0
    for i in range(G.n_blocks):
        k = G.block + i
        rows += let_go(k, impulse, lines_of(G, k, impulse), S.rows + G.n + k.first)
    S.stale |= rows > 0
    return changed + rows


cdef void begin_again(Direct* S, Operator* G, double* impulse) noexcept nogil:
    """The impulses that the solve began with, but for friction at its rim and what was let go.

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
    for i in range(G.n_lines):
        if S.rows[G.n + i] != 0:
            impulse[3 * G.n + i] = S.begun[3 * G.n + i]
    load_impulses(G, impulse)


cdef int close_rows(Direct* S, const Operator* G, double* impulse, double threshold) noexcept nogil:
    """Hold open contacts that come together, and rows that come back from a bound; returns how many."""
    cdef const LineBlock* k
    cdef int i, changed = 0
    for i in range(G.n):
        if S.rows[i] == 0 and not G.contact[i].block.dependent and G.contact[i].block.kind != SKIPPED and (
                contact_velocity(G, i).z < -threshold):
            S.rows[i] = 3
            changed += 1
    for i in range(G.n_blocks):
        k = G.block + i
        changed += hold_more(G, k, impulse, lines_of(G, k, impulse), threshold, S.rows + G.n + k.first)
    S.stale |= changed > 0
    return changed


cdef void make_all_admissible(const Operator* G, double* impulse) noexcept nogil:
    """The nearest impulses that the laws allow; discs last, by what their cones push then."""
    cdef int i
    for i in range(G.n):
        set_impulse(impulse, i, cone.admissible(G.contact + i, impulse_at(impulse, i)))
    for i in range(G.n_blocks):
        make_admissible(G.block + i, impulse, lines_of(G, G.block + i, impulse))


cdef bint solve_held(Direct* S, Operator* G, const ContactProblem* p, double* impulse, double threshold,
                     bint patient) noexcept nogil:
    """Impulses that hold every row that its law holds, the others fixed; made admissible; velocities follow.

    Contacts that would have to pull, or to hold more than their friction, and rows beyond their bounds are let go, open
    contacts that come together and rows that leave their bounds are held, and the rest is solved again.  Where many
    have to be let go at once, or that goes to and fro (things that rock or topple), it is given up, unless `patient`:
    the impulses are as before then, and the answer False.  So it is in contacts of robots where held rows contradict
    one another; and there many, or those that correct poses, end where
    as many rows are held anew as in the turn before.  Rims of theirs are followed to the end: a grip creeps otherwise.
    """
    cdef int released = 0, closed = may_give_way(G), before, turn
    cdef bint robots = is_of_robots(G), careful = robots and not patient
    cdef bint hurried = careful and (G.n > FEW_CONTACTS or p.v_start == NULL)
    cdef double left = 0.0
    memcpy(S.begun, impulse, rows_of(G) * sizeof(double))
    select_rows(S, G, impulse)
    S.stale = True
    for turn in range(2 * ROUNDS if patient else ROUNDS):
        if S.stale and not make_matrix(S, G, p):
            released = FEW + 1
            break
        S.stale = False
        if turn == 0 and not (patient or robots):
            multiplier_step(S, G, impulse)
            released = count_outside(S, G, impulse)
            if released > max(MANY * closed, FEW):
                break
        left = hold(S, G, impulse, threshold)
        released = release_rows(S, G, impulse, 0.0 if robots else UNSEEN * threshold)
        if not patient and released > (FORTH * closed if turn > 0 else max(MANY * closed, FEW)):
            break
        if released > 0:
            begin_again(S, G, impulse)
            continue
        before, closed = closed, close_rows(S, G, impulse, threshold)
        if closed == 0 or hurried and closed >= before:
            break
    if careful and released == 0 and left > CONTRADICTED * threshold:
        released = FEW + 1
    if released > FEW and not patient:
        memcpy(impulse, S.begun, rows_of(G) * sizeof(double))
    else:
        make_all_admissible(G, impulse)
    load_impulses(G, impulse)
    return patient or released <= FEW
