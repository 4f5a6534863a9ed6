"""Who falls asleep, and who wakes: sleeping.pxd."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport ASLEEP, RESTLESS, STANDING
from rbdyn.contact.problem cimport Key
from rbdyn.contact.targets cimport position_target
from rbdyn.contact.warm_start cimport WarmStart, compare, reserve
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Mat3, add3, dot3, zero3
from rbdyn.stepping.constraints.contact.contacts cimport CONTACT_SOURCE, cone_impulse
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.scene cimport (
    DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Rest, SingleControl, SingleScratch, SingleState,
    sleeps,
)

cdef enum:                     # what is known of an island
    MOVES = 1                  # or may begin to
    BORNE = 2                  # by something that no impulse moves


cdef void slumber_free(Slumber* z) noexcept:
    """Give all memory back."""
    free(z.point)
    free(z.impulse)
    free(z.island)
    free(z.node)
    free(z.says)
    memset(z, 0, sizeof(Slumber))


cdef int reserve_slumber(Slumber* z, int n) except -1 nogil:
    """Room for n contacts."""
    grow(<void**> &z.point, &z.room[0], n, sizeof(ContactPoint))
    grow(<void**> &z.impulse, &z.room[1], n, sizeof(Vec3))
    grow(<void**> &z.island, &z.room[2], n, sizeof(long))
    return 0


# ---- waking --------------------------------------------------------------------------------------

cdef void wake(Scene* s, Slumber* z, long island) noexcept nogil:
    """Wake an island, or EVERYBODY; 0 is none.  Detection has to look at it before it moves."""
    cdef int k
    if island == 0 or s.n_asleep == 0:
        return
    for k in range(s.n_single):
        if s.rest[k].island > 0 and (island == EVERYBODY or s.rest[k].island == island):
            s.rest[k] = Rest(still=0.0, island=0)
            s.n_asleep -= 1
    for k in range(z.n):
        if island == EVERYBODY or z.island[k] == island:
            z.island[k] = 0
    z.stirred = True


cdef void wake_on(Scene* s, Slumber* z, int body) noexcept nogil:
    """Wake what touches a body, by its handle, that no impulse moves."""
    cdef int k
    for k in range(z.n):
        if z.point[k].shape_a >= 0 and (z.point[k].body_a == body or z.point[k].body_b == body):
            wake(s, z, z.island[k])


cdef void forget_sleeping(Slumber* z, int shape) noexcept nogil:
    """A shape was moved by hand, or is gone: its contacts are none any more."""
    cdef int k
    for k in range(z.n):
        if z.point[k].shape_a == shape or z.point[k].shape_b == shape:
            z.point[k].shape_a = -1
            z.stirred = True


cdef inline char calm_of(const Scene* s, const BodyHandle* body) noexcept nogil:
    cdef const SingleState* b
    if body.kind == SYSTEM_BODY:
        return STANDING if body.body == 0 else RESTLESS
    if body.kind != SINGLE_BODY or body.index >= s.n_single:      # a handle that is free has no shapes
        return STANDING
    if s.rest[body.index].island > 0:
        return ASLEEP
    if s.single[body.index].type == DYNAMIC:
        return RESTLESS
    b = s.single_state + body.index
    return STANDING if dot3(b.v, b.v) == 0.0 and dot3(b.w, b.w) == 0.0 else RESTLESS


cdef const char* find_calm(Scene* s) noexcept nogil:
    """Which bodies are calm; NULL if nobody sleeps."""
    cdef int i
    if s.n_asleep == 0:
        return NULL
    for i in range(s.n_bodies):
        s.calm[i] = calm_of(s, s.body + i)
    return s.calm


cdef bint wake_touched(Scene* s, Slumber* z, const ContactBuffer* found) noexcept nogil:
    """Wake what is touched by something restless; whether there is such, whose contacts are to be found then."""
    cdef const BodyHandle* body
    cdef const ContactPoint* c
    cdef bint news = False
    cdef int i, side
    if s.n_asleep == 0:
        return False
    for i in range(found.n):
        c = found.point + i
        for side in range(2):
            body = s.body + (c.body_a if side else c.body_b)
            if s.calm[c.body_a if side else c.body_b] == ASLEEP and (
                    s.calm[c.body_b if side else c.body_a] == RESTLESS):
                news = True
                wake(s, z, s.rest[body.index].island)
    return news


cdef void leave_out_calm(const Scene* s, ContactBuffer* found) noexcept nogil:
    """Contacts of what is calm, which backends may find all the same."""
    cdef int i, kept = 0
    if s.n_asleep == 0:
        return
    for i in range(found.n):
        if not (s.calm[found.point[i].body_a] and s.calm[found.point[i].body_b]):
            found.point[kept] = found.point[i]
            kept += 1
    found.n = kept


cdef inline Key key_of(const ContactPoint* c) noexcept nogil:
    return Key(source=CONTACT_SOURCE, id_a=c.shape_a, id_b=c.shape_b, feature=c.feature)


cdef bint is_known(const WarmStart* W, int n, Key key) noexcept nogil:
    """Whether a key is one of the first n, which ascend."""
    cdef int low = 0, high = n, middle
    while low < high:
        middle = (low + high) >> 1
        if compare(W.key[middle], key) < 0:
            low = middle + 1
        else:
            high = middle
    return low < n and compare(W.key[low], key) == 0


cdef void sift(WarmStart* W, int root, int n) noexcept nogil:
    """Let the cone at the root of a heap of n sink to where none below it has a greater key."""
    cdef Key key = W.key[root]
    cdef Vec3 impulse = W.impulse[root]
    cdef int child = 2 * root + 1
    while child < n:
        if child + 1 < n and compare(W.key[child], W.key[child + 1]) < 0:
            child += 1
        if compare(key, W.key[child]) >= 0:
            break
        W.key[root], W.impulse[root] = W.key[child], W.impulse[child]
        root, child = child, 2 * child + 1
    W.key[root], W.impulse[root] = key, impulse


cdef void sort_cones(WarmStart* W) noexcept nogil:
    """By ascending keys: heap sort."""
    cdef int k
    for k in range(W.n // 2 - 1, -1, -1):
        sift(W, k, W.n)
    for k in range(W.n - 1, 0, -1):
        W.key[0], W.key[k] = W.key[k], W.key[0]
        W.impulse[0], W.impulse[k] = W.impulse[k], W.impulse[0]
        sift(W, 0, k)


cdef int remember_woken(const Slumber* z, ContactSolver solver) except -1 nogil:
    """The solver begins with the impulses of contacts that woke, unless it knows them still."""
    cdef WarmStart* W = &solver.memory
    cdef int k, known = W.n
    cdef Key key
    reserve(W, W.n + z.n, W.n_blocks, W.n_rows, &solver.reallocations)
    for k in range(z.n):
        key = key_of(z.point + k)
        if z.point[k].shape_a >= 0 and z.island[k] == 0 and not is_known(W, known, key):
            W.key[W.n], W.impulse[W.n] = key, z.impulse[k]
            W.n += 1
    if W.n > known:
        sort_cones(W)
    return 0


cdef int begin_awake(Slumber* z, ContactSolver solver) except -1 nogil:
    """Contacts of what woke are those of the step again; the solver begins with the impulses that they had."""
    cdef int k, kept = 0
    if z.stirred:
        remember_woken(z, solver)
        for k in range(z.n):
            if z.point[k].shape_a >= 0 and z.island[k] > 0:
                z.point[kept], z.impulse[kept], z.island[kept] = z.point[k], z.impulse[k], z.island[k]
                kept += 1
        z.n = kept
    z.found, z.stirred = z.n, False
    return 0


# ---- falling asleep ------------------------------------------------------------------------------

cdef inline bint is_pushed(const SingleControl* c) noexcept nogil:
    """Whether external forces act on a body in this step."""
    cdef Mat3 L = c.lever
    return not (dot3(c.force, c.force) == 0.0 and dot3(c.torque, c.torque) == 0.0
                and L.xx == 0.0 and L.xy == 0.0 and L.xz == 0.0 and L.yx == 0.0 and L.yy == 0.0 and L.yz == 0.0
                and L.zx == 0.0 and L.zy == 0.0 and L.zz == 0.0)


cdef inline bint is_slow(const SingleState* b, const SingleScratch* work, double most) noexcept nogil:
    """Whether the squares of its velocities are no more than `most`, with what its pose was corrected by."""
    cdef Vec3 v = b.v, w = b.w
    if work.pushed:
        v, w = add3(v, work.push_v), add3(w, work.push_w)
    return dot3(v, v) <= most and dot3(w, w) <= most


cdef bint count_still(Scene* s, double dt) noexcept nogil:
    """How long each body has been slow; whether some have been for long enough."""
    cdef double most = s.sleep_speed * s.sleep_speed
    cdef bint ready = False
    cdef int k
    for k in range(s.n_single):
        if s.single[k].type != DYNAMIC or sleeps(s, k):
            continue
        if is_slow(s.single_state + k, s.single_scratch + k, most) and not is_pushed(s.single_control + k):
            s.rest[k].still += dt
        else:
            s.rest[k].still = 0.0
        ready |= s.rest[k].still >= s.sleep_time
    return ready


cdef inline int root_of(int* node, int i) noexcept nogil:
    while node[i] != i:
        node[i] = node[node[i]]
        i = node[i]
    return i


cdef inline bint is_member(const Scene* s, const BodyHandle* body) noexcept nogil:
    """Whether a body is of those that fall asleep."""
    return body.kind == SINGLE_BODY and s.single[body.index].type == DYNAMIC


cdef void say(const Scene* s, Slumber* z, const BodyHandle* member, const BodyHandle* other) noexcept nogil:
    """What a contact with something that is no member says of an island."""
    cdef bint moves = calm_of(s, other) == RESTLESS
    z.says[root_of(z.node, member.index)] |= MOVES if moves else BORNE


cdef void join_islands(const Scene* s, Slumber* z) noexcept nogil:
    """Join what contacts join."""
    cdef const BodyHandle* a
    cdef const BodyHandle* b
    cdef int i
    for i in range(s.contacts.n):
        a, b = s.body + s.contacts.point[i].body_a, s.body + s.contacts.point[i].body_b
        if is_member(s, a) and is_member(s, b):
            z.node[root_of(z.node, a.index)] = root_of(z.node, b.index)


cdef inline bint is_jammed(const Scene* s, const ContactPoint* c) noexcept nogil:
    """Whether two bodies, one of them a member, are to be parted still: what cannot be only looks as if it rests."""
    if not (is_member(s, s.body + c.body_a) or is_member(s, s.body + c.body_b)):
        return False
    return position_target(c.depth, s.dt, s.erp, s.slop, s.erp_speed) > s.sleep_speed


cdef void ask_members(const Scene* s, Slumber* z) noexcept nogil:
    """Which islands move, or may, and which are borne."""
    cdef const Link* link
    cdef const BodyHandle* a
    cdef const BodyHandle* b
    cdef int i, j, kind
    for i in range(s.n_single):
        if s.rest[i].still < s.sleep_time or sleeps(s, i):
            z.says[root_of(z.node, i)] |= MOVES
    for i in range(s.contacts.n):
        a, b = s.body + s.contacts.point[i].body_a, s.body + s.contacts.point[i].body_b
        if is_jammed(s, s.contacts.point + i):
            z.says[root_of(z.node, (a if is_member(s, a) else b).index)] |= MOVES
        if is_member(s, a) and not is_member(s, b):
            say(s, z, a, b)
        elif is_member(s, b) and not is_member(s, a):
            say(s, z, b, a)
    for kind in range(N_LINK_KINDS):
        for i in range(s.link[kind].n):
            link = s.link[kind].item[i]
            for j in range(link.n_bodies):
                a = s.body + link.body[j]
                if a.kind == SINGLE_BODY:
                    z.says[root_of(z.node, a.index)] |= MOVES


cdef void put_to_sleep(Scene* s, int k, long island) noexcept nogil:
    """It stands from here on."""
    s.rest[k].island = island
    s.single_state[k].v = s.single_state[k].w = zero3()
    s.single_scratch[k].acceleration = s.single_scratch[k].angular_acceleration = zero3()
    s.n_asleep += 1


cdef int keep_contacts_of(const Scene* s, Slumber* z, const ContactProblem* solved, int first_cone,
                          long known) except -1 nogil:
    """Contacts of those whose islands are above the number `known`."""
    cdef const BodyHandle* body
    cdef const ContactPoint* c
    cdef long island
    cdef int i, side
    for i in range(s.contacts.n):
        c = s.contacts.point + i
        island = 0
        for side in range(2):
            body = s.body + (c.body_a if side else c.body_b)
            if is_member(s, body):
                island = max(island, s.rest[body.index].island)
        if island > known:
            reserve_slumber(z, z.n + 1)
            z.point[z.n], z.impulse[z.n], z.island[z.n] = c[0], cone_impulse(solved, first_cone + i), island
            z.n += 1
    return 0


cdef int fall_asleep(Scene* s, Slumber* z, const ContactProblem* solved, int first_cone, double dt) except -1 nogil:
    """At the end of a step of length dt: those islands that have been slow for long enough.

    Something has to bear them, unless there is no gravity: what turns back in the air is slow for a moment, too.
    """
    cdef long known = s.islands
    cdef bint floats = dot3(s.gravity, s.gravity) == 0.0
    cdef int k, root
    z.found = z.n
    if not count_still(s, dt):
        return 0
    grow(<void**> &z.node, &z.room[3], s.n_single, sizeof(int))
    grow(<void**> &z.says, &z.room[4], s.n_single, sizeof(char))
    for k in range(s.n_single):
        z.node[k], z.says[k] = k, 0
    join_islands(s, z)
    ask_members(s, z)
    for k in range(s.n_single):
        root = root_of(z.node, k)
        if s.single[k].type != DYNAMIC or z.says[root] & MOVES or not (floats or z.says[root] & BORNE):
            continue
        if s.rest[root].island == 0:
            s.islands += 1
            put_to_sleep(s, root, s.islands)
        if k != root:
            put_to_sleep(s, k, s.rest[root].island)
    if s.islands > known:
        keep_contacts_of(s, z, solved, first_cone, known)
    return 0
