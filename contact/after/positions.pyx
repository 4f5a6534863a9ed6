"""The problem of how far poses move to correct depths: positions.pxd."""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.problem cimport BILATERAL, BOX, CONE, DISC, UNILATERAL, Block, ContactProblem
from rbdyn.contact.after.velocities cimport Velocities, cone_speed, find_velocities, row_speed
from rbdyn.contact.islands cimport join_cone, join_rows, root_of
from rbdyn.memory cimport grow

cdef double ANYWHERE = 1e6    # [m/s] v_free of a row that corrects nothing: no impulse
cdef double SLOWEST = 1e-6    # [m/s] what is asked for less is not worth a solve: depths come to the slop, not to rest


cdef void release_positions(PositionProblem* q) noexcept nogil:
    """Give all memory back."""
    free(q.block)
    free(q.v_free)
    free(q.impulse)
    free(q.node)
    free(q.island)
    memset(q, 0, sizeof(PositionProblem))


cdef bint asks_for_positions(const ContactProblem* p) noexcept nogil:
    """Whether any pose is to be moved; a gap that may close asks for nothing."""
    cdef int i
    if p.position_target == NULL:
        return False
    for i in range(p.n_rows):
        if p.position_target[i] > SLOWEST:
            return True
    return False


cdef void write_row(PositionProblem* q, const ContactProblem* p, int row, double change, bint one_sided) noexcept nogil:
    """v_free of a row: the bodies' own velocity, with the change that the impulses make, less the position target.

    What the first solve leaves of approach, where it ended early, is none of it: islands where nothing is asked take no
    push.
    """
    q.v_free[row] = ANYWHERE
    if p.position_target[row] > -INFINITY:
        q.v_free[row] = p.v_free[row] + change - p.position_target[row]
        if p.target != NULL:
            q.v_free[row] += p.target[row]
        if q.v_free[row] < 0.0 and (q.v_free[row] > -SLOWEST or one_sided and p.position_target[row] <= SLOWEST):
            q.v_free[row] = 0.0


cdef inline bint asks(const ContactProblem* p, const Block* B) noexcept nogil:
    """Whether a block asks for more than may be left."""
    cdef int r
    for r in range(B.first_row, B.first_row + B.rows):
        if SLOWEST < p.position_target[r] or B.law == BILATERAL and SLOWEST < fabs(p.position_target[r]) < INFINITY:
            return True
    return False


cdef void find_asking(PositionProblem* q, const ContactProblem* p, int n) noexcept nogil:
    """island: of the first n blocks, those of islands in which something is asked."""
    cdef int* wanted = q.node + p.n_single + p.n_coordinates
    cdef int i
    for i in range(p.n_single + p.n_coordinates):
        q.node[i], wanted[i] = i, 0
    for i in range(n):
        q.island[i] = join_cone(q.node, p, i) if i < p.n_cones else join_rows(q.node, p, p.block + i, -1)
    for i in range(n):
        if q.island[i] >= 0:
            q.island[i] = root_of(q.node, q.island[i])
            wanted[q.island[i]] |= asks(p, p.block + i)
    for i in range(n):
        if q.island[i] >= 0 and not wanted[q.island[i]]:
            q.island[i] = -1
    for i in range(n, p.n):                            # discs
        q.island[i] = q.island[p.block[i].partner]


cdef int write_positions(PositionProblem* q, const ContactProblem* p, Velocities* velocities) except -1 nogil:
    """Make the problem from the first one, which is solved.  Friction and forces with bounds hold no pose.

    `velocities` are those that its impulses make, of islands in which something is asked: others cost next to nothing.
    """
    cdef ContactProblem* mine = &q.problem
    cdef int i, r, n = p.n
    while n > p.n_cones and p.block[n - 1].law == DISC:
        n -= 1
    grow(<void**> &q.block, &q.room[0], p.n, sizeof(Block))
    grow(<void**> &q.v_free, &q.room[1], p.n_rows, sizeof(double))
    grow(<void**> &q.impulse, &q.room[2], p.n_rows, sizeof(double))
    grow(<void**> &q.node, &q.room[3], 2 * (<size_t> p.n_single + p.n_coordinates), sizeof(int))
    grow(<void**> &q.island, &q.room[4], p.n, sizeof(int))
    find_asking(q, p, n)
    find_velocities(velocities, p, q.island)
    for i in range(n):
        q.block[i] = p.block[i]
        q.block[i].compliance = 0.0
        if p.block[i].law == CONE:
            q.block[i].a = q.v_free[3 * i] = q.v_free[3 * i + 1] = 0.0
            q.v_free[3 * i + 2] = ANYWHERE
            if q.island[i] >= 0:
                write_row(q, p, 3 * i + 2, cone_speed(velocities, p, i, 2), True)
            continue
        if p.block[i].law == BOX:
            q.block[i].a = q.block[i].b = 0.0
        for r in range(p.block[i].first_row, p.block[i].first_row + p.block[i].rows):
            write_row(q, p, r, row_speed(velocities, p, r - 3 * p.n_cones), p.block[i].law == UNILATERAL)
    mine[0] = p[0]
    if n < p.n:
        mine.n, mine.n_rows = n, p.block[n].first_row
    mine.block, mine.v_free, mine.impulse = q.block, q.v_free, q.impulse
    mine.target = mine.position_target = mine.v_start = NULL
    return 0
