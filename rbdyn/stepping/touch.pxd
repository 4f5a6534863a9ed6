# Which articulated systems are in contact in this step, whether with anything that no impulse moves, and what it does
# to the momentum of those that fly.

from rbdyn.model.joints.dispatch cimport floats_on_root
from rbdyn.spatial._algebra cimport Vec3, scale3
from rbdyn.stepping.flight.momentum cimport note_blow
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, System
from rbdyn.stepping.wrenches cimport note_load

cdef inline int tree_of(const System* s, int i) noexcept nogil:
    """The body on the root that carries body i; 0 for the root."""
    while s.m.parent[i]:
        i = s.m.parent[i]
    return i

cdef inline bint in_one_tree(const Scene* s, const BodyHandle* a, const BodyHandle* b) noexcept nogil:
    """Whether two bodies move on one tree of one system."""
    if a.kind != SYSTEM_BODY or b.kind != SYSTEM_BODY or a.index != b.index:
        return False
    return tree_of(s.system + a.index, a.body) == tree_of(s.system + b.index, b.body)

cdef inline bint is_fixed(const System* s) noexcept nogil:
    """Whether some tree of the system stands on its root."""
    cdef int i
    for i in range(1, s.m.nb):
        if s.m.parent[i] == 0 and not floats_on_root(s.m, i):
            return True
    return False

cdef inline bint stands(const Scene* s, const BodyHandle* body) noexcept nogil:
    """Whether no impulse moves a body."""
    if body.kind == SINGLE_BODY:
        return s.single[body.index].type != DYNAMIC
    return body.kind != SYSTEM_BODY or body.body == 0

cdef inline bint holds(const Scene* s, const BodyHandle* body) noexcept nogil:
    """Whether a body is held, as far as is known."""
    if body.kind == SINGLE_BODY and s.single_scratch[body.index].grounded:
        return True
    if body.kind == SYSTEM_BODY and s.system[body.index].work.grounded:
        return True
    return stands(s, body)

cdef inline bint pass_on(const Scene* s, const BodyHandle* a, const BodyHandle* b) noexcept nogil:
    """What touches something held is held too; returns whether that was news."""
    if b.kind == SINGLE_BODY and holds(s, a) and not holds(s, b):
        s.single_scratch[b.index].grounded = True
        return True
    if b.kind == SYSTEM_BODY and holds(s, a) and not holds(s, b):
        s.system[b.index].work.grounded = True
        return True
    return False

cdef inline void find_grounded(const Scene* s) noexcept nogil:
    """Follow the contacts from what no impulse moves, until nothing new is held."""
    cdef const BodyHandle* a
    cdef const BodyHandle* b
    cdef bint news = True
    cdef int k, kind
    for k in range(s.n_movers):
        s.single_scratch[s.mover[k]].grounded = False
    while news:
        news = False
        for k in range(s.contacts.n):
            a = s.body + s.contacts.point[k].body_a
            b = s.body + s.contacts.point[k].body_b
            news |= pass_on(s, a, b) or pass_on(s, b, a)
        for kind in range(N_LINK_KINDS):
            for k in range(s.link[kind].n):
                news |= pass_along(s, s.link[kind].item[k])

cdef inline bint pass_along(const Scene* s, const Link* link) noexcept nogil:
    """What a constraint that holds connects with something held is held too; returns whether that was news."""
    cdef bint news = False
    cdef int i, j
    if link.holds:
        for i in range(link.n_bodies):
            for j in range(link.n_bodies):
                news |= pass_on(s, s.body + link.body[i], s.body + link.body[j])
    return news

cdef inline void touch_single(const Scene* s, const BodyHandle* body) noexcept nogil:
    if body.kind == SINGLE_BODY:
        s.single_scratch[body.index].touched = True

cdef inline void mark_linked(const Scene* s, const Link* link) noexcept nogil:
    """The same of what a constraint holds."""
    cdef const BodyHandle* body
    cdef const BodyHandle* other
    cdef System* r
    cdef int i, j
    for i in range(link.n_bodies if link.holds else 0):
        body = s.body + link.body[i]
        touch_single(s, body)
        if body.kind == SYSTEM_BODY:
            r = s.system + body.index
            r.work.touched = r.work.in_contact = True
            for j in range(link.n_bodies):
                other = s.body + link.body[j]
                r.work.outside |= not in_one_tree(s, body, other)
                r.work.grounded |= body.body > 0 and j != i and stands(s, other)

cdef inline void mark_links(const Scene* s) noexcept nogil:
    """What constraints between bodies hold; single bodies in contact are marked if there are any."""
    cdef int kind, k, n = 0
    for kind in range(N_LINK_KINDS):
        n += s.link[kind].n
    if n == 0:
        return
    for k in range(s.n_single):
        s.single_scratch[k].touched = False
    for k in range(s.contacts.n):
        touch_single(s, s.body + s.contacts.point[k].body_a)
        touch_single(s, s.body + s.contacts.point[k].body_b)
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            mark_linked(s, s.link[kind].item[k])

cdef inline void mark_touched(const Scene* s) noexcept nogil:
    """Which systems have contacts or constraints, which with anything but themselves, and which are held by them."""
    cdef const BodyHandle* pair[2]
    cdef bint outside, asked = False
    cdef int k, side
    for k in range(s.n_system):
        s.system[k].work.touched = s.system[k].control.inloop or s.system[k].work.stopped
        s.system[k].work.in_contact = s.system[k].work.stopped
        s.system[k].work.outside = False
        s.system[k].work.grounded = s.system[k].control.tied
    mark_links(s)
    if s.n_system == 0:
        return
    for k in range(s.contacts.n):
        pair[0] = s.body + s.contacts.point[k].body_a
        pair[1] = s.body + s.contacts.point[k].body_b
        outside = not in_one_tree(s, pair[0], pair[1])
        for side in range(2):
            if pair[side].kind == SYSTEM_BODY:
                s.system[pair[side].index].work.touched = True
                s.system[pair[side].index].work.outside |= outside
                s.system[pair[side].index].work.grounded |= pair[side].body > 0 and stands(s, pair[1 - side])
    for k in range(s.n_system):
        s.system[k].work.grounded |= s.system[k].work.outside and is_fixed(s.system + k)
        asked |= s.system[k].work.outside and not s.system[k].work.grounded
    if asked:
        find_grounded(s)

cdef inline void note_blows(const Scene* s, const BodyHandle* a, const BodyHandle* b, Vec3 at_a, Vec3 at_b,
                            Vec3 impulse, Vec3 moment) noexcept nogil:
    """What a contact does to bodies of systems, and to the momentum of trees that float.

    It is an impulse and a moment on body a, the opposite on b.
    """
    if a.kind == SYSTEM_BODY:
        note_load(s.system + a.index, a.body, at_a, impulse, moment)
    if b.kind == SYSTEM_BODY:
        note_load(s.system + b.index, b.body, at_b, scale3(-1.0, impulse), scale3(-1.0, moment))
    if in_one_tree(s, a, b):
        return
    if a.kind == SYSTEM_BODY:
        note_blow(s.system + a.index, a.body, at_a, impulse, moment)
    if b.kind == SYSTEM_BODY:
        note_blow(s.system + b.index, b.body, at_b, scale3(-1.0, impulse), scale3(-1.0, moment))
