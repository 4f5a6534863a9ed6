"""What a constraint does to an articulated system: impulses carried to the root, as entries of the problem.

Source of the mathematics: rows by impulse propagation through the articulated-body factors, RBDA section 7.4.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.cone.block cimport determinant, inverse
from rbdyn.contact.problem cimport CONTACT_PROBLEM_VERSION, Block, ContactProblem, Entry, Entry3, RowSide
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Sym3, Vec3, add3, cross3, dot3, force, power, scale3, scale_f, smul3, sub3, sub_f, sym3, vec3,
    zero_f,
)
from rbdyn.stepping.columns cimport find_roots, greatest_power, is_rounding, roots_length, tells_velocities
from rbdyn.stepping.loops.closed_rows cimport close_last_cone, close_last_row
from rbdyn.stepping.loops.elimination cimport prepare_at_start
from rbdyn.stepping.loops.rows cimport loop_row
from rbdyn.stepping.pair_history cimport release_history
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, SingleScratch, System
from rbdyn.stepping.written cimport Taken


cdef double NARROW = 1e-6      # determinant of G_ii, of the cube of its mean diagonal, below which impulses wedge
cdef double IMMOBILE = 1e-16   # of a row's mobility, if that is all that its joints leave of those of its sides
cdef double WEDGE = 1e-7       # compliance of such a cone, of that mean


cdef void builder_free(Builder* b) noexcept:
    """Give all memory back."""
    for p in (<size_t> b.block, <size_t> b.v_free, <size_t> b.target, <size_t> b.position_target, <size_t> b.depth,
              <size_t> b.v_start, <size_t> b.bend, <size_t> b.impulse, <size_t> b.frame, <size_t> b.single_a,
              <size_t> b.single_b, <size_t> b.arm_a, <size_t> b.arm_b, <size_t> b.entry3_start, <size_t> b.entry3,
              <size_t> b.term_start, <size_t> b.term, <size_t> b.above, <size_t> b.root_start, <size_t> b.root,
              <size_t> b.column, <size_t> b.mobility, <size_t> b.drive, <size_t> b.side, <size_t> b.entry_start,
              <size_t> b.entry, <size_t> b.inverse_mass, <size_t> b.inverse_inertia, <size_t> b.take, <size_t> b.taken):
        free(<void*> <size_t> p)
    release_history(&b.history)
    memset(b, 0, sizeof(Builder))


cdef int make_room(Builder* b, Count total, int singles) except -1 nogil:
    cdef int cones = total.cones, rows = 3 * total.cones + total.rows
    grow(<void**> &b.block, &b.room[0], cones + total.blocks, sizeof(Block))
    grow(<void**> &b.v_free, &b.room[1], rows, sizeof(double))
    grow(<void**> &b.impulse, &b.room[2], rows, sizeof(double))
    grow(<void**> &b.target, &b.room[3], rows, sizeof(double))
    grow(<void**> &b.position_target, &b.room[4], rows, sizeof(double))
    grow(<void**> &b.depth, &b.room[5], rows, sizeof(double))
    grow(<void**> &b.v_start, &b.room[6], rows, sizeof(double))
    grow(<void**> &b.frame, &b.room_cone[0], cones, 9 * sizeof(double))
    grow(<void**> &b.single_a, &b.room_cone[1], cones, sizeof(int))
    grow(<void**> &b.single_b, &b.room_cone[2], cones, sizeof(int))
    grow(<void**> &b.arm_a, &b.room_cone[3], cones, 3 * sizeof(double))
    grow(<void**> &b.arm_b, &b.room_cone[4], cones, 3 * sizeof(double))
    grow(<void**> &b.entry3_start, &b.room_cone[5], cones + 1, sizeof(int))
    grow(<void**> &b.mobility, &b.room_cone[6], cones, 6 * sizeof(double))
    grow(<void**> &b.drive, &b.room_cone[7], cones, 3 * sizeof(double))
    grow(<void**> &b.side, &b.room_row[0], total.rows, 2 * sizeof(RowSide))
    grow(<void**> &b.entry_start, &b.room_row[1], total.rows + 1, sizeof(int))
    grow(<void**> &b.bend, &b.room_row[2], total.rows, sizeof(double))
    grow(<void**> &b.term_start, &b.room_told[0], total.rows + 1, sizeof(int))
    grow(<void**> &b.inverse_mass, &b.room_single[0], singles, sizeof(double))
    grow(<void**> &b.inverse_inertia, &b.room_single[1], singles, 6 * sizeof(double))
    return 0


cdef void write_singles(Builder* b, const Scene* scene) noexcept nogil:
    """Inverse masses and inertias: of static ones, which have none, once."""
    cdef const SingleScratch* s
    cdef double* I
    cdef int i, k
    cdef bint known = not scene.lists_all and b.singles == scene.listed
    for k in range(scene.n_movers if known else scene.n_single):
        i = scene.mover[k] if known else k
        s = scene.single_scratch + i
        I = b.inverse_inertia + 6 * i
        b.inverse_mass[i] = s.inverse_mass
        I[0], I[1], I[2] = s.inverse_I.xx, s.inverse_I.xy, s.inverse_I.xz
        I[3], I[4], I[5] = s.inverse_I.yy, s.inverse_I.yz, s.inverse_I.zz
    b.singles = scene.listed


cdef int begin_problem(Builder* b, const Scene* scene, Count total) except -1 nogil:
    """Empty, with room for what was counted; no system is acted on yet, but each has its coordinates."""
    cdef ContactProblem* p = &b.problem
    cdef int k
    make_room(b, total, scene.n_single)
    write_singles(b, scene)
    b.n_cones = b.n_blocks = b.n_rows = b.n_entries3 = b.n_entries = b.n_terms = 0
    b.told = False
    p.version = CONTACT_PROBLEM_VERSION
    p.n_cones = total.cones
    p.n = total.cones + total.blocks
    p.n_rows = 3 * total.cones + total.rows
    p.dt = scene.dt
    p.n_single = scene.n_single
    p.n_coordinates = 0
    b.scene, b.spare, b.closed_cones, b.closed_rows, b.n_takes, b.n_taken = scene, 0, 0, 0, 0, 0
    b.bends = b.driven = False
    b.n_further = 0
    for k in range(total.rows):
        b.side[2 * k].further = 0
    for k in range(scene.n_system):
        scene.system[k].work.active = scene.system[k].work.loops.eliminated and not scene.system[k].work.loops.middle
        if scene.system[k].work.loops.eliminated:
            b.spare += scene.system[k].m.nv
        scene.system[k].work.coordinate = p.n_coordinates
        p.n_coordinates += scene.system[k].m.nv
    if p.n_rows > 0:                                       # else there may be no array yet
        memset(b.impulse, 0, p.n_rows * sizeof(double))
    return 0


cdef int write_roots(Builder* b) except -1 nogil:
    """Write how normalised coordinates follow from velocities; those of closed mechanisms count as velocities."""
    cdef ContactProblem* p = &b.problem
    cdef System* s
    cdef int k, c, at = 0
    cdef size_t length = 0, widest = 0
    for k in range(b.scene.n_system):
        s = b.scene.system + k
        length += roots_length(s) if tells_velocities(s) else s.m.nv
        widest = max(widest, <size_t> s.m.nv)
    grow(<void**> &b.above, &b.room_told[2], p.n_coordinates, sizeof(int))
    grow(<void**> &b.root_start, &b.room_told[3], p.n_coordinates, sizeof(int))
    grow(<void**> &b.root, &b.room_told[4], length, sizeof(double))
    grow(<void**> &b.column, &b.room_told[5], widest, sizeof(Motion))
    for k in range(b.scene.n_system):
        s = b.scene.system + k
        if tells_velocities(s):
            at += find_roots(s, b.column, at, b.above, b.root_start, b.root + at)
            continue
        for c in range(s.work.coordinate, s.work.coordinate + s.m.nv):
            b.above[c], b.root_start[c], b.root[at] = -1, at, 1.0
            at += 1
    p.above, p.root_start, p.root = b.above, b.root_start, b.root
    p.term_start, p.term = b.term_start, b.term
    return 0


cdef int end_problem(Builder* b) except -1 nogil:
    """Every block is written: the problem is whole."""
    cdef ContactProblem* p = &b.problem
    close_cone(b)
    close_row(b)
    b.entry3_start[b.n_cones] = b.n_entries3
    b.entry_start[b.n_rows], b.term_start[b.n_rows] = b.n_entries, b.n_terms
    p.above = NULL
    if b.n_terms > 0:
        write_roots(b)
    p.block, p.v_free, p.impulse, p.frame = b.block, b.v_free, b.impulse, b.frame
    p.target, p.position_target, p.depth, p.v_start = b.target, b.position_target, b.depth, b.v_start
    p.bend = b.bend if b.bends else NULL
    p.drive = b.drive if b.driven else NULL
    p.single_a, p.single_b, p.arm_a, p.arm_b = b.single_a, b.single_b, b.arm_a, b.arm_b
    p.entry3_start, p.entry3, p.mobility = b.entry3_start, b.entry3, b.mobility
    p.side, p.entry_start, p.entry = b.side, b.entry_start, b.entry
    p.n_further = b.n_further
    p.inverse_mass, p.inverse_inertia = b.inverse_mass, b.inverse_inertia
    return 0


cdef void prepare_system(System* s) noexcept nogil:
    s.work.active = True
    prepare_at_start(s)


cdef int reserve_entries(Builder* b, int width, int n) except -1 nogil:
    """Room for n more entries of the present block, and for what closing it may need."""
    if width == 3:
        grow(<void**> &b.entry3, &b.room_entry3, b.n_entries3 + n + b.spare, sizeof(Entry3))
    else:
        grow(<void**> &b.entry, &b.room_entry, b.n_entries + n + b.spare, sizeof(Entry))
    if b.spare > 0:
        grow(<void**> &b.take, &b.room_taken[0], b.n_takes + width * b.scene.n_system, sizeof(Taken))
        grow(<void**> &b.taken, &b.room_taken[1], b.n_taken + width * <size_t> b.spare, sizeof(double))
    return 0


cdef void drop_immobile(Builder* b) noexcept nogil:
    """The row begun last asks nothing, if its joints keep what it asks: the distance of two points of one link.

    What is left of its mobility is rounding then, and would take, or give, any impulse.
    """
    cdef int k, r = b.n_rows - 1, row = 3 * b.problem.n_cones + r
    cdef double left = 0.0
    for k in range(b.entry_start[r], b.n_entries):
        left += b.entry[k].y * b.entry[k].y
    if left > IMMOBILE * b.apart and not is_rounding(left, b.greatest):
        return
    if b.side[2 * r].body >= 0 or b.side[2 * r + 1].body >= 0:
        return
    b.n_entries, b.n_terms = b.entry_start[r], b.term_start[r]
    b.v_start[row] = b.v_free[row] = b.target[row] = b.bend[r] = 0.0
    b.position_target[row] = -INFINITY


cdef void close_row(Builder* b) noexcept nogil:
    """The row begun last is complete: systems with loops answer to it as closed mechanisms."""
    if b.merged or b.greatest > 0.0:
        drop_immobile(b)
    if not b.told and b.n_rows > 0:
        b.n_terms = b.term_start[b.n_rows - 1]
    b.merged, b.apart, b.greatest = False, 0.0, 0.0
    if b.spare > 0 and b.closed_rows < b.n_rows:
        b.closed_rows = b.n_rows
        close_last_row(b)


cdef void close_cone(Builder* b) noexcept nogil:
    """The cone begun last is complete, likewise."""
    if b.spare > 0 and b.closed_cones < b.n_cones:
        b.closed_cones = b.n_cones
        close_last_cone(b)


cdef inline Sym3 sum_mobility(Builder* b, int i) noexcept nogil:
    """G_ii of the entries of the cone begun last [1/kg], which the problem keeps."""
    cdef double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0
    cdef const Entry3* e = b.entry3 + b.entry3_start[i]
    cdef const Entry3* end = b.entry3 + b.n_entries3
    cdef double* kept = b.mobility + 6 * i
    while e < end:
        xx, xy, xz = xx + e.x * e.x, xy + e.x * e.y, xz + e.x * e.n
        yy, yz, zz = yy + e.y * e.y, yz + e.y * e.n, zz + e.n * e.n
        e += 1
    kept[0], kept[1], kept[2], kept[3], kept[4], kept[5] = xx, xy, xz, yy, yz, zz
    return sym3(xx, xy, xz, yy, yz, zz)


cdef inline void soften_wedge(Block* block, Sym3 G) noexcept nogil:
    """A cone that hardly moves in some direction gives way there by a ten-millionth of its mobility.

    With friction such a direction may lie within the cone: then a chain whose joints hardly move the contact along it,
    at s for a joint speed of 1, is stopped by an impulse of the order of 1 / s.
    """
    cdef double mean = (G.xx + G.yy + G.zz) / 3.0
    if determinant(G) <= NARROW * mean * mean * mean:
        block.compliance = WEDGE * mean


cdef double energy_of(Sym3 G, Vec3 v) noexcept nogil:
    """Twice the energy [J] that it takes to change the velocity of a cone by v, along its axes: v . G^-1 v."""
    cdef double det = determinant(G)
    return dot3(v, smul3(inverse(G, det), v)) if det > 0.0 else INFINITY


cdef void lower_bend(Builder* b, Sym3 G, double mass, Vec3 bend) noexcept nogil:
    """Take a bend back as far as it is dear for the cone begun last.

    That of a point on a link near a singularity may lie where the link hardly moves; to follow it takes any energy.
    Where it takes x times as much as to move all the mass so, x > 1, the share 1 / x of it is left, and of that energy.
    """
    cdef int n = 3 * (b.n_cones - 1), i
    cdef double cheap = mass * dot3(bend, bend), dear, flexible
    cdef double[3] d
    if b.block[b.n_cones - 1].a == 0.0:                # no friction: only the normal is followed
        bend.x = bend.y = 0.0
        cheap = mass * bend.z * bend.z
        dear = bend.z * bend.z / G.zz if G.zz > 0.0 else INFINITY
    else:
        flexible = WEDGE / 3.0 * (G.xx + G.yy + G.zz)      # as soften_wedge lets it: else planar chains follow nothing
        dear = energy_of(sym3(G.xx + flexible, G.xy, G.xz, G.yy + flexible, G.yz, G.zz + flexible), bend)
    if dear <= cheap:
        return
    bend = scale3(1.0 - cheap / dear, bend)
    d[0], d[1], d[2] = bend.x, bend.y, bend.z
    for i in range(3):
        b.v_free[n + i] -= d[i]
        b.v_start[n + i] += d[i]


cdef void end_cone(Builder* b, double mass, double mobility, Vec3 bend) noexcept nogil:
    """What follows from the mobility of the cone begun last, which acts on systems of this mass [kg].

    Beside 1 / mass a mobility below 1e-20 is a rounding error of its entries, which would take any impulse: they go.
    Otherwise the speed T > 0 at which poses part is lowered to what is not too dear.  With the normal mobility g to
    reach T takes the energy T^2 / (2 g): near the axes of joints, or where an arm is straight, g is small, and joints
    would turn at any speed for a millimetre.  T is lowered until it takes no more than to move all the mass at that
    speed; and so is the bend of its velocity (trails.pxd), along its axes.  A bounce is not: it gives back at most what
    came.  `mobility` is that of single bodies [1/kg].
    """
    cdef int i = b.n_cones - 1, n = 3 * i + 2
    cdef Sym3 G
    close_cone(b)
    G = sum_mobility(b, i)
    G.xx, G.yy, G.zz = G.xx + mobility, G.yy + mobility, G.zz + mobility   # single bodies: the same along all axes
    mobility = G.zz
    if (G.xx + G.yy + G.zz) * mass < 1e-20:
        b.n_entries3 = b.entry3_start[i]
    soften_wedge(b.block + i, G)
    if dot3(bend, bend) > 0.0:
        lower_bend(b, G, mass, bend)
    if mobility * mass >= 1.0:
        return
    if b.position_target[n] > 0.0:
        b.position_target[n] *= sqrt(mobility * mass)


cdef void merge_entries3(Builder* b, int first, int start) noexcept nogil:
    """Add the entries of the present cone from `start` on to those of the same coordinates from `first` on."""
    cdef Entry3* e
    cdef Entry3* at
    cdef int k, m, n = start
    for k in range(start, b.n_entries3):
        e = b.entry3 + k
        for m in range(first, start):
            at = b.entry3 + m
            if at.coordinate == e.coordinate:
                at.x, at.y, at.n = at.x + e.x, at.y + e.y, at.n + e.n
                break
        else:
            b.entry3[n] = e[0]
            n += 1
    b.n_entries3 = n


cdef void merge_entries(Builder* b, int first, int start) noexcept nogil:
    """Likewise, of the present row."""
    cdef int k, m, n = start
    for k in range(start, b.n_entries):
        for m in range(first, start):
            if b.entry[m].coordinate == b.entry[k].coordinate:
                b.entry[m].y += b.entry[k].y
                b.merged = True
                break
        else:
            b.entry[n] = b.entry[k]
            n += 1
    b.n_entries = n


cdef void join_side(Builder* b, int first, int start) noexcept nogil:
    """The entries of the present row from `start` on are those of one more side, beside those from `first` on."""
    cdef int k
    for k in range(first if b.apart == 0.0 else start, b.n_entries):
        b.apart += b.entry[k].y * b.entry[k].y
    merge_entries(b, first, start)


cdef inline void end_side(Builder* b, int start) noexcept nogil:
    """The entries of the present row from `start` on are those of a side, the only one in most rows."""
    cdef int first = b.entry_start[b.n_rows - 1]
    if start > first:
        join_side(b, first, start)


cdef inline int propagate(const System* s, int i, Force P, double sign, Entry* out) noexcept nogil:
    """Entries of a row for the impulse P on body i, world axes about the system's origin; returns how many.

    y_k = S_k . P and P <- P - U_k y_k, joint by joint, to the root.  All y of a joint are of the same P.
    """
    cdef Force Q
    cdef double y
    cdef int k, end, parent, n = 0, before = s.work.coordinate
    while i > 0:
        Q, k, parent = P, s.m.vi[i], s.m.parent[i]
        end = k + s.m.nvi[i]
        while k < end:
            y = power(s.work.S[k], Q)
            if parent:
                P = sub_f(P, scale_f(y, s.work.U[k]))
            out[n] = Entry(coordinate=before + k, y=sign * y)
            k, n = k + 1, n + 1
        i = parent
    return n


cdef inline int propagate3(const System* s, int i, Force* P, double sign, Entry3* out) noexcept nogil:
    """Entries of a cone, likewise, for three impulses; the last joint passes nothing on."""
    cdef Force whole[3]
    cdef const Force* Q
    cdef double y[3]
    cdef int k, end, parent, c, n = 0, before = s.work.coordinate
    while i > 0:
        Q, k, parent = P, s.m.vi[i], s.m.parent[i]
        end = k + s.m.nvi[i]
        if end > k + 1 and parent:
            for c in range(3):
                whole[c] = P[c]
            Q = whole
        while k < end:
            for c in range(3):
                y[c] = power(s.work.S[k], Q[c])
                if parent:
                    P[c] = sub_f(P[c], scale_f(y[c], s.work.U[k]))
            out[n] = Entry3(coordinate=before + k, x=sign * y[0], y=sign * y[1], n=sign * y[2])
            k, n = k + 1, n + 1
        i = parent
    return n


cdef int add_system_point(Builder* b, System* s, int body, Vec3 at, const Mat3* E, double sign) except -1 nogil:
    """The cone begun last acts on a body of a system: unit impulses along the rows of E at the point `at` (world)."""
    cdef Force P[3]
    cdef int start = b.n_entries3
    cdef Vec3 arm
    use_system(s)
    arm = sub3(at, s.work.origin)
    P[0] = force(cross3(arm, vec3(E.xx, E.xy, E.xz)), vec3(E.xx, E.xy, E.xz))
    P[1] = force(cross3(arm, vec3(E.yx, E.yy, E.yz)), vec3(E.yx, E.yy, E.yz))
    P[2] = force(cross3(arm, vec3(E.zx, E.zy, E.zz)), vec3(E.zx, E.zy, E.zz))
    reserve_entries(b, 3, s.m.nv)
    b.n_entries3 += propagate3(s, body, P, sign, b.entry3 + start)
    if start > b.entry3_start[b.n_cones - 1]:
        merge_entries3(b, b.entry3_start[b.n_cones - 1], start)
    return 0


cdef int add_coordinate(Builder* b, System* s, int dof, double sign) except -1 nogil:
    """The row begun last acts on a degree of freedom: a unit generalised impulse, times `sign`.

    At its own joint y = L^-1 e, with D = L L^T; what reaches the parent is -U y.
    """
    cdef Force P = zero_f()
    cdef Entry* out
    cdef double y[6]
    cdef int start = b.n_entries, count = 0, i, j, k, n, v0
    cdef const double* L
    use_system(s)
    i = body_of(s, dof)
    v0 = s.m.vi[i]
    n = s.m.nvi[i]
    L = s.work.L + 6 * v0
    reserve_entries(b, 1, s.m.nv)
    out = b.entry + start
    for j in range(dof - v0, n):
        y[j] = 1.0 if j == dof - v0 else 0.0
        for k in range(dof - v0, j):
            y[j] -= L[6 * j + k] * y[k]
        # of a joint with one degree of freedom the factors hold D itself
        y[j] /= sqrt(L[0]) if n == 1 else L[6 * j + j]
        out[count] = Entry(coordinate=s.work.coordinate + v0 + j, y=sign * y[j])
        count += 1
        P = sub_f(P, scale_f(y[j], s.work.U[v0 + j]))
    b.n_entries += count + propagate(s, s.m.parent[i], P, sign, out + count)
    end_side(b, start)
    grow(<void**> &b.term, &b.room_told[1], b.n_terms + 1, sizeof(Entry))
    b.term[b.n_terms] = Entry(coordinate=s.work.coordinate + dof, y=sign)
    b.n_terms += 1
    b.told = b.told and tells_velocities(s)
    return 0


cdef int add_dense_row(Builder* b, System* s, const double* y, double sign) except -1 nogil:
    """The row begun last has these entries (nv,), times `sign`, in a system."""
    cdef int start = b.n_entries, i
    b.told = False
    reserve_entries(b, 1, s.m.nv)
    for i in range(s.m.nv):
        if y[i] != 0.0:
            b.entry[b.n_entries] = Entry(coordinate=s.work.coordinate + i, y=sign * y[i])
            b.n_entries += 1
    end_side(b, start)
    return 0


cdef int add_load(Builder* b, System* s, int body, Force P, double sign) except -1 nogil:
    """The row begun last acts on a body of a system: its unit impulse is P, about the system's origin, times `sign`.

    What its joints keep already, as the axis of a hinge on the world, is left by rounding alone.
    """
    cdef int start = b.n_entries, i = body, k
    b.told = False
    use_system(s)
    reserve_entries(b, 1, s.m.nv)
    b.n_entries += propagate(s, body, P, sign, b.entry + start)
    while i > 0:
        for k in range(s.m.vi[i], s.m.vi[i] + s.m.nvi[i]):
            b.greatest += greatest_power(s.work.S[k], P)
        i = s.m.parent[i]
    end_side(b, start)
    return 0


cdef int add_loop_direction(Builder* b, System* s, int loop, int k, double sign) except -1 nogil:
    """The row begun last acts along direction k of six of a loop joint: a unit impulse on its successor, times `sign`.

    The opposite acts on its predecessor.
    """
    use_system(s)
    memset(s.work.loops.y, 0, s.m.nv * sizeof(double))
    loop_row(s, s.d, s.m.loops + loop, k, s.work.loops.y)
    return add_dense_row(b, s, s.work.loops.y, sign)


cdef int add_system_axis(Builder* b, System* s, int body, Vec3 axis, double sign) except -1 nogil:
    """The row begun last acts on a body of a system: a unit moment about an axis (world)."""
    return add_load(b, s, body, force(axis, vec3(0.0, 0.0, 0.0)), sign)


cdef RowSide* side_of(Builder* b, int body) except NULL nogil:
    """The side of the row begun last that is, or can be, of a single body; a further one if all are of others."""
    cdef int lines = b.problem.n_rows - 3 * b.problem.n_cones, pair = b.n_rows - 1, k, last
    cdef RowSide* side
    while True:
        side = b.side + 2 * pair
        for k in range(2):
            if side[k].body == body or side[k].body < 0:
                return side + k
        if side.further == 0:
            break
        pair = side.further
    last, pair = pair, lines + b.n_further
    grow(<void**> &b.side, &b.room_row[0], pair + 1, 2 * sizeof(RowSide))
    b.n_further += 1
    b.side[2 * last].further = pair
    side = b.side + 2 * pair
    side[0].body = side[1].body = -1
    side[0].further = side[1].further = 0
    return side


cdef int add_push(Builder* b, const Scene* s, const BodyHandle* body, Vec3 at, Vec3 push,
                  Vec3 moment) except -1 nogil:
    """The row begun last acts on a body: its unit impulse is `push` at the point `at`, and `moment` (world).

    Its velocity is that of the point along `push`, and the angular one along `moment` [m or 1].  What is given of one
    body adds up.
    """
    cdef RowSide* side
    cdef System* r
    if body.kind == SYSTEM_BODY:
        r = s.system + body.index
        use_system(r)                                  # before its origin is read
        return add_load(b, r, body.body, force(add3(cross3(sub3(at, r.work.origin), push), moment), push), 1.0)
    if body.kind != SINGLE_BODY or not s.single_scratch[body.index].inverse_mass > 0.0:
        return 0
    side = side_of(b, body.index)
    moment = add3(cross3(sub3(at, s.single_state[body.index].p), push), moment)
    if side.body < 0:
        side.body = body.index
        write3(side.linear, push)
        write3(side.angular, moment)
    else:
        side.linear[0] += push.x
        side.linear[1] += push.y
        side.linear[2] += push.z
        side.angular[0] += moment.x
        side.angular[1] += moment.y
        side.angular[2] += moment.z
    return 0


cdef inline int body_of(const System* s, int dof) noexcept nogil:
    """The body on whose joint the degree of freedom is; joints are in the order of v."""
    cdef int low = 1, high = s.m.nb - 1, middle
    while low < high:
        middle = (low + high + 1) >> 1
        if s.m.vi[middle] <= dof:
            low = middle
        else:
            high = middle - 1
    return low
