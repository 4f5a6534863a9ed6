"""The per-step constants of every contact, and the velocities that impulses make."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.cone.block cimport make_compliant, make_cone, possible
from rbdyn.contact.problem cimport (
    BILATERAL, BOX, CONE, CONTACT_PROBLEM_VERSION, DISC, LAWS, MOST_ROWS, UNILATERAL, Block, ContactProblem,
    RowSide,
)
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport (
    Mat3,
    Sym3,
    Vec3,
    add_s,
    cross3,
    dot3,
    outer_s,
    row_x,
    row_y,
    row_z,
    rows3,
    scale3,
    smul3,
    sym3,
    transpose3,
    vec3,
)

from rbdyn.errors import ContactError


cdef void release(Operator* G) noexcept nogil:
    """Give all memory back."""
    free(G.contact)
    free(G.body)
    free(G.z)
    free(G.block)
    free(G.line)
    free(G.factor)
    free(G.latest)
    memset(G, 0, sizeof(Operator))


cdef int refuse(str text) except -1:
    raise ContactError(text)


cdef int check_sizes(const ContactProblem* p) except -1 nogil:
    """Whether the problem can be read at all."""
    cdef bint missing
    if p.version != CONTACT_PROBLEM_VERSION:
        with gil:
            refuse(f"ContactProblem version {p.version} was given, this solver reads version {CONTACT_PROBLEM_VERSION}")
    missing = p.n > 0 and (p.block == NULL or p.v_free == NULL or p.impulse == NULL)
    missing |= p.n_cones > 0 and p.frame == NULL
    missing |= p.n_single > 0 and (p.inverse_mass == NULL or p.inverse_inertia == NULL)
    missing |= p.n_single > 0 and p.single_a != NULL and p.arm_a == NULL
    missing |= p.n_single > 0 and p.single_b != NULL and p.arm_b == NULL
    if not 0 <= p.n_cones <= p.n or p.n_single < 0 or p.n_coordinates < 0 or missing:
        with gil:
            refuse(f"malformed ContactProblem: n = {p.n}, n_cones = {p.n_cones}, n_single = {p.n_single}, "
                   f"n_coordinates = {p.n_coordinates}, or an array it needs is NULL")
    return 0


cdef inline bint is_placed(const ContactProblem* p, int i, int rows) noexcept nogil:
    """Whether block i, before which `rows` rows come, is where its law says, with as many rows as that takes."""
    cdef const Block* B = p.block + i
    if i < p.n_cones:
        return B.law == CONE and B.first_row == rows and B.rows == 3
    return (0 <= B.law < LAWS and B.law != CONE and B.first_row == rows and B.rows >= 1
            and (B.law != BILATERAL or B.rows <= MOST_ROWS))


cdef inline bint is_bounded(const Block* B) noexcept nogil:
    """Whether a block's numbers are ones that its law knows."""
    return B.compliance >= 0.0 and (B.law != BOX or B.a <= 0.0 <= B.b)


cdef inline bint is_disc_in_place(const ContactProblem* p, int i) noexcept nogil:
    """Whether block i is a disc as it has to be, or one that no disc precedes."""
    cdef const Block* B = p.block + i
    if B.law == DISC:
        return B.a >= 0.0 and B.rows <= 2 and 0 <= B.partner < p.n_cones
    return i == 0 or p.block[i - 1].law != DISC


cdef int refuse_block(const ContactProblem* p, int i, int rows) except -1 with gil:
    """Say what is wrong with block i, before which `rows` rows come."""
    cdef const Block* B = p.block + i
    if not is_placed(p, i, rows):
        refuse(f"block {i}: law {B.law}, first_row {B.first_row}, rows {B.rows}; cones come first and have 3 "
               f"rows, a bilateral at most {MOST_ROWS}, and {rows} rows come before this block")
    if not is_bounded(B):
        refuse(f"block {i}: compliance must be >= 0 and a box must hold 0, got compliance {B.compliance:.6g}, "
               f"a {B.a:.6g}, b {B.b:.6g}")
    if B.law == DISC:
        refuse(f"block {i}: a disc has 1 or 2 rows, a coefficient a >= 0 and a partner among the {p.n_cones} "
               f"cones, got rows {B.rows}, a {B.a:.6g}, partner {B.partner}")
    refuse(f"block {i}: discs come last, got law {B.law} behind one")


cdef int check_blocks(const ContactProblem* p) except -1 nogil:
    """Every block, and that their rows are those of the problem."""
    cdef int i, rows = 0
    for i in range(p.n):
        if not (is_placed(p, i, rows) and is_bounded(p.block + i) and (i < p.n_cones or is_disc_in_place(p, i))):
            refuse_block(p, i, rows)
        rows += p.block[i].rows
    if rows != p.n_rows:
        with gil:
            refuse(f"malformed ContactProblem: n_rows = {p.n_rows}, its blocks have {rows}")
    return 0


cdef inline bint has_body(const ContactProblem* p, int body) noexcept nogil:
    """Whether there is such a single body; -1 means none."""
    return -1 <= body < p.n_single


cdef int refuse_body(const ContactProblem* p, int i, int body) except -1 with gil:
    refuse(f"contact {i}: single body {body} does not exist, there are {p.n_single} (-1 means none)")


cdef int check_bodies(const ContactProblem* p, int i) except -1 nogil:
    """The single bodies of cone i."""
    if p.single_a != NULL and not has_body(p, p.single_a[i]):
        refuse_body(p, i, p.single_a[i])
    if p.single_b != NULL and not has_body(p, p.single_b[i]):
        refuse_body(p, i, p.single_b[i])
    return 0


cdef int refuse_entry(const ContactProblem* p, int i, int start, int end, int j) except -1 with gil:
    """Say what is wrong with the entries of cone i, or with the j-th one."""
    if j < 0:
        refuse(f"contact {i}: entry3_start gives the range {start}:{end}")
    refuse(f"contact {i}: entry {j} has coordinate {p.entry3[j].coordinate}, n_coordinates is {p.n_coordinates}")


cdef inline int check_rows(const ContactProblem* p, int i, int start, int end) except -1 nogil:
    """The entries of cone i."""
    cdef int j
    if not 0 <= start <= end or (end > start and p.entry3 == NULL):
        refuse_entry(p, i, start, end, -1)
    for j in range(start, end):
        if not 0 <= p.entry3[j].coordinate < p.n_coordinates:
            refuse_entry(p, i, start, end, j)
    return 0


cdef inline void make_side(Side* side, const ContactProblem* p, int body, const double* arm, Mat3 R) noexcept nogil:
    """The constants of a single body at a contact; of -1, none, nobody reads the rest."""
    side.body = body
    if body >= 0:
        write_side(side, p, arm, R)


cdef void write_side(Side* side, const ContactProblem* p, const double* arm, Mat3 R) noexcept nogil:
    cdef Vec3 r = vec3(arm[0], arm[1], arm[2])
    cdef const double* I = p.inverse_inertia + 6 * side.body
    cdef Sym3 W = sym3(I[0], I[1], I[2], I[3], I[4], I[5])
    side.inverse_mass = p.inverse_mass[side.body]
    # t . (w x r) = w . (r x t)
    side.L = rows3(cross3(r, row_x(R)), cross3(r, row_y(R)), cross3(r, row_z(R)))
    side.H = transpose3(rows3(smul3(W, row_x(side.L)), smul3(W, row_y(side.L)), smul3(W, row_z(side.L))))


cdef Sym3 side_block(const Side* side) noexcept nogil:
    """What one body adds to G_ii: 1/m + L I^-1 L^T."""
    cdef Mat3 W = transpose3(side.H)                   # rows I^-1 (arm x t)
    cdef double m = side.inverse_mass
    return sym3(m + dot3(row_x(side.L), row_x(W)), dot3(row_x(side.L), row_y(W)), dot3(row_x(side.L), row_z(W)),
                m + dot3(row_y(side.L), row_y(W)), dot3(row_y(side.L), row_z(W)),
                m + dot3(row_z(side.L), row_z(W)))


cdef Sym3 diagonal_block(const Operator* G, const ContactProblem* p, const Contact* k) noexcept nogil:
    """G_ii [1/kg]."""
    cdef Sym3 block = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    cdef const double* known
    cdef int j
    if k.a.body >= 0:
        block = add_s(block, side_block(&k.a))
    if k.b.body >= 0:
        block = add_s(block, side_block(&k.b))
    if p.mobility != NULL and k.row < k.row_end:
        known = p.mobility + 6 * k.index
        return add_s(block, sym3(known[0], known[1], known[2], known[3], known[4], known[5]))
    for j in range(k.row, k.row_end):
        block = add_s(block, outer_s(1.0, vec3(G.row[j].x, G.row[j].y, G.row[j].n)))
    return block


cdef int refuse_line(const ContactProblem* p, int r, int start, int end, int j) except -1 with gil:
    """Say what is wrong with the entries of row r of those that are no cone's, or with the j-th one."""
    if j < 0:
        refuse(f"row {3 * p.n_cones + r}: entry_start gives the range {start}:{end}")
    refuse(f"row {3 * p.n_cones + r}: entry {j} has coordinate {p.entry[j].coordinate}, "
           f"n_coordinates is {p.n_coordinates}")


cdef int check_further(const ContactProblem* p, int r) except -1 nogil:
    """Whether the sides of row r beyond the first two are where such stand, and of bodies that there are."""
    cdef int lines = p.n_rows - 3 * p.n_cones, at = r, next_, j
    while p.side[2 * at].further != 0:
        next_ = p.side[2 * at].further
        if not max(lines, at + 1) <= next_ < lines + p.n_further:
            with gil:
                refuse(f"row {3 * p.n_cones + r}: further sides are in pair {next_}, behind pair {at}; such are "
                       f"{lines} to {lines + p.n_further - 1}, a later one behind an earlier one")
        at = next_
        for j in range(2):
            if not has_body(p, p.side[2 * at + j].body):
                refuse_body(p, 3 * p.n_cones + r, p.side[2 * at + j].body)
    return 0


cdef inline int check_line(const ContactProblem* p, int r) except -1 nogil:
    """Whether row r of those that are no cone's acts on what there is."""
    cdef int j, start = 0, end = 0
    cdef bint outside = False
    if p.side != NULL:
        for j in range(2):
            if not has_body(p, p.side[2 * r + j].body):
                refuse_body(p, 3 * p.n_cones + r, p.side[2 * r + j].body)
        if p.side[2 * r].further != 0:
            check_further(p, r)
    if p.entry_start != NULL:
        start, end = p.entry_start[r], p.entry_start[r + 1]
    if not 0 <= start <= end or (end > start and p.entry == NULL):
        refuse_line(p, r, start, end, -1)
    for j in range(start, end):
        outside |= <unsigned> p.entry[j].coordinate >= <unsigned> p.n_coordinates
    if outside:
        for j in range(start, end):
            if not 0 <= p.entry[j].coordinate < p.n_coordinates:
                refuse_line(p, r, start, end, j)
    return 0


cdef int check_velocities(const ContactProblem* p) except -1 nogil:
    """Check what systems tell of their velocities; ContactError where an index leads nowhere, or in a circle."""
    cdef int c, r, j, joint = 0, lines = p.n_rows - 3 * p.n_cones
    cdef bint wrong = p.root_start == NULL or p.root == NULL or p.term_start == NULL
    if not wrong:
        for c in range(p.n_coordinates):
            joint = joint if c > 0 and p.above[c - 1] == c else c
            wrong |= not -1 <= p.above[c] < joint and not p.above[c] == c + 1 < p.n_coordinates
            wrong |= p.root_start[c] < 0 or p.root[p.root_start[c]] == 0.0
        wrong |= p.term_start[0] != 0 or p.term_start[lines] > 0 and p.term == NULL
        for r in range(lines):
            wrong |= p.term_start[r] > p.term_start[r + 1]
        for j in range(p.term_start[lines] if not wrong else 0):
            wrong |= <unsigned> p.term[j].coordinate >= <unsigned> p.n_coordinates
    if wrong:
        with gil:
            refuse("malformed ContactProblem: above needs root, root_start and term_start; above[c] is -1, c + 1 or of "
                   "a joint before, no root begins with 0, and terms are of coordinates that there are")
    return 0


cdef int check_problem(const ContactProblem* p) except -1 nogil:
    """ContactError unless every block, body and coordinate that the problem names exists."""
    cdef int i
    check_sizes(p)
    check_blocks(p)
    for i in range(p.n_cones):
        check_bodies(p, i)
        if p.entry3_start != NULL:
            check_rows(p, i, p.entry3_start[i], p.entry3_start[i + 1])
    for i in range(p.n_rows - 3 * p.n_cones):
        check_line(p, i)
    if p.above != NULL:
        check_velocities(p)
    return 0


cdef void make_contact(Operator* G, const ContactProblem* p, Contact* k, int i) noexcept nogil:
    """The constants of block i, a cone."""
    cdef const double* R = p.frame + 9 * i
    cdef int a = p.single_a[i] if p.single_a != NULL else -1
    cdef int b = p.single_b[i] if p.single_b != NULL else -1
    k.index = i
    k.R = rows3(vec3(R[0], R[1], R[2]), vec3(R[3], R[4], R[5]), vec3(R[6], R[7], R[8]))
    k.row = k.row_end = 0
    if p.entry3_start != NULL:
        k.row, k.row_end = p.entry3_start[i], p.entry3_start[i + 1]
    make_side(&k.a, p, a, p.arm_a + 3 * i, k.R)
    make_side(&k.b, p, b, p.arm_b + 3 * i, k.R)
    make_cone(&k.block, diagonal_block(G, p, k), p.block[i].a)
    if p.block[i].compliance > 0.0:
        make_compliant(&k.block, p.block[i].compliance)
    k.mode = 0
    set_free_velocity(k, p)


cdef void set_free_velocity(Contact* k, const ContactProblem* p) noexcept nogil:
    """The velocity at zero impulse, less that share of the target which is asked for."""
    cdef int i = k.index
    cdef Vec3 v = vec3(p.v_free[3 * i], p.v_free[3 * i + 1], p.v_free[3 * i + 2])
    if p.target != NULL:
        v.z += (1.0 - k.block.reach) * max(0.0, p.target[3 * i + 2])
    if k.block.blocked:                                # out of reach is only to be faster; a gap stays what it is
        v.z = max(v.z, possible(&k.block, v).z)
    k.v_free = v


cdef void make_mover(Mover* m, const ContactProblem* p, const RowSide* side) noexcept nogil:
    """The constants of a single body at a row."""
    cdef const double* I
    m.body, m.further = side.body, 0
    if m.body < 0:                                     # nobody reads the rest
        return
    I = p.inverse_inertia + 6 * m.body
    m.v = vec3(side.linear[0], side.linear[1], side.linear[2])
    m.w = vec3(side.angular[0], side.angular[1], side.angular[2])
    m.dv = scale3(p.inverse_mass[m.body], m.v)
    m.dw = smul3(sym3(I[0], I[1], I[2], I[3], I[4], I[5]), m.w)


cdef void make_further(Operator* G, const ContactProblem* p, Line* k, int pair) noexcept nogil:
    """The lines with more bodies of a row, each where its pair of sides stands in the problem."""
    cdef Line* l
    while pair > 0:
        l = G.line + pair
        make_mover(&l.a, p, p.side + 2 * pair)
        make_mover(&l.b, p, p.side + 2 * pair + 1)
        l.entry = l.entry_end = 0
        k.a.further = <int> (l - k)
        k = l
        pair = p.side[2 * pair].further


cdef double further_velocity(const Operator* G, const Line* k) noexcept nogil:
    """What the bodies of a row beyond the first two add to its velocity."""
    cdef double v = 0.0
    k = further_line(k)
    while k != NULL:
        if k.a.body >= 0:
            v += dot3(k.a.v, G.body[k.a.body].v) + dot3(k.a.w, G.body[k.a.body].w)
        if k.b.body >= 0:
            v += dot3(k.b.v, G.body[k.b.body].v) + dot3(k.b.w, G.body[k.b.body].w)
        k = further_line(k)
    return v


cdef void push_further(Operator* G, const Line* k, double lam) noexcept nogil:
    """What an impulse along a row makes of them."""
    k = further_line(k)
    while k != NULL:
        if k.a.body >= 0:
            push_mover(G, &k.a, lam)
        if k.b.body >= 0:
            push_mover(G, &k.b, lam)
        k = further_line(k)


cdef inline double shared(const Mover* m, const Line* l) noexcept nogil:
    """G_rs by one body of a row and the two of a line of another."""
    cdef double g = 0.0
    if m.body >= 0 and m.body == l.a.body:
        g += dot3(m.v, l.a.dv) + dot3(m.w, l.a.dw)
    if m.body >= 0 and m.body == l.b.body:
        g += dot3(m.v, l.b.dv) + dot3(m.w, l.b.dw)
    return g


cdef double further_coupling(const Line* k, const Line* l) noexcept nogil:
    """G_rs by single bodies, but for what the first two of each have in common."""
    cdef const Line* first = k
    cdef const Line* of
    cdef double g = 0.0
    while k != NULL:
        of = further_line(l) if k == first else l
        while of != NULL:
            g += shared(&k.a, of) + shared(&k.b, of)
            of = further_line(of)
        k = further_line(k)
    return g


cdef double summed_mobility(Operator* G, const Line* k) noexcept nogil:
    """What the entries of a row add to G_rr, where some name one coordinate.

    They are summed in G.z, whose velocities nobody has written yet.
    """
    cdef double g = 0.0
    cdef int j
    for j in range(k.entry, k.entry_end):
        G.z[G.entry[j].coordinate] = 0.0
    for j in range(k.entry, k.entry_end):
        G.z[G.entry[j].coordinate] += G.entry[j].y
    for j in range(k.entry, k.entry_end):
        g += G.entry[j].y * G.z[G.entry[j].coordinate]
    return g


cdef inline double entry_mobility(Operator* G, const Line* k) noexcept nogil:
    """What the entries of a row add to G_rr."""
    cdef unsigned long long seen = 0, bit, twice = 0
    cdef double g = 0.0
    cdef int j
    for j in range(k.entry, k.entry_end):
        bit = <unsigned long long> 1 << (G.entry[j].coordinate & 63)
        twice |= seen & bit
        seen |= bit
        g += G.entry[j].y * G.entry[j].y
    return g if twice == 0 else summed_mobility(G, k)


cdef inline double mobility(Operator* G, const Line* k) noexcept nogil:
    """G_rr of a row, without compliance [1/kg]."""
    cdef double g = 0.0
    if k.a.body >= 0:
        g += dot3(k.a.v, k.a.dv) + dot3(k.a.w, k.a.dw)
        if k.a.body == k.b.body:
            g += dot3(k.a.v, k.b.dv) + dot3(k.a.w, k.b.dw) + dot3(k.b.v, k.a.dv) + dot3(k.b.w, k.a.dw)
    if k.b.body >= 0:
        g += dot3(k.b.v, k.b.dv) + dot3(k.b.w, k.b.dw)
    if k.a.further > 0:
        g += further_coupling(k, k)
    return g + entry_mobility(G, k)


cdef inline void make_line(Operator* G, const ContactProblem* p, int i, int r, double compliance) noexcept nogil:
    """The constants of row r of those that are no cone's, as line i."""
    cdef Line* k = &G.line[i]
    k.v_free = p.v_free[3 * p.n_cones + r]
    k.a.body = k.b.body = -1
    k.a.further = 0
    if p.side != NULL:
        make_mover(&k.a, p, p.side + 2 * r)
        make_mover(&k.b, p, p.side + 2 * r + 1)
        if p.side[2 * r].further > 0:
            make_further(G, p, k, p.side[2 * r].further)
    k.entry = k.entry_end = 0
    if p.entry_start != NULL:
        k.entry, k.entry_end = p.entry_start[r], p.entry_start[r + 1]
    k.compliance = compliance
    k.G = mobility(G, k) + compliance


cdef int make_block(Operator* G, const ContactProblem* p, LineBlock* k, int i, int first, int factor) noexcept nogil:
    """The constants of block i, which is no cone, with its lines from `first` on; returns how many."""
    cdef const Block* B = p.block + i
    cdef int r
    k.law, k.row, k.first, k.rows = B.law, B.first_row, first, B.rows
    k.low, k.high, k.compliance, k.factor, k.partner = B.a, B.b, B.compliance, factor, B.partner
    k.hard = k.compliance == 0.0 and (k.law == BILATERAL or k.law == UNILATERAL)
    for r in range(k.rows):
        make_line(G, p, first + r, B.first_row - 3 * p.n_cones + r, k.compliance)
    k.back = 0
    return k.rows


cdef void chain_blocks(Operator* G) noexcept nogil:
    """Note of each block the one before it on the same body, the lower one of its first row's."""
    cdef const Line* k
    cdef int i, body
    for i in range(G.n_single if G.n_blocks > 0 else 0):
        G.latest[i] = -1
    for i in range(G.n_blocks):
        k = G.line + G.block[i].first
        body = min(k.a.body, k.b.body) if k.a.body >= 0 and k.b.body >= 0 else max(k.a.body, k.b.body)
        if body >= 0:
            G.block[i].back = i - G.latest[body] if G.latest[body] >= 0 else 0
            G.latest[body] = i


cdef int make_operator(Operator* G, const ContactProblem* p, const int* order, int cones, int blocks) except -1 nogil:
    """Workspace of the right size, constants of these blocks; velocities are still to be cleared.

    The problem has been checked.  `order` holds the numbers of so many blocks, cones first, as they are to stand; NULL
    takes all of them as they are.
    """
    cdef int i, factors = 0, lines = 0
    for i in range(p.n_cones, p.n):
        factors += 36 if p.block[i].law == BILATERAL else 0
    G.reallocations += grow(<void**>&G.contact, &G.contact_capacity, p.n_cones, sizeof(Contact))
    G.reallocations += grow(<void**>&G.body, &G.body_capacity, p.n_single, sizeof(BodyVelocity))
    G.reallocations += grow(<void**>&G.z, &G.z_capacity, p.n_coordinates, sizeof(double))
    G.reallocations += grow(<void**>&G.block, &G.block_capacity, p.n - p.n_cones, sizeof(LineBlock))
    G.reallocations += grow(<void**>&G.line, &G.line_capacity, p.n_rows - 3 * p.n_cones + p.n_further,
                            sizeof(Line))
    G.reallocations += grow(<void**>&G.factor, &G.factor_capacity, factors, sizeof(double))
    G.reallocations += grow(<void**>&G.latest, &G.latest_capacity, p.n_single, sizeof(int))
    G.n_single, G.n_coordinates, G.row, G.entry = p.n_single, p.n_coordinates, p.entry3, p.entry
    G.n, G.n_blocks = cones, blocks - cones
    G.n_discs, G.alone, G.proximal = 0, True, False
    for i in range(G.n):
        make_contact(G, p, G.contact + i, order[i] if order != NULL else i)
        G.proximal |= G.contact[i].block.rho > 0.0
    factors = 0
    for i in range(G.n_blocks):
        lines += make_block(G, p, G.block + i, order[G.n + i] if order != NULL else G.n + i, lines, factors)
        factors += 36 if G.block[i].law == BILATERAL else 0
        G.n_discs += G.block[i].law == DISC
    G.n_lines = lines
    chain_blocks(G)
    return 0


cdef int prepare(Operator* G, const ContactProblem* p) except -1 nogil:
    """Check the problem and read it as it stands."""
    G.n = G.n_blocks = G.n_discs = G.n_lines = 0       # nothing to read until all is made
    check_problem(p)
    make_operator(G, p, NULL, p.n_cones, p.n)
    clear_velocities(G)
    return 0


cdef void clear_velocities(Operator* G) noexcept nogil:
    """Back to the free velocities, no impulse, of all that these blocks move."""
    cdef const Line* k
    cdef int i, j
    if G.alone:
        if G.n_single > 0:
            memset(G.body, 0, G.n_single * sizeof(BodyVelocity))
        if G.n_coordinates > 0:
            memset(G.z, 0, G.n_coordinates * sizeof(double))
        return
    for i in range(G.n):
        clear_body(G, G.contact[i].a.body)
        clear_body(G, G.contact[i].b.body)
        for j in range(G.contact[i].row, G.contact[i].row_end):
            G.z[G.row[j].coordinate] = 0.0
    for i in range(G.n_lines):
        k = G.line + i
        while k != NULL:
            clear_body(G, k.a.body)
            clear_body(G, k.b.body)
            k = further_line(k)
        for j in range(G.line[i].entry, G.line[i].entry_end):
            G.z[G.entry[j].coordinate] = 0.0


cdef inline void clear_body(Operator* G, int body) noexcept nogil:
    if body >= 0:
        memset(G.body + body, 0, sizeof(BodyVelocity))


cdef void load_impulses(Operator* G, const double* impulse) noexcept nogil:
    """The velocities that these impulses make, (n_rows,) [N s]."""
    cdef int i
    cdef Vec3 lam
    clear_velocities(G)
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        if lam.x != 0.0 or lam.y != 0.0 or lam.z != 0.0:         # many are open
            add_impulse(G, i, lam)
    for i in range(G.n_lines):
        add_line_impulse(G, i, impulse[3 * G.n + i])
