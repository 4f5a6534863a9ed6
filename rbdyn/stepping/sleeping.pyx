"""Who falls asleep, and who wakes: sleeping.pxd."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport ASLEEP, RESTLESS, STANDING
from rbdyn.contact.problem cimport Block, Key
from rbdyn.contact.targets cimport position_target
from rbdyn.contact.warm_start cimport WarmStart, compare, remember, reserve
from rbdyn.memory cimport grow
from rbdyn.model.joints.dispatch cimport floats_on_root
from rbdyn.spatial._algebra cimport Mat3, add3, dot3, zero3
from rbdyn.stepping.constraints.bodies.wire cimport CUSTOM, Wire
from rbdyn.stepping.constraints.contact.contacts cimport CONTACT_SOURCE, cone_impulse
from rbdyn.stepping.links cimport N_LINK_KINDS, WIRE_LINK, Link
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport (
    DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Rest, SingleControl, SingleScratch, SingleState, System,
    sleeps,
)
from rbdyn.stepping.phases cimport show_system

cdef enum:                     # what is known of an island
    MOVES = 1                  # or may begin to
    BORNE = 2                  # by something that no impulse moves


cdef void slumber_free(Slumber* z) noexcept:
    """Give all memory back."""
    free(z.point)
    free(z.impulse)
    free(z.island)
    free(z.system)
    free(z.block)
    free(z.node)
    free(z.says)
    memset(z, 0, sizeof(Slumber))


cdef int reserve_slumber(Slumber* z, int n, int blocks) except -1 nogil:
    """Room for n contacts, and other blocks."""
    grow(<void**> &z.block, &z.room[5], blocks, sizeof(KeptBlock))
    grow(<void**> &z.point, &z.room[0], n, sizeof(ContactPoint))
    grow(<void**> &z.impulse, &z.room[1], n, sizeof(Vec3))
    grow(<void**> &z.island, &z.room[2], n, sizeof(long))
    return 0


cdef int reserve_rest(Slumber* z, int first, int n) except -1 nogil:
    """Room for the systems among n body handles, of which those from `first` on are new."""
    grow(<void**> &z.system, &z.room[6], n, sizeof(Rest))
    memset(z.system + first, 0, (n - first) * sizeof(Rest))
    return 0


# ---- who sleeps ----------------------------------------------------------------------------------

cdef inline bint is_system(const BodyHandle* body) noexcept nogil:
    """Whether a body is one of an articulated system that moves."""
    return body.kind == SYSTEM_BODY and body.body > 0


cdef long island_of(const Scene* s, const Slumber* z, const BodyHandle* body) noexcept nogil:
    """Number of those with which a body sleeps, 0 for one that is awake, or that no impulse moves."""
    if is_system(body):
        return z.system[s.system[body.index].handle].island
    return s.rest[body.index].island if body.kind == SINGLE_BODY else 0


cdef void forget_rest(Scene* s, Slumber* z, int handle, int bodies) noexcept nogil:
    """A system is gone, whose bodies had the handles from `handle` on."""
    s.n_asleep -= z.system[handle].island > 0
    z.system[handle] = Rest(still=0.0, island=0)
    memset(s.calm + handle, RESTLESS, bodies)


cdef inline void set_calm(Scene* s, const System* r, char calm) noexcept nogil:
    """Of all bodies of a system that move."""
    memset(s.calm + r.handle + 1, calm, r.m.nb - 1)


cdef void lay_down(Scene* s, Slumber* z) noexcept nogil:
    """Who sleeps was set: what steps know of them, who look at them no more."""
    cdef int k
    find_calm(s, z)
    for k in range(s.n_system):
        if system_sleeps(s, s.system + k):
            show_system(s, s.system + k)
            s.system[k].work.loops.eliminated = s.system[k].work.active = False


# ---- waking --------------------------------------------------------------------------------------

cdef void wake(Scene* s, Slumber* z, long island) noexcept nogil:
    """Wake an island, or EVERYBODY; 0 is none.  Detection has to look at it before it moves."""
    cdef System* r
    cdef int k
    if island == 0 or s.n_asleep == 0:
        return
    for k in range(s.n_single):
        if s.rest[k].island > 0 and (island == EVERYBODY or s.rest[k].island == island):
            s.rest[k] = Rest(still=0.0, island=0)
            s.calm[s.single[k].handle] = RESTLESS
            s.n_asleep -= 1
    for k in range(s.n_system):
        r = s.system + k
        if z.system[r.handle].island > 0 and (island == EVERYBODY or z.system[r.handle].island == island):
            z.system[r.handle] = Rest(still=0.0, island=0)
            set_calm(s, r, RESTLESS)
            s.n_asleep -= 1
    if island == EVERYBODY:                              # surgery may have left handles behind
        memset(z.system, 0, s.n_bodies * sizeof(Rest))
        s.n_asleep = 0
    for k in range(z.n):
        if island == EVERYBODY or z.island[k] == island:
            z.island[k] = 0
    for k in range(z.n_blocks):
        if island == EVERYBODY or z.block[k].island == island:
            z.block[k].island = 0
    z.stirred = True


cdef void wake_on(Scene* s, Slumber* z, int body) noexcept nogil:
    """Wake what touches a body, by its handle, that no impulse moves."""
    cdef int k
    for k in range(z.n):
        if z.point[k].shape_a >= 0 and (z.point[k].body_a == body or z.point[k].body_b == body):
            wake(s, z, z.island[k])


cdef void rouse(Scene* s, Slumber* z, int handle) noexcept nogil:
    """A system is to move: it wakes, and all that it sleeps with, or that sleeps on its root."""
    if s.n_asleep > 0:
        wake(s, z, z.system[handle].island)
        wake_on(s, z, handle)
    z.system[handle].still = 0.0


cdef void forget_sleeping(Slumber* z, int shape) noexcept nogil:
    """A shape was moved by hand, or is gone: its contacts are none any more."""
    cdef int k
    for k in range(z.n):
        if z.point[k].shape_a == shape or z.point[k].shape_b == shape:
            z.point[k].shape_a = -1
            z.stirred = True


cdef inline char calm_of(const Scene* s, const Slumber* z, const BodyHandle* body) noexcept nogil:
    cdef const SingleState* b
    if body.kind == SYSTEM_BODY:
        if body.body == 0 or body.index >= s.n_system:
            return STANDING
        return ASLEEP if island_of(s, z, body) > 0 else RESTLESS
    if body.kind != SINGLE_BODY or body.index >= s.n_single:      # a handle that is free has no shapes
        return STANDING
    if s.rest[body.index].island > 0:
        return ASLEEP
    if s.single[body.index].type == DYNAMIC:
        return RESTLESS
    b = s.single_state + body.index
    return STANDING if dot3(b.v, b.v) == 0.0 and dot3(b.w, b.w) == 0.0 else RESTLESS


cdef void find_calm(Scene* s, const Slumber* z) noexcept nogil:
    """Find which bodies are calm, if somebody sleeps."""
    cdef int i
    for i in range(s.n_bodies if s.n_asleep > 0 else 0):
        s.calm[i] = calm_of(s, z, s.body + i)


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
                wake(s, z, island_of(s, z, body))
    return news


cdef void wake_linked(Scene* s, Slumber* z) noexcept nogil:
    """Wake what hangs on something that moves and that no impulse moves."""
    cdef const Link* link
    cdef int kind, i, j, k
    if s.n_asleep == 0:
        return
    for kind in range(N_LINK_KINDS):
        for i in range(s.link[kind].n):
            link = s.link[kind].item[i]
            for j in range(link.n_bodies):
                if s.body[link.body[j]].kind != SINGLE_BODY or s.calm[link.body[j]] != RESTLESS:
                    continue
                for k in range(link.n_bodies):
                    if s.calm[link.body[k]] == ASLEEP:
                        wake(s, z, island_of(s, z, s.body + link.body[k]))


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
    """The solver begins with the impulses of what woke, unless it knows them still."""
    cdef WarmStart* W = &solver.memory
    cdef int k, known = W.n
    cdef Key key
    reserve(W, W.n + z.n, W.n_blocks + z.n_blocks, W.n_rows + MOST_KEPT_ROWS * z.n_blocks, &solver.reallocations)
    for k in range(z.n):
        key = key_of(z.point + k)
        if z.point[k].shape_a >= 0 and z.island[k] == 0 and not is_known(W, known, key):
            W.key[W.n], W.impulse[W.n] = key, z.impulse[k]
            W.n += 1
    if W.n > known:
        sort_cones(W)
    for k in range(z.n_blocks):
        if z.block[k].island == 0:
            remember(W, z.block[k].key, z.block[k].rows, z.block[k].impulse)
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
        z.n, kept = kept, 0
        for k in range(z.n_blocks):
            if z.block[k].island > 0:
                z.block[kept] = z.block[k]
                kept += 1
        z.n_blocks = kept
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


cdef bint is_slow_system(const System* r, double most) noexcept nogil:
    """Likewise each of its velocities."""
    cdef double v
    cdef int i
    for i in range(r.m.nv):
        v = r.d.v[i] + (r.work.push[i] if r.work.pushed else 0.0)
        if not v * v <= most:
            return False
    return True


cdef bint count_still(Scene* s, Slumber* z, double dt) noexcept nogil:
    """How long each thing has been slow; whether some have been for long enough."""
    cdef System* r
    cdef Rest* rest
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
    for k in range(s.n_system):
        r = s.system + k
        rest = z.system + r.handle
        if r.m.nb == 1 or rest.island > 0:
            continue
        if is_slow_system(r, most) and not r.control.has_wrenches:
            rest.still += dt
        else:
            rest.still = 0.0
        ready |= rest.still >= s.sleep_time
    return ready


cdef inline int root_of(int* node, int i) noexcept nogil:
    while node[i] != i:
        node[i] = node[node[i]]
        i = node[i]
    return i


cdef inline int node_of(const Scene* s, const BodyHandle* body) noexcept nogil:
    """The node of what falls asleep: of a dynamic single body, or of a system; -1 for what no impulse moves."""
    if is_system(body):
        return s.n_single + body.index
    if body.kind == SINGLE_BODY and s.single[body.index].type == DYNAMIC:
        return body.index
    return -1


cdef inline Rest* rest_of(const Scene* s, Slumber* z, int node) noexcept nogil:
    return s.rest + node if node < s.n_single else z.system + s.system[node - s.n_single].handle


cdef inline void join(const Scene* s, Slumber* z, const BodyHandle* a, const BodyHandle* b) noexcept nogil:
    """Two bodies are of one island, if both are of any."""
    cdef int m = node_of(s, a), n = node_of(s, b)
    if m >= 0 and n >= 0:
        z.node[root_of(z.node, m)] = root_of(z.node, n)


cdef inline void say(const Scene* s, Slumber* z, const BodyHandle* member, const BodyHandle* other) noexcept nogil:
    """What something that is no member says of the island of one that is."""
    cdef int node = node_of(s, member)
    if node >= 0 and node_of(s, other) < 0:
        z.says[root_of(z.node, node)] |= MOVES if calm_of(s, z, other) == RESTLESS else BORNE


cdef void join_islands(const Scene* s, Slumber* z) noexcept nogil:
    """Join what contacts, and constraints between bodies, join."""
    cdef const Link* link
    cdef const BodyHandle* first
    cdef int i, j, kind
    for i in range(s.contacts.n):
        join(s, z, s.body + s.contacts.point[i].body_a, s.body + s.contacts.point[i].body_b)
    for kind in range(N_LINK_KINDS):
        for i in range(s.link[kind].n):
            link = s.link[kind].item[i]
            first = NULL
            for j in range(link.n_bodies):
                if node_of(s, s.body + link.body[j]) >= 0 and first == NULL:
                    first = s.body + link.body[j]
                elif first != NULL:
                    join(s, z, first, s.body + link.body[j])


cdef inline bint is_jammed(const Scene* s, const ContactPoint* c, int m, int n) noexcept nogil:
    """Whether two bodies, one of them a member, are to be parted still: what cannot be only looks as if it rests.

    Shapes of one system may lie in one another for ever.
    """
    if (m < 0 and n < 0) or (m == n and m >= s.n_single):
        return False
    return position_target(c.depth, s.dt, s.erp, s.slop, s.erp_speed) > s.sleep_speed


cdef inline bint never_rests(const Link* link, int kind) noexcept nogil:
    """Whether a constraint does something at all times: a winch, and what a law, or the user, pulls with."""
    return kind == WIRE_LINK and ((<const Wire*> link).kind == CUSTOM or (<const Wire*> link).speed != 0.0)


cdef void ask_links(const Scene* s, Slumber* z) noexcept nogil:
    """What constraints say of the islands of what they join."""
    cdef const Link* link
    cdef int i, j, k, kind, node
    for kind in range(N_LINK_KINDS):
        for i in range(s.link[kind].n):
            link = s.link[kind].item[i]
            for j in range(link.n_bodies):
                node = node_of(s, s.body + link.body[j])
                if node >= 0 and never_rests(link, kind):
                    z.says[root_of(z.node, node)] |= MOVES
                for k in range(link.n_bodies if node >= 0 and link.near else 0):
                    say(s, z, s.body + link.body[j], s.body + link.body[k])


cdef bint stands_fast(const System* r) noexcept nogil:
    """Whether all of its trees stand on its root."""
    cdef int i
    for i in range(1, r.m.nb):
        if r.m.parent[i] == 0 and floats_on_root(r.m, i):
            return False
    return True


cdef void ask_members(const Scene* s, Slumber* z) noexcept nogil:
    """Which islands move, or may, and which are borne."""
    cdef const BodyHandle* a
    cdef const BodyHandle* b
    cdef const Rest* rest
    cdef int i, m, n
    for i in range(s.n_single + s.n_system):
        rest = rest_of(s, z, i)
        if rest.still < s.sleep_time or rest.island > 0:
            z.says[root_of(z.node, i)] |= MOVES
        if i >= s.n_single and stands_fast(s.system + (i - s.n_single)):
            z.says[root_of(z.node, i)] |= BORNE
    for i in range(s.contacts.n):
        a, b = s.body + s.contacts.point[i].body_a, s.body + s.contacts.point[i].body_b
        m, n = node_of(s, a), node_of(s, b)
        if is_jammed(s, s.contacts.point + i, m, n):
            z.says[root_of(z.node, m if m >= 0 else n)] |= MOVES
        say(s, z, a, b)
        say(s, z, b, a)
    ask_links(s, z)


cdef void put_to_sleep(Scene* s, Slumber* z, int node, long island) noexcept nogil:
    """It stands from here on."""
    cdef System* r
    cdef int k = node
    rest_of(s, z, node).island = island
    s.n_asleep += 1
    if node < s.n_single:
        s.single_state[k].v = s.single_state[k].w = zero3()
        s.single_scratch[k].acceleration = s.single_scratch[k].angular_acceleration = zero3()
        return
    r = s.system + (node - s.n_single)
    memset(r.d.v, 0, r.m.nv * sizeof(double))
    memset(r.work.v_start, 0, r.m.nv * sizeof(double))
    memset(r.work.v_next, 0, r.m.nv * sizeof(double))
    memset(r.work.acceleration, 0, r.m.nv * sizeof(double))
    r.d.stage = 0
    r.work.kept = False


cdef int keep_contacts_of(const Scene* s, Slumber* z, const ContactProblem* solved, int first_cone,
                          long known) except -1 nogil:
    """Contacts of those whose islands are above the number `known`."""
    cdef const ContactPoint* c
    cdef long island
    cdef int i
    for i in range(s.contacts.n):
        c = s.contacts.point + i
        island = max(island_of(s, z, s.body + c.body_a), island_of(s, z, s.body + c.body_b))
        if island > known:
            reserve_slumber(z, z.n + 1, z.n_blocks)
            z.point[z.n], z.impulse[z.n], z.island[z.n] = c[0], cone_impulse(solved, first_cone + i), island
            z.n += 1
    return 0


cdef long island_at(const Scene* s, const Slumber* z, const ContactProblem* p, int r) noexcept nogil:
    """Of what a row that is no cone's acts on, the first thing."""
    cdef const System* system
    cdef int k, side, coordinate
    for side in range(2):
        k = p.side[2 * r + side].body
        if k >= 0:
            return s.rest[k].island
    if p.entry_start[r] == p.entry_start[r + 1]:
        return 0
    coordinate = p.entry[p.entry_start[r]].coordinate
    for k in range(s.n_system):
        system = s.system + k
        if 0 <= coordinate - system.work.coordinate < system.m.nv:
            return z.system[system.handle].island
    return 0


cdef int keep_blocks_of(const Scene* s, Slumber* z, const ContactProblem* p, long known) except -1 nogil:
    """Impulses of all other rows of those."""
    cdef const Block* B
    cdef KeptBlock* kept
    cdef long island
    cdef int i, k
    for i in range(p.n_cones, p.n):
        B = p.block + i
        island = island_at(s, z, p, B.first_row - 3 * p.n_cones)
        if island > known and B.rows <= MOST_KEPT_ROWS:
            reserve_slumber(z, z.n, z.n_blocks + 1)
            kept = z.block + z.n_blocks
            memset(kept, 0, sizeof(KeptBlock))
            kept.key, kept.rows, kept.island = B.key, B.rows, island
            for k in range(B.rows):
                kept.impulse[k] = p.impulse[B.first_row + k]
            z.n_blocks += 1
    return 0


cdef int fall_asleep(Scene* s, Slumber* z, const ContactProblem* solved, int first_cone, double dt) except -1 nogil:
    """At the end of a step of length dt: those islands that have been slow for long enough.

    Something has to bear them, unless there is no gravity: what turns back in the air is slow for a moment, too.
    """
    cdef long known = s.islands
    cdef bint floats = dot3(s.gravity, s.gravity) == 0.0
    cdef int k, root, n = s.n_single + s.n_system
    z.found = z.n
    if not count_still(s, z, dt):
        return 0
    grow(<void**> &z.node, &z.room[3], n, sizeof(int))
    grow(<void**> &z.says, &z.room[4], n, sizeof(char))
    for k in range(n):
        z.node[k], z.says[k] = k, 0
    join_islands(s, z)
    ask_members(s, z)
    for k in range(n):
        root = root_of(z.node, k)
        if k < s.n_single and s.single[k].type != DYNAMIC or z.says[root] & MOVES:
            continue
        if not (floats or z.says[root] & BORNE):
            continue
        if rest_of(s, z, root).island == 0:
            s.islands += 1
            put_to_sleep(s, z, root, s.islands)
        if k != root:
            put_to_sleep(s, z, k, rest_of(s, z, root).island)
    if s.islands > known:
        keep_contacts_of(s, z, solved, first_cone, known)
        keep_blocks_of(s, z, solved, known)
        lay_down(s, z)
    return 0
