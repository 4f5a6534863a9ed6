"""The problem of how far poses move to correct depths: positions.pxd."""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.contact.after.velocities cimport Velocities, cone_speed, find_velocities, row_speed
from rbdyn.contact.islands cimport join_cone, join_rows, root_of
from rbdyn.contact.problem cimport (
    BILATERAL, CONE, DISC, UNILATERAL, Block, ContactProblem, Entry, Entry3, RowSide, further_sides,
)
from rbdyn.contact.tolerances cimport ANYWHERE, SLOWEST_CORRECTION
from rbdyn.memory cimport grow


cdef void release_positions(PositionProblem* q) noexcept nogil:
    """Give all memory back."""
    free(q.block)
    free(q.v_free)
    free(q.impulse)
    free(q.depth)
    free(q.frame)
    free(q.arm_a)
    free(q.arm_b)
    free(q.single_a)
    free(q.single_b)
    free(q.entry3_start)
    free(q.entry3)
    free(q.side)
    free(q.entry_start)
    free(q.entry)
    free(q.term_start)
    free(q.term)
    free(q.node)
    free(q.island)
    memset(q, 0, sizeof(PositionProblem))


cdef inline bint holds_pose(const ContactProblem* p, const Block* B, int row) noexcept nogil:
    """Whether a row of a block that is no cone corrects poses."""
    return (B.law == UNILATERAL or B.law == BILATERAL) and B.compliance == 0.0 and (
        -INFINITY < p.position_target[row] < INFINITY)


cdef inline bint asks(const ContactProblem* p, const Block* B) noexcept nogil:
    """Whether a block asks for more than may be left; a gap that may close asks for nothing."""
    cdef double T
    cdef int r
    if B.law == CONE:
        return p.position_target[B.first_row + 2] > SLOWEST_CORRECTION()
    for r in range(B.first_row, B.first_row + B.rows):
        T = p.position_target[r]
        if holds_pose(p, B, r) and (T > SLOWEST_CORRECTION() or B.law == BILATERAL and T < -SLOWEST_CORRECTION()):
            return True
    return False


cdef bint asks_for_positions(const ContactProblem* p) noexcept nogil:
    """Whether any pose is to be moved."""
    cdef int i
    if p.position_target == NULL:
        return False
    for i in range(p.n):
        if asks(p, p.block + i):
            return True
    return False


cdef inline double beyond(const ContactProblem* p, int row, double change) noexcept nogil:
    """The bodies' own velocity along a row, with the change that the impulses make, less the position target."""
    cdef double v = p.v_free[row] + change - p.position_target[row]
    return v + p.target[row] if p.target != NULL else v


cdef double normal_speed(const ContactProblem* p, int row, double change) noexcept nogil:
    """v_free of a normal or a unilateral row.

    What the first solve leaves of approach, where it ended early, is none of it: where nothing is asked nothing is
    pushed.
    """
    cdef double T = p.position_target[row], v
    if not T > -INFINITY:
        return ANYWHERE()
    v = beyond(p, row, change)
    return 0.0 if v < 0.0 and (v > -SLOWEST_CORRECTION() or T <= SLOWEST_CORRECTION()) else v


cdef double closing_speed(const ContactProblem* p, int row, double change) noexcept nogil:
    """v_free of a bilateral row, to which what the first solve leaves is an error as any other."""
    cdef double v = beyond(p, row, change)
    return v if fabs(v) > SLOWEST_CORRECTION() else 0.0


cdef void find_asking(PositionProblem* q, const ContactProblem* p) noexcept nogil:
    """island: of the blocks of islands in which something is asked."""
    cdef int* wanted = q.node + p.n_single + p.n_coordinates
    cdef int i, n = p.n
    while n > p.n_cones and p.block[n - 1].law == DISC:
        n -= 1
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


cdef int make_room(PositionProblem* q, const ContactProblem* p) except -1 nogil:
    """For all that the blocks with an island may take."""
    cdef size_t cones = 0, rows = 0, entries3 = 0, entries = 0, terms = 0
    cdef int i, first
    for i in range(p.n):
        if q.island[i] < 0:
            continue
        if i < p.n_cones:
            cones += 1
            entries3 += p.entry3_start[i + 1] - p.entry3_start[i] if p.entry3_start != NULL else 0
        else:
            rows += p.block[i].rows
            first = p.block[i].first_row - 3 * p.n_cones
            entries += p.entry_start[first + p.block[i].rows] - p.entry_start[first] if p.entry_start != NULL else 0
            terms += p.term_start[first + p.block[i].rows] - p.term_start[first] if p.above != NULL else 0
    grow(<void**> &q.block, &q.room[0], cones + rows, sizeof(Block))
    grow(<void**> &q.v_free, &q.room[1], 3 * cones + rows, sizeof(double))
    grow(<void**> &q.impulse, &q.room[2], 3 * cones + rows, sizeof(double))
    grow(<void**> &q.frame, &q.room[3], 9 * cones, sizeof(double))
    grow(<void**> &q.arm_a, &q.room[4], 3 * cones, sizeof(double))
    grow(<void**> &q.arm_b, &q.room[5], 3 * cones, sizeof(double))
    grow(<void**> &q.single_a, &q.room[6], cones, sizeof(int))
    grow(<void**> &q.single_b, &q.room[7], cones, sizeof(int))
    grow(<void**> &q.entry3_start, &q.room[8], cones + 1, sizeof(int))
    grow(<void**> &q.entry3, &q.room[9], entries3, sizeof(Entry3))
    grow(<void**> &q.side, &q.room[10], 2 * (rows + p.n_further), sizeof(RowSide))
    grow(<void**> &q.entry_start, &q.room[11], rows + 1, sizeof(int))
    grow(<void**> &q.entry, &q.room[12], entries, sizeof(Entry))
    grow(<void**> &q.depth, &q.room[15], 3 * cones + rows, sizeof(double))
    grow(<void**> &q.term_start, &q.room[16], rows + 1, sizeof(int))
    grow(<void**> &q.term, &q.room[17], terms, sizeof(Entry))
    return 0


cdef void begin_problem(PositionProblem* q, const ContactProblem* p) noexcept nogil:
    """What the first problem has, without blocks."""
    cdef ContactProblem* mine = &q.problem
    mine[0] = p[0]
    mine.n = mine.n_cones = mine.n_rows = mine.n_further = 0
    mine.block, mine.v_free, mine.impulse = q.block, q.v_free, q.impulse
    mine.target = mine.position_target = mine.v_start = mine.bend = mine.drive = mine.mobility = NULL
    mine.depth = q.depth if p.depth != NULL else NULL
    mine.frame, mine.arm_a, mine.arm_b = q.frame, q.arm_a, q.arm_b
    mine.single_a = q.single_a if p.single_a != NULL else NULL
    mine.single_b = q.single_b if p.single_b != NULL else NULL
    mine.entry3_start, mine.entry3 = (q.entry3_start if p.entry3_start != NULL else NULL), q.entry3
    mine.side = q.side if p.side != NULL else NULL
    mine.entry_start, mine.entry = (q.entry_start if p.entry_start != NULL else NULL), q.entry
    mine.term_start, mine.term = q.term_start, q.term
    q.entry3_start[0] = q.entry_start[0] = q.term_start[0] = 0


cdef void write_cone(PositionProblem* q, const ContactProblem* p, int i, double change) noexcept nogil:
    """Cone i without its friction."""
    cdef ContactProblem* mine = &q.problem
    cdef int k = mine.n, at, count
    q.block[k] = p.block[i]
    q.block[k].first_row, q.block[k].a, q.block[k].compliance = 3 * k, 0.0, 0.0
    q.v_free[3 * k] = q.v_free[3 * k + 1] = 0.0
    q.v_free[3 * k + 2] = normal_speed(p, 3 * i + 2, change)
    if p.depth != NULL:
        memcpy(q.depth + 3 * k, p.depth + 3 * i, 3 * sizeof(double))
    memcpy(q.frame + 9 * k, p.frame + 9 * i, 9 * sizeof(double))
    if p.single_a != NULL:
        q.single_a[k] = p.single_a[i]
        if p.single_a[i] >= 0:
            memcpy(q.arm_a + 3 * k, p.arm_a + 3 * i, 3 * sizeof(double))
    if p.single_b != NULL:
        q.single_b[k] = p.single_b[i]
        if p.single_b[i] >= 0:
            memcpy(q.arm_b + 3 * k, p.arm_b + 3 * i, 3 * sizeof(double))
    if p.entry3_start != NULL:
        at, count = q.entry3_start[k], p.entry3_start[i + 1] - p.entry3_start[i]
        if count > 0:                                  # else there may be no array
            memcpy(q.entry3 + at, p.entry3 + p.entry3_start[i], count * sizeof(Entry3))
        q.entry3_start[k + 1] = at + count
    mine.n, mine.n_cones, mine.n_rows = k + 1, k + 1, 3 * k + 3


cdef void write_row(PositionProblem* q, const ContactProblem* p, int row, double v_free) noexcept nogil:
    """One row that is no cone's, behind those that are written."""
    cdef ContactProblem* mine = &q.problem
    cdef int k = mine.n_rows - 3 * mine.n_cones, r = row - 3 * p.n_cones, at, count
    q.v_free[mine.n_rows] = v_free
    if p.depth != NULL:
        q.depth[mine.n_rows] = p.depth[row]
    if p.side != NULL:
        memcpy(q.side + 2 * k, p.side + 2 * r, 2 * sizeof(RowSide))
        if p.side[2 * r].further > 0:
            mine.n_further = p.n_further                # they are written once it is known where rows end
    if p.entry_start != NULL:
        at, count = q.entry_start[k], p.entry_start[r + 1] - p.entry_start[r]
        if count > 0:                                  # else there may be no array
            memcpy(q.entry + at, p.entry + p.entry_start[r], count * sizeof(Entry))
        q.entry_start[k + 1] = at + count
    if p.above != NULL:
        at, count = q.term_start[k], p.term_start[r + 1] - p.term_start[r]
        if count > 0:                                  # likewise
            memcpy(q.term + at, p.term + p.term_start[r], count * sizeof(Entry))
        q.term_start[k + 1] = at + count
    mine.n_rows += 1


cdef void write_block(PositionProblem* q, const ContactProblem* p, const Velocities* u, const Block* B) noexcept nogil:
    """Those rows of a block that hold a pose, if any."""
    cdef ContactProblem* mine = &q.problem
    cdef double change
    cdef int r, first = mine.n_rows
    for r in range(B.first_row, B.first_row + B.rows):
        if holds_pose(p, B, r):
            change = row_speed(u, p, r - 3 * p.n_cones)
            write_row(q, p, r, closing_speed(p, r, change) if B.law == BILATERAL else normal_speed(p, r, change))
    if mine.n_rows > first:
        q.block[mine.n] = B[0]
        q.block[mine.n].first_row, q.block[mine.n].rows = first, mine.n_rows - first
        mine.n += 1


cdef void write_further(PositionProblem* q, const ContactProblem* p) noexcept nogil:
    """The sides of rows beyond their first two, of which rows still say where they are in the first problem."""
    cdef int lines = q.problem.n_rows - 3 * q.problem.n_cones, free_ = lines, k, at
    cdef const RowSide* pair
    for k in range(lines if q.problem.n_further > 0 else 0):
        at, pair = k, further_sides(p, q.side + 2 * k)
        q.side[2 * k].further = 0
        while pair != NULL:
            q.side[2 * at].further = free_
            memcpy(q.side + 2 * free_, pair, 2 * sizeof(RowSide))
            q.side[2 * free_].further = 0
            at, pair = free_, further_sides(p, pair)
            free_ += 1


cdef int write_positions(PositionProblem* q, const ContactProblem* p, Velocities* velocities) except -1 nogil:
    """Make the problem from the first one, which is solved.

    `velocities` are those that its impulses make, of islands in which something is asked: others cost next to nothing.
    """
    cdef int i
    grow(<void**> &q.node, &q.room[13], 2 * (<size_t> p.n_single + p.n_coordinates), sizeof(int))
    grow(<void**> &q.island, &q.room[14], p.n, sizeof(int))
    find_asking(q, p)
    find_velocities(velocities, p, q.island)
    make_room(q, p)
    begin_problem(q, p)
    for i in range(p.n):
        if q.island[i] < 0:
            continue
        if i < p.n_cones:
            write_cone(q, p, i, cone_speed(velocities, p, i, 2))
        else:
            write_block(q, p, velocities, p.block + i)
    write_further(q, p)
    return 0
