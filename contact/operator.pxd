# G lam without G: velocities of single bodies and normalised coordinates carry every contact's effect on every other.
#
# A visit reads v_i with `contact_velocity` and writes an impulse change with `add_impulse`; both cost the same for any
# number of contacts.  `prepare` (operator.pyx) fills the per-step constants from a ContactProblem.

from rbdyn.contact.cone.block cimport Cone
from rbdyn.contact.problem cimport Block, ContactProblem, Entry, Entry3
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, dot3, mul3, scale3, sub3, tmul3, vec3

cdef struct Side:            # one single body at a contact
    int body                 # index, or -1: static, or moved by rows
    double inverse_mass      # [1/kg]
    Mat3 L                   # rows arm x t1, arm x t2, arm x n [m]: L dw is the contact velocity that dw makes
    Mat3 H                   # I^-1 L^T [1/(kg m)]: H lam is the dw that an impulse makes

cdef struct Contact:         # constants of one contact for one step
    Mat3 R                   # rows t1, t2, n, world axes
    Vec3 v_free              # [m/s], contact axes, less what is asked for of its target
    int index                # of its block in the problem
    Side a, b
    int row, row_end         # its entries are Operator.row[row:row_end]
    Cone block              # G_ii
    int mode                 # Mode (local.pxd) of the latest visit

cdef struct Mover:           # a single body at a row that is no cone's
    int body                 # index, or -1
    int further              # of Line.a: so many lines behind this one are two more bodies of its row; 0: none
    Vec3 v, w                # directions: the row's velocity is v . dv + w . dw
    Vec3 dv, dw              # what a unit impulse makes

cdef struct Line:            # constants of one such row for one step
    double v_free            # [m/s]
    Mover a, b
    int entry, entry_end     # its entries are Operator.entry[entry:entry_end]
    double G                 # G_rr + compliance [1/kg]
    double compliance        # [1/kg]

cdef struct Disc:            # the principal axes of a disc's G_bb + compliance 1
    double x, y              # the first one, unit length, along the rows
    double first, second     # mobilities along it and across [1/(kg m^2)]
    double arm               # [m] at which a rotation makes the speed that the cone's mobility gives for the same work

cdef struct LineBlock:       # a block of such rows
    int law                  # Law
    int row                  # its first row in the problem
    int first                # its rows are Operator.line[first:first + rows]
    int rows
    double low, high         # box: bounds [N s]; disc: low is its a [m]
    int partner              # disc: index of its cone in Operator.contact, or -1
    int back                 # so many blocks before it is another one on the same body, 0: none (laws/dependence.pxd)
    Disc disc
    double compliance        # [1/kg]
    bint hard                # unilateral or bilateral, and none was asked for
    int factor               # bilateral: L D L^T = G_bb + compliance 1 from Operator.factor[factor] on, 36 numbers

cdef struct BodyVelocity:    # change since the free velocity, world axes
    Vec3 v                   # of the centre of mass [m/s]
    Vec3 w                   # [rad/s]

cdef struct Operator:        # of a whole problem, whose arrays it owns and reuses, or of an island, which borrows them
    int n                    # cones
    int n_blocks             # other blocks
    int n_discs              # the last of them: discs
    int n_lines              # their rows
    int n_single, n_coordinates
    bint alone               # no other operator moves `body` and `z`
    bint proximal            # a cone is regularised: one visit does not meet its law
    const Entry3* row        # the problem's entries of cones
    const Entry* entry       # the problem's entries of other rows
    LineBlock* block         # (n_blocks,)
    Line* line               # (n_lines,), and behind those of the whole problem, with their bodies alone, further ones
    double* factor           # 36 for every bilateral block
    Contact* contact         # (n,)
    BodyVelocity* body       # (n_single,)
    double* z                # (n_coordinates,) normalised velocity changes [kg^1/2 m/s]
    double* z_begun          # (n_coordinates,) of islands: what the impulses make that they began with (lasting.pxd)
    int* latest              # (n_single,) of make_operator: the block that was made last on each body
    size_t contact_capacity, body_capacity, z_capacity, block_capacity, line_capacity, factor_capacity
    size_t latest_capacity
    size_t reallocations           # how often memory was asked for


cdef int check_sizes(const ContactProblem* p) except -1 nogil
cdef int check_problem(const ContactProblem* p) except -1 nogil
cdef int make_operator(Operator* G, const ContactProblem* p, const int* order, int cones, int blocks) except -1 nogil
cdef int prepare(Operator* G, const ContactProblem* p) except -1 nogil
cdef void set_free_velocity(Contact* k, const ContactProblem* p) noexcept nogil
cdef void clear_velocities(Operator* G) noexcept nogil
cdef void load_impulses(Operator* G, const double* impulse) noexcept nogil
cdef void release(Operator* G) noexcept nogil


cdef inline Vec3 impulse_at(const double* impulse, int i) noexcept nogil:
    return vec3(impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2])


cdef inline void set_impulse(double* impulse, int i, Vec3 lam) noexcept nogil:
    impulse[3 * i] = lam.x
    impulse[3 * i + 1] = lam.y
    impulse[3 * i + 2] = lam.z


cdef inline Vec3 contact_velocity(const Operator* G, int i) noexcept nogil:
    """v_i [m/s], contact axes: the sum in problem.pxd;"""
    cdef const Contact* k = &G.contact[i]
    cdef Vec3 v = k.v_free, dv
    cdef const Entry3* y
    cdef double z
    cdef int j
    if k.a.body >= 0:
        dv = G.body[k.a.body].v
        v = add3(v, mul3(k.a.L, G.body[k.a.body].w))
        if k.b.body >= 0:
            dv = sub3(dv, G.body[k.b.body].v)
            v = sub3(v, mul3(k.b.L, G.body[k.b.body].w))
        v = add3(v, mul3(k.R, dv))
    elif k.b.body >= 0:                                # to the bit what a body A that stands still would give
        v = sub3(v, mul3(k.b.L, G.body[k.b.body].w))
        v = sub3(v, mul3(k.R, G.body[k.b.body].v))
    for j in range(k.row, k.row_end):
        y = &G.row[j]
        z = G.z[y.coordinate]
        v = vec3(v.x + y.x * z, v.y + y.y * z, v.z + y.n * z)
    return v


cdef inline void push_body(Operator* G, const Side* side, Vec3 f, Vec3 lam, double sign) noexcept nogil:
    """Add the impulse lam (f in world axes) to one body's velocity."""
    cdef BodyVelocity* body = &G.body[side.body]
    body.v = add3(body.v, scale3(sign * side.inverse_mass, f))
    body.w = add3(body.w, scale3(sign, mul3(side.H, lam)))


cdef inline void add_impulse(Operator* G, int i, Vec3 lam) noexcept nogil:
    """Everything that an impulse lam [N s] at contact i moves."""
    cdef const Contact* k = &G.contact[i]
    cdef const Entry3* y
    cdef Vec3 f
    cdef int j
    if k.a.body >= 0 or k.b.body >= 0:
        f = tmul3(k.R, lam)
        if k.a.body >= 0:
            push_body(G, &k.a, f, lam, 1.0)
        if k.b.body >= 0:
            push_body(G, &k.b, f, lam, -1.0)
    for j in range(k.row, k.row_end):
        y = &G.row[j]
        G.z[y.coordinate] += y.x * lam.x + y.y * lam.y + y.n * lam.z


cdef inline const Line* further_line(const Line* k) noexcept nogil:
    """Two more bodies of the same row; NULL: there are no more."""
    return k + k.a.further if k.a.further > 0 else NULL


cdef double further_velocity(const Operator* G, const Line* k) noexcept nogil
cdef void push_further(Operator* G, const Line* k, double lam) noexcept nogil
cdef double further_coupling(const Line* k, const Line* l) noexcept nogil


cdef inline double line_velocity(const Operator* G, int r) noexcept nogil:
    """v_r [m/s] of a row that is no cone's: the sum in problem.pxd."""
    cdef const Line* k = &G.line[r]
    cdef double v = k.v_free
    cdef int j
    if k.a.further > 0:
        v += further_velocity(G, k)
    if k.a.body >= 0:
        v += dot3(k.a.v, G.body[k.a.body].v) + dot3(k.a.w, G.body[k.a.body].w)
    if k.b.body >= 0:
        v += dot3(k.b.v, G.body[k.b.body].v) + dot3(k.b.w, G.body[k.b.body].w)
    for j in range(k.entry, k.entry_end):
        v += G.entry[j].y * G.z[G.entry[j].coordinate]
    return v


cdef inline void push_mover(Operator* G, const Mover* m, double lam) noexcept nogil:
    cdef BodyVelocity* body = &G.body[m.body]
    body.v = add3(body.v, scale3(lam, m.dv))
    body.w = add3(body.w, scale3(lam, m.dw))


cdef inline void add_line_impulse(Operator* G, int r, double lam) noexcept nogil:
    """Everything that an impulse lam [N s] along row r moves."""
    cdef const Line* k = &G.line[r]
    cdef int j
    if k.a.body >= 0:
        push_mover(G, &k.a, lam)
    if k.b.body >= 0:
        push_mover(G, &k.b, lam)
    if k.a.further > 0:
        push_further(G, k, lam)
    for j in range(k.entry, k.entry_end):
        G.z[G.entry[j].coordinate] += G.entry[j].y * lam


cdef inline double coupling(const Operator* G, int r, int s) noexcept nogil:
    """G_rs [1/kg], without compliance."""
    cdef const Line* k = &G.line[r]
    cdef const Line* l = &G.line[s]
    cdef double g = further_coupling(k, l) if k.a.further > 0 or l.a.further > 0 else 0.0
    cdef int i, j
    if k.a.body >= 0:
        if k.a.body == l.a.body:
            g += dot3(k.a.v, l.a.dv) + dot3(k.a.w, l.a.dw)
        if k.a.body == l.b.body:
            g += dot3(k.a.v, l.b.dv) + dot3(k.a.w, l.b.dw)
    if k.b.body >= 0:
        if k.b.body == l.a.body:
            g += dot3(k.b.v, l.a.dv) + dot3(k.b.w, l.a.dw)
        if k.b.body == l.b.body:
            g += dot3(k.b.v, l.b.dv) + dot3(k.b.w, l.b.dw)
    for i in range(k.entry, k.entry_end):
        for j in range(l.entry, l.entry_end):
            if G.entry[i].coordinate == G.entry[j].coordinate:
                g += G.entry[i].y * G.entry[j].y
    return g
