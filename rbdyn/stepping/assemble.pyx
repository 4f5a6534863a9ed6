"""The contact problem of one step: frames, free velocities, arms of single bodies, rows of articulated systems.

Source of the mathematics: Hwangbo, Lee, Hutter, "Per-contact iteration method for solving contact dynamics", RA-L 2018;
rows by impulse propagation through the articulated-body factors, RBDA section 7.4.
"""

from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from rbdyn.collision._types cimport ContactPoint
from rbdyn.contact.problem cimport CONE, CONTACT_PROBLEM_VERSION, Block, Entry3, Key
from rbdyn.contact.targets cimport effective_friction, target_velocity
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Vec3, add3, cross3, dot3, force, mul3, power, scale3, scale_f, sub3, sub_f, vec3, zero3,
)
from rbdyn.stepping.articulated cimport normalise_columns, point_velocity
from rbdyn.stepping.scene cimport (
    SINGLE_BODY, SYSTEM_BODY, BodyHandle, PairProperties, SingleScratch, SingleState, System, pair_properties,
)
from rbdyn.stepping.single cimport Single, single_add_impulse, single_of


cdef void assembly_init(Assembly* a) noexcept:
    """An empty assembly."""
    memset(a, 0, sizeof(Assembly))
    a.problem.version = CONTACT_PROBLEM_VERSION


cdef void assembly_free(Assembly* a) noexcept:
    for p in (<size_t> a.frame, <size_t> a.v_free, <size_t> a.block, <size_t> a.impulse,
              <size_t> a.single_a, <size_t> a.single_b, <size_t> a.arm_a, <size_t> a.arm_b, <size_t> a.row_start,
              <size_t> a.row, <size_t> a.inverse_mass, <size_t> a.inverse_inertia):
        free(<void*> <size_t> p)


cdef int grow(void** p, size_t count, size_t size) except -1 nogil:
    cdef void* bigger = realloc(p[0], count * size)
    if bigger is NULL:
        with gil:
            raise MemoryError(f"cannot allocate {count * size} bytes for the contact problem")
    p[0] = bigger
    return 0


cdef int room_for_contacts(Assembly* a, int n) except -1 nogil:
    cdef int size = a.contacts if a.contacts else 32
    if n <= a.contacts:
        return 0
    while size < n:
        size *= 2
    grow(<void**> &a.frame, size, 9 * sizeof(double))
    grow(<void**> &a.v_free, size, 3 * sizeof(double))
    grow(<void**> &a.block, size, sizeof(Block))
    grow(<void**> &a.impulse, size, 3 * sizeof(double))
    grow(<void**> &a.single_a, size, sizeof(int))
    grow(<void**> &a.single_b, size, sizeof(int))
    grow(<void**> &a.arm_a, size, 3 * sizeof(double))
    grow(<void**> &a.arm_b, size, 3 * sizeof(double))
    grow(<void**> &a.row_start, size + 1, sizeof(int))
    a.contacts = size
    return 0


cdef int room_for_rows(Assembly* a, int n) except -1 nogil:
    cdef int size = a.rows if a.rows else 256
    if n <= a.rows:
        return 0
    while size < n:
        size *= 2
    grow(<void**> &a.row, size, sizeof(Entry3))
    a.rows = size
    return 0


cdef int room_for_singles(Assembly* a, int n) except -1 nogil:
    cdef int size = a.singles if a.singles else 16
    if n <= a.singles:
        return 0
    while size < n:
        size *= 2
    grow(<void**> &a.inverse_mass, size, sizeof(double))
    grow(<void**> &a.inverse_inertia, size, 6 * sizeof(double))
    a.singles = size
    return 0


cdef inline Mat3 contact_frame(Vec3 n) noexcept nogil:
    """Rows t1, t2, n.  t1 lies in the plane of n and the coordinate axis that is farthest from n."""
    cdef Vec3 t1, t2
    cdef Mat3 E
    if fabs(n.x) <= fabs(n.y) and fabs(n.x) <= fabs(n.z):
        t1 = sub3(vec3(1.0, 0.0, 0.0), scale3(n.x, n))
    elif fabs(n.y) <= fabs(n.z):
        t1 = sub3(vec3(0.0, 1.0, 0.0), scale3(n.y, n))
    else:
        t1 = sub3(vec3(0.0, 0.0, 1.0), scale3(n.z, n))
    t1 = scale3(1.0 / sqrt(dot3(t1, t1)), t1)
    t2 = cross3(n, t1)
    E.xx, E.xy, E.xz = t1.x, t1.y, t1.z
    E.yx, E.yy, E.yz = t2.x, t2.y, t2.z
    E.zx, E.zy, E.zz = n.x, n.y, n.z
    return E


cdef inline void start_velocity(const Scene* s, const BodyHandle* handle, Vec3 at,
                                Vec3* now, Vec3* free_) noexcept nogil:
    """World velocity of a body's point at the start of the step, and at its end without contact impulses."""
    cdef const SingleState* b
    cdef const SingleScratch* w
    cdef const System* r
    cdef Vec3 arm
    now[0] = zero3()
    free_[0] = zero3()
    if handle.kind == SINGLE_BODY:
        b = s.single_state + handle.index
        w = s.single_scratch + handle.index
        arm = sub3(at, b.p)
        now[0] = add3(b.v, cross3(b.w, arm))
        free_[0] = add3(w.v_free, cross3(w.w_free, arm))
    elif handle.kind == SYSTEM_BODY:
        r = s.system + handle.index
        now[0] = point_velocity(r, handle.body, r.d.vel[handle.body], at)
        free_[0] = point_velocity(r, handle.body, r.work.twist[handle.body], at)


cdef inline int merge_row(Entry3* row, int first, int n, int coordinate, double x, double y, double z) noexcept nogil:
    """Add a row, or add to the row of the same coordinate between `first` and n; returns the new n."""
    cdef int k
    for k in range(first, n):
        if row[k].coordinate == coordinate:
            row[k].x += x
            row[k].y += y
            row[k].n += z
            return n
    row[n].coordinate = coordinate
    row[n].x = x
    row[n].y = y
    row[n].n = z
    return n + 1


cdef int system_rows(Assembly* a, const System* s, int body, Vec3 at, const Mat3* E, double sign, int first,
                     int n) except -1 nogil:
    """Rows of one side: unit impulses along the contact axes, carried from `body` to the root.

    y_k = S_k . P and P <- P - U_k y_k, joint by joint, in world axes about the system's origin.
    """
    cdef Force P[3]
    cdef Force Q[3]
    cdef Vec3 arm = sub3(at, s.work.origin)
    cdef double y[3]
    cdef int i = body, j, k, c
    cdef bint second = n > first
    P[0] = force(cross3(arm, vec3(E.xx, E.xy, E.xz)), vec3(E.xx, E.xy, E.xz))
    P[1] = force(cross3(arm, vec3(E.yx, E.yy, E.yz)), vec3(E.yx, E.yy, E.yz))
    P[2] = force(cross3(arm, vec3(E.zx, E.zy, E.zz)), vec3(E.zx, E.zy, E.zz))
    while i > 0:
        room_for_rows(a, n + s.m.nvi[i])
        for c in range(3):
            Q[c] = P[c]
        for j in range(s.m.nvi[i]):
            k = s.m.vi[i] + j
            for c in range(3):
                y[c] = power(s.work.S[k], Q[c])
                if s.m.parent[i]:
                    P[c] = sub_f(P[c], scale_f(y[c], s.work.U[k]))
            if second:
                n = merge_row(a.row, first, n, s.work.coordinate + k, sign * y[0], sign * y[1], sign * y[2])
            else:
                a.row[n].coordinate = s.work.coordinate + k
                a.row[n].x, a.row[n].y, a.row[n].n = sign * y[0], sign * y[1], sign * y[2]
                n += 1
        i = s.m.parent[i]
    return n


cdef int prepare_systems(const Scene* s, const ContactBuffer* contacts) noexcept nogil:
    """Prepare the systems that have contacts; returns the number of normalised coordinates."""
    cdef const ContactPoint* c
    cdef const BodyHandle* handle
    cdef int i, k, total = 0
    for k in range(s.n_system):
        s.system[k].work.active = False
    for i in range(contacts.n):
        c = contacts.point + i
        handle = s.body + c.body_a
        if handle.kind == SYSTEM_BODY:
            s.system[handle.index].work.active = True
        handle = s.body + c.body_b
        if handle.kind == SYSTEM_BODY:
            s.system[handle.index].work.active = True
    for k in range(s.n_system):
        if s.system[k].work.active:
            normalise_columns(s.system + k)
            s.system[k].work.coordinate = total
            total += s.system[k].m.nv
    return total


cdef inline void write3(double* out, Vec3 a) noexcept nogil:
    out[0], out[1], out[2] = a.x, a.y, a.z


cdef int add_contact(Assembly* a, const Scene* s, const ContactPoint* c, int i, int n) except -1 nogil:
    """Contact i: its frame, free velocity less target, friction, key, arms and rows from n on; returns the new n."""
    cdef const BodyHandle* A = s.body + c.body_a
    cdef const BodyHandle* B = s.body + c.body_b
    cdef const PairProperties* pair = pair_properties(&s.pairs, s.material[c.shape_a], s.material[c.shape_b])
    cdef Mat3 E = contact_frame(c.normal)
    cdef Vec3 now_a, now_b, free_a, free_b, now, v
    cdef double target, mu
    cdef int first = n
    start_velocity(s, A, c.position, &now_a, &free_a)
    start_velocity(s, B, c.position, &now_b, &free_b)
    now = mul3(E, sub3(now_a, now_b))
    v = mul3(E, sub3(free_a, free_b))
    target = target_velocity(-now.z, c.depth, s.dt, s.erp, s.slop, s.erp_speed,
                             pair.restitution + s.erp2, pair.threshold)
    write3(a.frame + 9 * i, vec3(E.xx, E.xy, E.xz))
    write3(a.frame + 9 * i + 3, vec3(E.yx, E.yy, E.yz))
    write3(a.frame + 9 * i + 6, vec3(E.zx, E.zy, E.zz))
    write3(a.v_free + 3 * i, vec3(v.x, v.y, v.z - target))
    mu = effective_friction(pair.friction, pair.static_friction, pair.static_threshold,
                            sqrt(now.x * now.x + now.y * now.y))
    a.block[i] = Block(
        law=CONE, first_row=3 * i, rows=3, a=mu, b=0.0, compliance=0.0,
        key=Key(source=CONTACT_SOURCE, id_a=c.shape_a, id_b=c.shape_b, feature=c.feature))
    a.single_a[i] = A.index if A.kind == SINGLE_BODY and s.single_scratch[A.index].inverse_mass > 0.0 else -1
    a.single_b[i] = B.index if B.kind == SINGLE_BODY and s.single_scratch[B.index].inverse_mass > 0.0 else -1
    if a.single_a[i] >= 0:
        write3(a.arm_a + 3 * i, sub3(c.position, s.single_state[A.index].p))
    if a.single_b[i] >= 0:
        write3(a.arm_b + 3 * i, sub3(c.position, s.single_state[B.index].p))
    if A.kind == SYSTEM_BODY:
        n = system_rows(a, s.system + A.index, A.body, c.position, &E, 1.0, first, n)
    if B.kind == SYSTEM_BODY:
        n = system_rows(a, s.system + B.index, B.body, c.position, &E, -1.0, first, n)
    return n


cdef int assemble(Assembly* a, const Scene* scene, const ContactBuffer* contacts) except -1 nogil:
    """Fill the problem of this step from its contacts and the free velocities."""
    cdef ContactProblem* p = &a.problem
    cdef const SingleScratch* b
    cdef int i, n = 0
    room_for_contacts(a, contacts.n if contacts.n else 1)
    room_for_rows(a, 1)
    room_for_singles(a, scene.n_single if scene.n_single else 1)
    for i in range(scene.n_single):
        b = scene.single_scratch + i
        a.inverse_mass[i] = b.inverse_mass
        a.inverse_inertia[6 * i + 0] = b.inverse_I.xx
        a.inverse_inertia[6 * i + 1] = b.inverse_I.xy
        a.inverse_inertia[6 * i + 2] = b.inverse_I.xz
        a.inverse_inertia[6 * i + 3] = b.inverse_I.yy
        a.inverse_inertia[6 * i + 4] = b.inverse_I.yz
        a.inverse_inertia[6 * i + 5] = b.inverse_I.zz
    p.n_coordinates = prepare_systems(scene, contacts)
    for i in range(contacts.n):
        a.row_start[i] = n
        n = add_contact(a, scene, contacts.point + i, i, n)
    a.row_start[contacts.n] = n
    memset(a.impulse, 0, 3 * contacts.n * sizeof(double))
    p.n = p.n_cones = contacts.n
    p.n_rows = 3 * contacts.n
    p.dt = scene.dt
    p.frame, p.v_free, p.block = a.frame, a.v_free, a.block
    p.impulse = a.impulse
    p.single_a, p.single_b, p.arm_a, p.arm_b = a.single_a, a.single_b, a.arm_a, a.arm_b
    p.n_single = scene.n_single
    p.inverse_mass, p.inverse_inertia = a.inverse_mass, a.inverse_inertia
    p.entry3_start, p.entry3 = a.row_start, a.row
    return 0


cdef void apply_impulses(Assembly* a, const Scene* scene, const ContactBuffer* contacts) noexcept nogil:
    """Give the solved impulses to the bodies: velocity changes of single bodies, z of systems."""
    cdef const double* l
    cdef const ContactPoint* c
    cdef const BodyHandle* handle
    cdef Vec3 world
    cdef Single body
    cdef int i, k
    cdef const double* E
    for i in range(contacts.n):
        l = a.impulse + 3 * i
        if l[0] == 0.0 and l[1] == 0.0 and l[2] == 0.0:
            continue
        E = a.frame + 9 * i
        c = contacts.point + i
        world = vec3(E[0] * l[0] + E[3] * l[1] + E[6] * l[2],
                     E[1] * l[0] + E[4] * l[1] + E[7] * l[2],
                     E[2] * l[0] + E[5] * l[1] + E[8] * l[2])
        if a.single_a[i] >= 0:
            body = single_of(scene, a.single_a[i])
            single_add_impulse(&body, world, sub3(c.position, body.state.p))
        if a.single_b[i] >= 0:
            world = vec3(-world.x, -world.y, -world.z)
            body = single_of(scene, a.single_b[i])
            single_add_impulse(&body, world, sub3(c.position, body.state.p))
        if a.row_start[i] == a.row_start[i + 1]:
            continue
        for k in range(2):
            handle = scene.body + (c.body_b if k else c.body_a)
            if handle.kind == SYSTEM_BODY and not (
                    k and scene.body[c.body_a].kind == SYSTEM_BODY and scene.body[c.body_a].index == handle.index):
                gather(a, scene.system + handle.index, i, l)


cdef inline void gather(Assembly* a, System* s, int i, const double* l) noexcept nogil:
    """z <- z + Y^T lambda over the rows of contact i that belong to the system."""
    cdef int k, z
    cdef const Entry3* row
    for k in range(a.row_start[i], a.row_start[i + 1]):
        row = a.row + k
        z = row.coordinate - s.work.coordinate
        if 0 <= z < s.m.nv:
            s.work.z[z] += row.x * l[0] + row.y * l[1] + row.n * l[2]
