"""Broad phase: sort and sweep, half-spaces apart, and a tree of what is fixed.  RTCD, sections 7.5 and 6.2."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport HALF_SPACE, BodyMotions, ShapeRecord
from rbdyn.collision.bounds cimport half_extent
from rbdyn.collision.broad_phase.filters cimport may_collide
from rbdyn.collision.broad_phase.fixed cimport (
    MOST_MOVES, Fixed, FixedWalk, are_as_seen, begin_fixed, build_fixed, lay_out_fixed, next_fixed, overlaps,
)
from rbdyn.collision.broad_phase.sorting cimport MANY_PAIRS, heap_sort, insertion_sort, sort_pairs
from rbdyn.collision.motion.path cimport Path, is_still, no_path, path_of, rest_way
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.memory cimport close_arena, grow, open_arena, place
from rbdyn.spatial._algebra cimport Motion, add3, dot3, mul3, scale3, sub3, tmul3, vec3

from rbdyn.errors import CollisionError


cdef void broad_free(Broad* broad) noexcept nogil:
    close_arena(&broad.memory)
    free(broad.pair)
    free(broad.pair_scratch)
    memset(broad, 0, sizeof(Broad))


# ---- after a change of shapes or filters -------------------------------------------------

cdef bint has_partner(const Table* table, int i, const int* dynamic, int n_dynamic) noexcept nogil:
    """May the shape in slot i collide with anything but a half-space?"""
    cdef int j
    if not table.shape[i].dynamic:
        for j in range(n_dynamic):
            if may_collide(table, i, dynamic[j]):
                return True
        return False
    for j in range(table.n):
        if table.shape[j].kind != HALF_SPACE and may_collide(table, i, j):
            return True
    return False


cdef bint is_aloof(const Table* table, int i, const int* dynamic, int n_dynamic) noexcept nogil:
    """Whether a dynamic shape is known to collide with no other dynamic one."""
    cdef int j
    if not table.shape[i].dynamic or n_dynamic > FEW:
        return False
    for j in range(n_dynamic):
        if may_collide(table, i, dynamic[j]):
            return False
    return True


cdef void lay_out(Broad* broad, int n) noexcept nogil:
    """The lists of n slots."""
    cdef Arena* memory = &broad.memory
    cdef Columns* c = &broad.column
    broad.half = <int*> place(memory, n, sizeof(int))
    broad.sphere = <BoundingSphere*> place(memory, n, sizeof(BoundingSphere))
    broad.group = <BodySpheres*> place(memory, n, sizeof(BodySpheres))
    broad.bounds = <Entry*> place(memory, n, sizeof(Entry))
    broad.place = <int*> place(memory, n, sizeof(int))
    broad.entry = <Entry*> place(memory, n, sizeof(Entry))
    c.lo0 = <float*> place(memory, n + BLOCK, sizeof(float))
    c.lo1 = <float*> place(memory, n + BLOCK, sizeof(float))
    c.hi1 = <float*> place(memory, n + BLOCK, sizeof(float))
    c.lo2 = <float*> place(memory, n + BLOCK, sizeof(float))
    c.hi2 = <float*> place(memory, n + BLOCK, sizeof(float))
    broad.partner = <bint*> place(memory, n, sizeof(bint))
    broad.aloof = <bint*> place(memory, n, sizeof(bint))
    broad.alone = <bint*> place(memory, n, sizeof(bint))
    lay_out_fixed(&broad.fixed, memory, n)
    broad.posed = <bint*> place(memory, n, sizeof(bint))
    broad.world_pose = <Pose*> place(memory, n, sizeof(Pose))
    broad.travel = <double*> place(memory, n, sizeof(double))
    broad.path = <Path*> place(memory, n, sizeof(Path))
    broad.count = <int*> place(memory, n + 1, sizeof(int))


cdef int make_room(Broad* broad, int n) except -1 nogil:
    """Lists of n slots, empty."""
    broad.capacity = broad.n_half = broad.n_sphere = broad.n_group = broad.n_entry = 0
    close_arena(&broad.memory)
    lay_out(broad, n)
    open_arena(&broad.memory)
    lay_out(broad, n)
    broad.capacity = n
    return 0


cdef void add_sphere(Broad* broad, const ShapeRecord* s, int slot) noexcept nogil:
    """The bounding sphere of a shape, in the group of its body."""
    cdef BoundingSphere* sphere = &broad.sphere[broad.n_sphere]
    cdef BodySpheres* group
    sphere.center, sphere.radius, sphere.far = s.center_body, s.bounds.radius, s.far
    sphere.body, sphere.slot = s.body, slot
    if broad.n_sphere == 0 or broad.sphere[broad.n_sphere - 1].body != s.body:
        broad.group[broad.n_group] = BodySpheres(body=s.body, first=broad.n_sphere, end=0, far=0.0, reach=0.0,
                                                 travel=0.0, low=s.center_body, high=s.center_body, alone=False)
        broad.n_group += 1
    broad.n_sphere += 1
    group = &broad.group[broad.n_group - 1]
    group.end = broad.n_sphere
    group.far = max(group.far, s.far)
    group.reach = max(group.reach, sqrt(dot3(s.center_body, s.center_body)) + s.bounds.radius)
    group.low = vec3(min(group.low.x, s.center_body.x - s.bounds.radius),
                     min(group.low.y, s.center_body.y - s.bounds.radius),
                     min(group.low.z, s.center_body.z - s.bounds.radius))
    group.high = vec3(max(group.high.x, s.center_body.x + s.bounds.radius),
                      max(group.high.y, s.center_body.y + s.bounds.radius),
                      max(group.high.z, s.center_body.z + s.bounds.radius))


cdef void add_spheres(Broad* broad, const Table* table, bint dynamic) noexcept nogil:
    """Those of all shapes that contacts move, or of all others."""
    cdef int i
    for i in range(table.n):
        if table.shape[i].dynamic == dynamic and table.shape[i].kind != HALF_SPACE:
            add_sphere(broad, &table.shape[i], i)


cdef int rebuild(Broad* broad, const Table* table) except -1 nogil:
    """Sort the shapes into half-spaces and bounding spheres; which of them meet anything else."""
    cdef int i, n = table.n, n_dynamic = 0
    cdef const ShapeRecord* s
    if n > broad.capacity:
        make_room(broad, 2 * n if broad.capacity else n)     # most Worlds never get more shapes than they begin with
    broad.n_half = broad.n_sphere = broad.n_group = broad.n_entry = 0
    for i in range(n):
        if table.shape[i].dynamic and table.shape[i].kind != HALF_SPACE:
            broad.place[n_dynamic] = i
            n_dynamic += 1
    for i in range(n):
        s = &table.shape[i]
        broad.partner[i] = broad.aloof[i] = broad.alone[i] = False
        broad.travel[i] = 0.0
        broad.fixed.moves[i] = 0
        if s.kind == HALF_SPACE:
            broad.half[broad.n_half] = i
            broad.n_half += 1
            continue
        broad.partner[i] = has_partner(table, i, broad.place, n_dynamic)
        broad.aloof[i] = is_aloof(table, i, broad.place, n_dynamic)
    add_spheres(broad, table, True)
    broad.n_dynamic = broad.n_group
    add_spheres(broad, table, False)
    broad.revision = table.revision
    return 0


# ---- motions -----------------------------------------------------------------------------

cdef double travel_of(const ShapeRecord* s, BodyMotions motions, double least) noexcept nogil:
    cdef const Motion* m = &motions.of[s.body]
    if is_still(m, s.far, least):
        return 0.0
    return sqrt(dot3(m.v, m.v)) + s.far * sqrt(dot3(m.w, m.w)) + motions.beyond


cdef void find_travels_of(Broad* broad, BodySpheres* group, BodyMotions motions, double least2) noexcept nogil:
    """How far the shapes of a body get in this step; nothing is written of those that rested before and rest."""
    cdef const Motion* m = &motions.of[group.body]
    cdef const BoundingSphere* s
    cdef double v2 = dot3(m.v, m.v), w2 = dot3(m.w, m.w), v, w
    cdef int k
    if v2 + group.far * group.far * w2 <= least2:
        if group.travel > 0.0:
            for k in range(group.first, group.end):
                broad.travel[broad.sphere[k].slot] = 0.0
        group.travel = 0.0
        return
    v, w = sqrt(v2), sqrt(w2)
    for k in range(group.first, group.end):
        s = &broad.sphere[k]
        broad.travel[s.slot] = 0.0 if v2 + s.far * s.far * w2 <= least2 else v + s.far * w + motions.beyond
    group.travel = v + group.far * w + motions.beyond


cdef void find_travels(Broad* broad, const Table* table, BodyMotions motions) noexcept nogil:
    """How far shapes get in this step, those that move at all."""
    cdef double least2 = rest_way(table.margin) * rest_way(table.margin)
    cdef int k
    if motions.of == NULL:
        memset(broad.travel, 0, table.n * sizeof(double))
        for k in range(broad.n_group):
            broad.group[k].travel = 0.0
        return
    for k in range(broad.n_half):
        broad.travel[broad.half[k]] = travel_of(&table.shape[broad.half[k]], motions, rest_way(table.margin))
    for k in range(broad.n_group):
        find_travels_of(broad, &broad.group[k], motions, least2)


cdef inline void place_shape(Broad* broad, const Table* table, int slot, const Pose* body_pose,
                             BodyMotions motions) noexcept nogil:
    """Where it is in the world, and its way in the step."""
    cdef const ShapeRecord* s = &table.shape[slot]
    compose_pose(&body_pose[s.body], s, &broad.world_pose[slot])
    if broad.travel[slot] > 0.0:
        broad.path[slot] = path_of(s, &body_pose[s.body], &motions.of[s.body])
    else:
        broad.path[slot] = no_path()


cdef inline bint is_swept(const Broad* broad, const Table* table, int i) noexcept nogil:
    """Whether it may be anywhere next."""
    return table.shape[i].dynamic or broad.travel[i] > 0.0 or broad.fixed.moves[i] >= MOST_MOVES


cdef void find_alone(Broad* broad, const Table* table) noexcept nogil:
    """Which shapes meet only what is fixed: those that meet nothing dynamic, if all that is not is fixed."""
    cdef int g, i, slot
    cdef BodySpheres* group
    cdef bint all_fixed = True
    for i in range(table.n):
        if broad.partner[i] and not table.shape[i].dynamic and is_swept(broad, table, i):
            all_fixed = False
    for g in range(broad.n_group):
        group = &broad.group[g]
        group.alone = False
        for i in range(group.first, group.end):
            slot = broad.sphere[i].slot
            broad.alone[slot] = all_fixed and broad.partner[slot] and broad.aloof[slot]
            group.alone |= broad.alone[slot]


cdef void arrange(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) noexcept nogil:
    """Which shapes are swept, and which are fixed."""
    cdef int i
    broad.n_entry = broad.fixed.n = 0
    find_alone(broad, table)
    for i in range(table.n):
        broad.posed[i] = broad.partner[i] and not broad.alone[i]
        if not broad.posed[i]:
            continue
        if is_swept(broad, table, i):
            broad.bounds[broad.n_entry].slot = broad.entry[broad.n_entry].slot = i
            broad.place[i] = broad.n_entry
            broad.n_entry += 1
        else:
            place_shape(broad, table, i, body_pose, motions)
            broad.fixed.slot[broad.fixed.n] = i
            broad.fixed.n += 1
    build_fixed(&broad.fixed, table, body_pose, broad.world_pose)
    broad.sorted = False


# ---- candidates --------------------------------------------------------------------------

cdef inline int push_pair(Broad* broad, int i, int j) except -1 nogil:
    if <size_t> broad.n_pair >= broad.pair_room:
        if broad.n_pair >= MAX_PAIRS:
            with gil:
                raise CollisionError(f"more than {broad.n_pair} pairs of shapes may touch: very many shapes overlap.  "
                                     "Check poses and sizes, or keep pairs apart (group, mask, exclude)")
        grow(<void**> &broad.pair, &broad.pair_room, broad.n_pair + 1, sizeof(Pair))
    broad.pair[broad.n_pair].a = min(i, j)
    broad.pair[broad.n_pair].b = max(i, j)
    broad.n_pair += 1
    return 0


cdef inline double least(const BodySpheres* group, Vec3 n) noexcept nogil:
    """The least n . x over the box that holds the spheres of a body [m]; n in body axes, of unit length."""
    return (n.x * (group.low.x if n.x > 0.0 else group.high.x) + n.y * (group.low.y if n.y > 0.0 else group.high.y)
            + n.z * (group.low.z if n.z > 0.0 else group.high.z))


cdef inline bint both_calm(BodyMotions motions, int a, int b) noexcept nogil:
    """Whether of two bodies nobody has to know whether they touch."""
    return motions.calm != NULL and motions.calm[a] and motions.calm[b]


cdef inline bint may_meet(const Table* table, BodyMotions motions, int i, int j) noexcept nogil:
    return may_collide(table, i, j) and not both_calm(motions, table.shape[i].body, table.shape[j].body)


cdef int half_space_pairs(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) except -1 nogil:
    """Bounding spheres that reach below a half-space: n . (R c + p - o) < radius + margin + travels.

    The plane is taken to each body that comes near it, so that a shape costs one dot product.
    """
    cdef int h, k, g, n_group
    cdef Pose X
    cdef Vec3 up, normal
    cdef double height, offset, reach
    cdef const BodySpheres* group
    cdef const BoundingSphere* sphere
    for h in range(broad.n_half):
        n_group = broad.n_group if table.shape[broad.half[h]].dynamic else broad.n_dynamic
        place_shape(broad, table, broad.half[h], body_pose, motions)
        X = broad.world_pose[broad.half[h]]
        up = vec3(X.R.xz, X.R.yz, X.R.zz)
        for g in range(n_group):
            group = &broad.group[g]
            if both_calm(motions, table.shape[broad.half[h]].body, group.body):
                continue
            height = dot3(up, sub3(body_pose[group.body].p, X.p))
            reach = group.reach + group.travel + broad.travel[broad.half[h]] + table.margin
            if height - reach > 1e-9 * height:       # rounding moves it by less
                continue
            normal = tmul3(body_pose[group.body].R, up)
            offset = height - table.margin
            reach = group.travel + broad.travel[broad.half[h]]
            if offset + least(group, normal) - reach > 1e-9 * height:
                continue
            for k in range(group.first, group.end):
                sphere = &broad.sphere[k]
                reach = sphere.radius + broad.travel[sphere.slot] + broad.travel[broad.half[h]]
                if dot3(normal, sphere.center) + offset <= reach and may_collide(table, broad.half[h], sphere.slot):
                    push_pair(broad, broad.half[h], sphere.slot)
                    if not broad.posed[sphere.slot]:
                        place_shape(broad, table, sphere.slot, body_pose, motions)
    return 0


cdef inline void set_bounds(Entry* e, Vec3 c, Vec3 h, int axis) noexcept nogil:
    """Bounds c -+ h, the sweep axis first."""
    if axis == 1:
        c, h = vec3(c.y, c.z, c.x), vec3(h.y, h.z, h.x)
    elif axis == 2:
        c, h = vec3(c.z, c.x, c.y), vec3(h.z, h.x, h.y)
    # rounding to single precision moves a bound by 6e-8 of its size
    h.x += 1.2e-7 * (fabs(c.x) + h.x)
    h.y += 1.2e-7 * (fabs(c.y) + h.y)
    h.z += 1.2e-7 * (fabs(c.z) + h.z)
    e.lo0, e.hi0 = <float>(c.x - h.x), <float>(c.x + h.x)
    e.lo1, e.hi1 = <float>(c.y - h.y), <float>(c.y + h.y)
    e.lo2, e.hi2 = <float>(c.z - h.z), <float>(c.z + h.z)


cdef inline void swept_box(const Broad* broad, const Table* table, int slot, BodyMotions motions,
                           Vec3* c, Vec3* h) noexcept nogil:
    """What holds a shape in all of the step, and half of the margin: middle and half sides, world [m]."""
    cdef const ShapeRecord* s = &table.shape[slot]
    cdef const Pose* X = &broad.world_pose[slot]
    cdef const Path* path = &broad.path[slot]
    cdef double more
    c[0] = X.p if s.bounds.centered else add3(X.p, mul3(X.R, s.bounds.center))
    h[0] = add3(half_extent(&s.bounds, &X.R), vec3(0.5 * table.margin, 0.5 * table.margin, 0.5 * table.margin))
    if broad.travel[slot] > 0.0:
        more = path.spin + motions.beyond
        h[0] = add3(h[0], vec3(0.5 * fabs(path.shift.x) + more, 0.5 * fabs(path.shift.y) + more,
                               0.5 * fabs(path.shift.z) + more))
        c[0] = add3(c[0], scale3(0.5, path.shift))


cdef int update_bounds(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) noexcept nogil:
    """World poses and bounds of every swept shape; returns the axis along which the centres spread most."""
    cdef int k, n = broad.n_entry
    cdef Vec3 c, h, mean, square
    cdef double v0, v1, v2
    mean = square = vec3(0.0, 0.0, 0.0)
    for k in range(n):
        place_shape(broad, table, broad.bounds[k].slot, body_pose, motions)
        swept_box(broad, table, broad.bounds[k].slot, motions, &c, &h)
        set_bounds(&broad.bounds[k], c, h, broad.axis)
        mean = add3(mean, c)
        square = add3(square, vec3(c.x * c.x, c.y * c.y, c.z * c.z))
    for k in range(n):
        broad.entry[k] = broad.bounds[broad.place[broad.entry[k].slot]]
    v0 = square.x - mean.x * mean.x / n
    v1 = square.y - mean.y * mean.y / n
    v2 = square.z - mean.z * mean.z / n
    if v1 > v0 and v1 >= v2:
        return 1 if v1 > 1.5 * (v0 if broad.axis == 0 else v2) else broad.axis
    if v2 > v0 and v2 > v1:
        return 2 if v2 > 1.5 * (v0 if broad.axis == 0 else v1) else broad.axis
    return 0 if v0 > 1.5 * (v1 if broad.axis == 1 else v2) else broad.axis


cdef void fill_columns(Broad* broad) noexcept nogil:
    """Copy the sorted bounds, and a block of bounds that nothing overlaps."""
    cdef int k, n = broad.n_entry
    cdef Columns c = broad.column
    for k in range(n):
        c.lo0[k] = broad.entry[k].lo0
        c.lo1[k] = broad.entry[k].lo1
        c.hi1[k] = broad.entry[k].hi1
        c.lo2[k] = broad.entry[k].lo2
        c.hi2[k] = broad.entry[k].hi2
    for k in range(n, n + BLOCK):
        c.lo0[k] = c.lo1[k] = c.lo2[k] = <float>INFINITY
        c.hi1[k] = c.hi2[k] = <float>-INFINITY


cdef inline float larger(float a, float b) noexcept nogil:
    return a if a > b else b


cdef inline bint compare_block(const Entry* e, Columns c, int j, float* gap) noexcept nogil:
    """Largest gap between e and each of the entries j, j + 1, ... j + BLOCK - 1; is any of them negative?

    Differences instead of comparisons, so that the loop becomes vector instructions.
    """
    cdef int k, some = 0
    cdef float hi0 = e.hi0, lo1 = e.lo1, hi1 = e.hi1, lo2 = e.lo2, hi2 = e.hi2
    cdef const float* c_lo0 = c.lo0 + j
    cdef const float* c_lo1 = c.lo1 + j
    cdef const float* c_hi1 = c.hi1 + j
    cdef const float* c_lo2 = c.lo2 + j
    cdef const float* c_hi2 = c.hi2 + j
    for k in range(BLOCK):
        gap[k] = larger(larger(larger(c_lo1[k] - hi1, lo1 - c_hi1[k]), larger(c_lo2[k] - hi2, lo2 - c_hi2[k])),
                        c_lo0[k] - hi0)
    for k in range(BLOCK):
        some |= gap[k] <= 0
    return some != 0


cdef int sweep_pairs(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) except -1 nogil:
    """Pairs whose bounds overlap on all three axes."""
    cdef int i, j, k, n = broad.n_entry, axis
    cdef Entry e
    cdef float[BLOCK] gap
    if n == 0:
        return 0
    axis = update_bounds(broad, table, body_pose, motions)
    if axis != broad.axis:
        broad.axis = axis
        broad.sorted = False
        update_bounds(broad, table, body_pose, motions)
    if not broad.sorted or not insertion_sort(broad.entry, n):
        heap_sort(broad.entry, n)
    broad.sorted = True
    fill_columns(broad)
    for i in range(n - 1):
        if i % ROWS_A_LOOK == ROWS_A_LOOK - 1:
            check_signals()
        e = broad.entry[i]
        j = i + 1
        while j < n and broad.column.lo0[j] <= e.hi0:
            if compare_block(&e, broad.column, j, gap):
                for k in range(BLOCK):
                    if gap[k] <= 0 and may_meet(table, motions, e.slot, broad.entry[j + k].slot):
                        push_pair(broad, e.slot, broad.entry[j + k].slot)
            j += BLOCK
    return 0


cdef int fixed_pairs(Broad* broad, const Table* table, BodyMotions motions) except -1 nogil:
    """Pairs of what is swept with what is fixed."""
    cdef FixedWalk walk
    cdef const Entry* e
    cdef int k, slot, x = (3 - broad.axis) % 3, y = (4 - broad.axis) % 3, z = (5 - broad.axis) % 3
    cdef float[3] low, high
    cdef float more = <float> (0.5 * table.margin * (1.0 + 1e-6))
    if broad.fixed.n == 0:
        return 0
    for k in range(broad.n_entry):
        e = &broad.bounds[k]
        low[0], low[1], low[2] = e.lo0, e.lo1, e.lo2
        high[0], high[1], high[2] = e.hi0, e.hi1, e.hi2
        walk.low[0], walk.low[1], walk.low[2] = low[x] - more, low[y] - more, low[z] - more
        walk.high[0], walk.high[1], walk.high[2] = high[x] + more, high[y] + more, high[z] + more
        begin_fixed(&walk, &broad.fixed)
        slot = next_fixed(&walk, &broad.fixed)
        while slot >= 0:
            if may_meet(table, motions, e.slot, slot):
                push_pair(broad, e.slot, slot)
            slot = next_fixed(&walk, &broad.fixed)
        if k % ROWS_A_LOOK == ROWS_A_LOOK - 1:
            check_signals()
    return 0


cdef inline bint set_out(FixedWalk* walk, const Fixed* fixed, Vec3 c, Vec3 h) noexcept nogil:
    """Set out for what may be near c -+ h; False if that is clear of the tree."""
    h.x += 1.2e-7 * (fabs(c.x) + h.x)            # rounding to single precision
    h.y += 1.2e-7 * (fabs(c.y) + h.y)
    h.z += 1.2e-7 * (fabs(c.z) + h.z)
    walk.low[0], walk.low[1], walk.low[2] = <float> (c.x - h.x), <float> (c.y - h.y), <float> (c.z - h.z)
    walk.high[0], walk.high[1], walk.high[2] = <float> (c.x + h.x), <float> (c.y + h.y), <float> (c.z + h.z)
    begin_fixed(walk, fixed)
    return fixed.n > 0 and overlaps(&fixed.node[0], walk.low, walk.high)


cdef int pairs_of_alone(
        Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) except -1 nogil:
    """Pairs of what meets only what is fixed: bodies that are clear of all that is are passed over as a whole."""
    cdef FixedWalk walk
    cdef const BodySpheres* group
    cdef const Pose* X
    cdef Vec3 c, h
    cdef double more
    cdef int g, k, slot, other
    for g in range(broad.n_group):
        group = &broad.group[g]
        if not group.alone:
            continue
        X = &body_pose[group.body]
        c, h = scale3(0.5, add3(group.low, group.high)), scale3(0.5, sub3(group.high, group.low))
        more = group.travel + table.margin
        h = vec3(fabs(X.R.xx) * h.x + fabs(X.R.xy) * h.y + fabs(X.R.xz) * h.z + more,
                 fabs(X.R.yx) * h.x + fabs(X.R.yy) * h.y + fabs(X.R.yz) * h.z + more,
                 fabs(X.R.zx) * h.x + fabs(X.R.zy) * h.y + fabs(X.R.zz) * h.z + more)
        if not set_out(&walk, &broad.fixed, add3(X.p, mul3(X.R, c)), h):
            continue
        for k in range(group.first, group.end):
            slot = broad.sphere[k].slot
            if not broad.alone[slot]:
                continue
            place_shape(broad, table, slot, body_pose, motions)
            swept_box(broad, table, slot, motions, &c, &h)
            h = add3(h, vec3(0.5 * table.margin, 0.5 * table.margin, 0.5 * table.margin))
            if not set_out(&walk, &broad.fixed, c, h):
                continue
            other = next_fixed(&walk, &broad.fixed)
            while other >= 0:
                if may_meet(table, motions, slot, other):
                    push_pair(broad, slot, other)
                other = next_fixed(&walk, &broad.fixed)
    return 0


cdef int find_pairs(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) except -1 nogil:
    """Fill broad.pair with the pairs that may touch, sorted by (a, b).

    The poses and motions must be finite.  Also fills world_pose of every shape in a pair.
    """
    cdef bint anew = broad.revision != table.revision
    if anew:
        broad.revision = -1
        rebuild(broad, table)
    broad.n_pair = 0
    find_travels(broad, table, motions)
    if anew or not are_as_seen(&broad.fixed, table, body_pose, broad.travel):
        arrange(broad, table, body_pose, motions)
    half_space_pairs(broad, table, body_pose, motions)
    sweep_pairs(broad, table, body_pose, motions)
    fixed_pairs(broad, table, motions)
    pairs_of_alone(broad, table, body_pose, motions)
    if broad.n_pair > MANY_PAIRS:
        grow(<void**> &broad.pair_scratch, &broad.scratch_room, broad.n_pair, sizeof(Pair))
    sort_pairs(broad.pair, broad.n_pair, broad.pair_scratch, broad.count, table.n)
    return 0
