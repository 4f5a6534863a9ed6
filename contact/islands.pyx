"""Which blocks act on one another: union-find over single bodies and normalised coordinates."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.contact.operator cimport Line, Operator, make_operator
from rbdyn.contact.operator cimport release as release_operator
from rbdyn.contact.problem cimport (
    COMPLIANT, CONE, DISC, GIVEN_UP, STAGES, SWEPT, UNILATERAL, Block, ContactProblem, Entry3, RowSide, further_sides,
)
from rbdyn.memory cimport grow


cdef void release(Islands* all) noexcept nogil:
    """Give all memory back."""
    release_operator(&all.whole)
    free(all.island)
    free(all.memory)
    free(all.impulse)
    memset(all, 0, sizeof(Islands))


cdef int reserve(Islands* all, const ContactProblem* p) except -1 nogil:
    """Room for whatever islands the problem may have."""
    cdef size_t nodes = <size_t> p.n_single + p.n_coordinates, blocks = p.n
    all.reallocations += grow(<void**> &all.memory, &all.memory_capacity, 2 * nodes + 4 * blocks, sizeof(int))
    all.reallocations += grow(<void**> &all.island, &all.island_capacity, blocks, sizeof(Island))
    all.reallocations += grow(<void**> &all.impulse, &all.impulse_capacity,
                              3 * <size_t> p.n_rows + p.n_coordinates, sizeof(double))
    all.begun = all.impulse + p.n_rows
    all.onward = all.begun + p.n_rows
    all.whole.z_begun = all.onward + p.n_rows
    all.node = all.memory
    all.number = all.node + nodes
    all.member = all.number + nodes
    all.order = all.member + blocks
    all.start = all.order + blocks
    return 0


cdef inline int join(int* node, int root, int i) noexcept nogil:
    """Put node i into the island whose root is `root`, or begin with it if that is -1; returns the root."""
    if root >= 0 and node[i] == root:
        return root
    i = root_of(node, i)
    if root < 0 or root == i:
        return i
    if root < i:
        node[i] = root
        return root
    node[root] = i
    return i


cdef inline int join_body(int* node, int root, const ContactProblem* p, int body) noexcept nogil:
    """Put a single body into the island, unless nothing moves it."""
    cdef const double* W
    if body < 0:
        return root
    W = p.inverse_inertia + 6 * body
    if p.inverse_mass[body] == 0.0 and W[0] == 0.0 and W[3] == 0.0 and W[5] == 0.0:
        return root
    return join(node, root, body)


cdef int join_cone(int* node, const ContactProblem* p, int i) noexcept nogil:
    """All that a cone acts on; returns the root, -1 if it acts on nothing."""
    cdef const int* of = node + p.n_single             # each coordinate's node
    cdef const Entry3* entry = p.entry3
    cdef int root = -1, j, k
    if p.single_a != NULL:
        root = join_body(node, root, p, p.single_a[i])
    if p.single_b != NULL:
        root = join_body(node, root, p, p.single_b[i])
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i + 1] - 1, p.entry3_start[i] - 1, -1):      # from a robot's base on
            k = entry[j].coordinate
            if of[k] != root:
                root = join(node, root, p.n_single + k)
    return root


cdef int join_rows(int* node, const ContactProblem* p, const Block* B, int partner) noexcept nogil:
    """All that the rows of another block act on; a disc belongs to its cone, which acts on node `partner`."""
    cdef const RowSide* pair
    cdef int root = -1, r, j
    if B.law == DISC and partner >= 0:
        root = root_of(node, partner)
    for r in range(B.first_row - 3 * p.n_cones, B.first_row - 3 * p.n_cones + B.rows):
        pair = p.side + 2 * r if p.side != NULL else NULL
        while pair != NULL:
            root = join_body(node, root, p, pair[0].body)
            root = join_body(node, root, p, pair[1].body)
            pair = further_sides(p, pair)
        if p.entry_start != NULL:
            for j in range(p.entry_start[r + 1] - 1, p.entry_start[r] - 1, -1):
                root = join(node, root, p.n_single + p.entry[j].coordinate)
    return root


cdef bint share_one(const ContactProblem* p) noexcept nogil:
    """Whether all blocks act on the last coordinate of the first cone, as those of one floating robot do on its base.

    Then they are one island, and nobody has to look for others.
    """
    cdef const int* start = p.entry3_start
    cdef int i, r, shared
    if p.n_cones == 0 or start == NULL or start[1] == start[0]:
        return False
    shared = p.entry3[start[1] - 1].coordinate
    for i in range(p.n_cones):
        if start[i + 1] == start[i] or p.entry3[start[i + 1] - 1].coordinate != shared:
            return False
    if p.n == p.n_cones:
        return True
    if p.entry_start == NULL:
        return False
    for i in range(p.n_cones, p.n):
        r = p.block[i].first_row - 3 * p.n_cones
        if p.entry_start[r + 1] == p.entry_start[r] or p.entry[p.entry_start[r + 1] - 1].coordinate != shared:
            return False
    return True


cdef void find(Islands* all, const ContactProblem* p) noexcept nogil:
    """Number the islands in the order of their first blocks, and write each block's."""
    cdef const Block* B
    cdef int i, root
    if share_one(p):
        all.n = 1
        memset(all.member, 0, p.n * sizeof(int))
        return
    all.n = 0
    for i in range(p.n_single + p.n_coordinates):
        all.node[i] = i
        all.number[i] = -1
    for i in range(p.n):
        B = p.block + i
        if i < p.n_cones:
            all.member[i] = join_cone(all.node, p, i)
        else:
            all.member[i] = join_rows(all.node, p, B, all.member[B.partner] if B.law == DISC else -1)
    for i in range(p.n):
        root = all.member[i]
        if root >= 0:
            root = root_of(all.node, root)
            if all.number[root] < 0:
                all.number[root] = all.n
                all.n += 1
            all.member[i] = all.number[root]
        else:                                          # it acts on nothing
            all.member[i] = all.n
            all.n += 1


cdef inline bint opens(const ContactProblem* p, const Block* B) noexcept nogil:
    """Whether a block meets its law without an impulse, if no other one acts."""
    cdef int r
    if B.law == CONE:
        return p.v_free[B.first_row + 2] >= 0.0
    if B.law == DISC:
        return True                                    # its cone does not push
    if B.law != UNILATERAL:
        return False
    for r in range(B.first_row, B.first_row + B.rows):
        if not p.v_free[r] >= 0.0:
            return False
    return True


cdef void leave_out_open(Islands* all, ContactProblem* p) noexcept nogil:
    """Islands in which every block opens need no impulse, and are none of those that are solved."""
    cdef int* place = all.start
    cdef int i, k, kept = 0
    memset(place, 0, all.n * sizeof(int))
    for i in range(p.n):
        if not opens(p, p.block + i):
            place[all.member[i]] = 1
    for k in range(all.n):
        place[k], kept = (kept if place[k] else -1), kept + place[k]
    all.n = kept
    all.cones = all.blocks = 0
    for i in range(p.n):
        all.member[i] = place[all.member[i]]
        if all.member[i] < 0:
            memset(p.impulse + p.block[i].first_row, 0, p.block[i].rows * sizeof(double))
            memset(all.onward + p.block[i].first_row, 0, p.block[i].rows * sizeof(double))
        else:
            all.cones += i < p.n_cones
            all.blocks += 1


cdef void sort(Islands* all, const ContactProblem* p) noexcept nogil:
    """order and start: blocks by island, cones first; those of an island stay in their order."""
    cdef int* cones = all.start
    cdef int* others = all.start + all.n
    cdef int* next_place
    cdef int i, k, place, count
    memset(all.start, 0, 2 * all.n * sizeof(int))
    for i in range(p.n):
        if all.member[i] >= 0:
            (cones if i < p.n_cones else others)[all.member[i]] += 1
    place = 0
    for k in range(2 * all.n):                         # counts become places
        count = all.start[k]
        all.start[k] = place
        place += count
    for i in range(p.n):
        if all.member[i] < 0:
            continue
        next_place = (cones if i < p.n_cones else others) + all.member[i]
        all.order[next_place[0]] = i
        next_place[0] += 1
    for k in range(2 * all.n - 1, 0, -1):              # ends become starts
        all.start[k] = all.start[k - 1]
    all.start[0] = 0


cdef int place_of(const Operator* G, int index) noexcept nogil:
    """Where the island has the cone of this number, -1 if it has not (a cone that acts on nothing is alone)."""
    cdef int low = 0, high = G.n, middle
    while low < high:
        middle = (low + high) >> 1
        if G.contact[middle].index < index:
            low = middle + 1
        else:
            high = middle
    return low if low < G.n and G.contact[low].index == index else -1


cdef void open_one(Islands* all, int k) noexcept nogil:
    """The operator of island k: its part of the whole."""
    cdef Island* island = all.island + k
    cdef Operator* G = &island.G
    cdef int cone = all.start[k], block = all.start[all.n + k] - all.cones, i, line = 0
    cdef int end = (all.start[all.n + k + 1] if k + 1 < all.n else all.blocks) - all.cones
    G[0] = all.whole
    G.n = all.start[k + 1] - cone                      # behind the cones of the last island come the other blocks
    G.contact += cone
    G.block += block
    G.n_blocks = end - block
    line = G.block[0].first if G.n_blocks > 0 else 0
    G.line += line
    G.n_lines = G.n_discs = 0
    for i in range(G.n_blocks):
        G.block[i].first -= line
        G.n_lines += G.block[i].rows
        if G.block[i].law == DISC:
            G.n_discs += 1
            G.block[i].partner = place_of(G, G.block[i].partner)
    G.alone, G.proximal = all.n == 1, False
    for i in range(G.n):
        G.proximal |= G.contact[i].block.rho > 0.0


cdef void copy_impulses(const Operator* G, double* own, double* impulse, bint back) noexcept nogil:
    """Read an island's impulses from those of the problem, or write them back."""
    cdef double* theirs
    cdef int i
    for i in range(G.n):
        theirs = impulse + 3 * G.contact[i].index
        memcpy(theirs if back else own, own if back else theirs, 3 * sizeof(double))
        own += 3
    for i in range(G.n_blocks):
        theirs = impulse + G.block[i].row
        memcpy(theirs if back else own, own if back else theirs, G.block[i].rows * sizeof(double))
        own += G.block[i].rows


cdef int open_islands(Islands* all, ContactProblem* p) except -1 nogil:
    """Find the islands of the problem, and read each one's constants and impulses."""
    cdef double* impulse
    cdef double* begun
    cdef bint apart
    cdef int k, rows
    all.n = all.cones = all.blocks = 0
    all.whole.n = all.whole.n_blocks = all.whole.n_discs = all.whole.n_lines = 0
    if p.n == 0:
        return 0
    reserve(all, p)
    find(all, p)
    leave_out_open(all, p)
    if all.n == 0:
        return 0
    apart = all.n > 1 or all.blocks < p.n
    if apart:
        sort(all, p)
    else:
        all.start[0], all.start[1] = 0, p.n_cones
    make_operator(&all.whole, p, all.order if apart else NULL, all.cones, all.blocks)
    impulse = all.impulse if apart else p.impulse
    begun = all.begun if apart else all.onward
    for k in range(all.n):
        open_one(all, k)
        all.island[k].impulse = impulse
        all.island[k].begun = begun
        all.island[k].iterations, all.island[k].error, all.island[k].converged = 0, 0.0, False
        all.island[k].noted, all.island[k].ended = False, SWEPT
        if apart:
            copy_impulses(&all.island[k].G, impulse, p.impulse, False)
        rows = rows_of(&all.island[k].G)
        memcpy(begun, impulse, rows * sizeof(double))
        impulse += rows
        begun += rows
    return 0


cdef void name_worst(const Operator* G, ContactProblem* p) noexcept nogil:
    """Note a single body, or a coordinate, that an island acts on."""
    cdef const Line* line = G.line
    p.worst_single = p.worst_coordinate = -1
    if G.n > 0:
        p.worst_single = G.contact[0].a.body if G.contact[0].a.body >= 0 else G.contact[0].b.body
        if G.contact[0].row_end > G.contact[0].row:
            p.worst_coordinate = G.row[G.contact[0].row].coordinate
    elif G.n_lines > 0:
        p.worst_single = line.a.body if line.a.body >= 0 else line.b.body
        if line.entry_end > line.entry:
            p.worst_coordinate = G.entry[line.entry].coordinate


cdef void clear_outcome(ContactProblem* p, bint converged) noexcept nogil:
    """Nothing was solved."""
    p.iterations, p.error, p.converged, p.worst_single, p.worst_coordinate = 0, 0.0, converged, -1, -1
    memset(p.ended, 0, STAGES * sizeof(int))


cdef void close_islands(Islands* all, ContactProblem* p) noexcept nogil:
    """Write the impulses back, and how the worst of the islands did."""
    cdef Island* island
    cdef int k, stage
    clear_outcome(p, True)
    for k in range(all.n):
        island = all.island + k
        if all.n > 1 or all.blocks < p.n:
            copy_impulses(&island.G, island.impulse, p.impulse, True)
            copy_impulses(&island.G, island.begun, all.onward, True)
        if island.error > p.error:
            name_worst(&island.G, p)
        p.iterations = max(p.iterations, island.iterations)
        p.error = max(p.error, island.error)
        p.converged &= island.converged
        stage = GIVEN_UP if island.ended < COMPLIANT and not island.converged else island.ended
        p.ended[stage] += 1
