"""Which bodies never collide, beside groups and masks, and how many contacts two bodies of a robot may have.

Bodies that fixed joints hold to one another are one here, as for collision.
"""

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.mechanism.neighbours import is_filled, is_rigid, near
from rbdyn.mechanism.surgery.filtering import ignored_pairs

from libc.stdlib cimport free

from rbdyn.collision.broad_phase.filters cimport (
    APART, JOINED, TOGETHER, allow_pair, exclude_pair, is_excluded, put_shape_pairs,
)
from rbdyn.collision.shape_table cimport Table
from rbdyn.memory cimport grow
from rbdyn.model.model cimport Model
from rbdyn.stepping.self_limits cimport SelfLimit
from rbdyn.world.objects.single_body cimport SingleBody


cdef set near_bodies(Model model):
    """Pairs of bodies that never collide, as the Model has them."""
    filled = {k for k, parts in enumerate(model.parts) if any([is_filled(body) for body, _ in parts])}
    parents, freedoms = zip(*[(model.c.parent[k], model.c.nvi[k]) for k in range(model.c.nb)])
    return near(parents, [n == 6 for n in freedoms], filled, model.loop_bodies)


cdef set held_bodies(Model model):
    """Pairs of bodies that a loop joint fixes to one another."""
    loops = zip(model.loop_bodies, model.mechanism.non_tree_joints)
    return {(min(pair), max(pair)) for pair, joint in loops if is_rigid(joint)}


cdef tuple pairs_of_file(ArticulatedSystem robot):
    """Find pairs of bodies and shapes that the mechanism of a robot keeps apart or together.

    Returns
    -------
    whole : set of (a, b), a < b
        Numbers of bodies of the Model of which all shapes keep apart.
    shapes : set of (a, b), a < b
        Flagged ids of shapes: where only some bodies of a rigid group are named, and shapes that share a label.
    """
    cdef Model model = robot.model
    cdef int a, b
    cdef dict named = {}, labelled = {}
    whole, shapes = set(), set()
    for pair in ignored_pairs(robot.mechanism):
        one, other = pair
        a, b = model.find(one).body, model.find(other).body
        if a != b:
            named.setdefault((min(a, b), max(a, b)), []).append((one, other))
    if named:
        solid = [sum([bool(body.collision) for body, _ in parts]) for parts in model.parts]
        for (a, b), pairs in named.items():
            pairs = [pair for pair in pairs if pair[0].collision and pair[1].collision]
            if len(pairs) == solid[a] * solid[b]:
                whole.add((a, b))
                continue
            shapes.update([flagged(i, j, APART) for one, other in pairs
                           for _, i in robot.shapes_of[one] for _, j in robot.shapes_of[other]])
    for entries in robot.shapes_of.values():
        for item, shape_id in entries:
            for label in item.pairs:
                labelled.setdefault(label, []).append(shape_id)
    for ids in labelled.values():
        shapes.update([flagged(i, j, TOGETHER) for k, i in enumerate(ids) for j in ids[:k]])
    return whole, shapes


cdef tuple flagged(int i, int j, int flag):
    """A pair of ids of shapes, as the set of the backend has it."""
    return min(i, j) | flag, max(i, j) | flag


cdef int allow_joined(CollisionBackend collision, int handle, int n) except -1:
    """No body of a run of n handles is a neighbour of the first one on a joint any more."""
    cdef int b
    for b in range(1, n):
        allow_pair(&collision.table, handle | JOINED, (handle + b) | JOINED)
    return 0


cdef int allow_in_file(ArticulatedSystem robot, object link, object other) except -1:
    """Drop pairs of bodies on two links of a robot from what its mechanism keeps from colliding."""
    cdef Model model = robot.model
    ends = [[body for body, _ in model.parts[model.find(one).body]] for one in (link, other)]
    for pair in [pair for pair in ignored_pairs(robot.mechanism) if all([pair & set(bodies) for bodies in ends])]:
        robot.mechanism.allow_collision(*pair)
    return 0


cdef class Filters:
    """What the collision backend of one World is told of pairs of bodies."""

    def __init__(self, CollisionBackend collision not None):
        self.collision, self.ignored, self.taken = collision, set(), {}

    def __dealloc__(self):
        free(self.limits.of)

    # ---- bodies of objects -----------------------------------------------------------------------

    cdef int handle_of(self, tuple part) except -1:
        """Body handle of (object, link)."""
        cdef WorldObject obj = part[0]
        cdef ArticulatedSystem robot
        if isinstance(obj, SingleBody):
            return (<SingleBody> obj).body().handle
        robot = obj
        return robot.system().handle + robot.model.find(part[1]).body

    cdef list parts_of(self, WorldObject obj, object body):
        """(object, link) of one body, or of all if `body` is None; a link is the RigidBody that carries the others."""
        cdef Model model
        if isinstance(obj, SingleBody):
            if body is not None:
                obj._check_body(body)
            return [(obj, None)]
        obj._take_in_edits()
        model = (<ArticulatedSystem> obj).model
        if body is None:
            return [(obj, parts[0][0]) for parts in model.parts]
        return [(obj, model.parts[model.find((<ArticulatedSystem> obj).known(body)).body][0][0])]

    cdef list pairs_of(self, WorldObject a, object link_a, WorldObject b, object link_b):
        """Pairs of what these name; Error if they never collide because they are one body."""
        pairs = [(one, other) for one in self.parts_of(a, link_a) for other in self.parts_of(b, link_b)]
        # frozenset of a tuple that is written out crashes for want of memory: Cython 3.3 does not look
        pairs = [pair for pair in [frozenset(pair) for pair in pairs] if len(pair) == 2]
        if not pairs:
            raise Error(f"two bodies must be given, got {shown(a.name)} and itself"
                        + ("" if link_a is None else f": {shown(link_a)} and {shown(link_b)} are on one body"))
        return pairs

    # ---- pairs that never collide ------------------------------------------------------------------

    cdef int exclude(self, ArticulatedSystem robot) except -1:
        """Tell the backend which bodies of a robot never collide with one another.

        What a joint joins to the root touches the shapes of the world itself, unless it is fixed to it.
        """
        cdef Model model = robot.model
        cdef Table* table = &self.collision.table
        cdef int a, b, handle = robot.system().handle
        cdef bint neighbours, joined, never
        cdef set together = set() if robot.meets_parents else near_bodies(model), held = held_bodies(model)
        links = [parts[0][0] for parts in model.parts]
        whole, shapes = pairs_of_file(robot)
        self.taken[robot] = ignored_pairs(robot.mechanism)
        for b in range(model.c.nb):
            for a in range(b):
                neighbours = (a, b) in together
                joined = neighbours and a == 0 and (a, b) not in held
                if joined:
                    exclude_pair(table, handle | JOINED, (handle + b) | JOINED)
                elif a == 0:
                    allow_pair(table, handle | JOINED, (handle + b) | JOINED)
                never = not robot.self_collides or neighbours and not joined or (a, b) in whole
                if not never and self.ignored:
                    pair = (robot, links[a]), (robot, links[b])
                    never = frozenset(pair) in self.ignored
                if never:
                    self.collision.exclude(handle + a, handle + b)
                elif is_excluded(table, handle + a, handle + b):
                    self.collision.allow(handle + a, handle + b)
        ids = {shape_id for entries in robot.shapes_of.values() for _, shape_id in entries}
        return put_shape_pairs(table, shapes, ids)

    cdef int follow(self, ArticulatedSystem robot) except -1:
        """Take in pairs of bodies that were edited in the mechanism of a robot."""
        return 0 if self.taken.get(robot) is ignored_pairs(robot.mechanism) else self.exclude(robot)

    cdef int ignore(self, list pairs, bint ignored) except -1:
        """These never collide, or as others do."""
        robots = {}
        for pair in pairs:
            one, other = pair
            if ignored:
                self.ignored.add(pair)
            else:
                self.ignored.discard(pair)
            if one[0] is other[0]:
                robots[id(one[0])] = one[0]
                if not ignored:
                    allow_in_file(one[0], one[1], other[1])
            elif ignored:
                self.collision.exclude(self.handle_of(one), self.handle_of(other))
            else:
                self.collision.allow(self.handle_of(one), self.handle_of(other))
        for robot in robots.values():
            self.exclude(robot)
        return 0

    cdef int leave(self, WorldObject obj) except -1:
        """What was said of an object that goes, whose body handles others will have; the object is still whole."""
        cdef ArticulatedSystem robot
        cdef int a, b, handle
        for pair in [pair for pair in self.ignored if any([one is obj for one, _ in pair])]:
            one, other = pair
            self.ignored.discard(pair)
            if one[0] is not other[0]:
                self.collision.allow(self.handle_of(one), self.handle_of(other))
        self.taken.pop(obj, None)
        if isinstance(obj, ArticulatedSystem):
            robot = obj
            handle = robot.system().handle
            if handle >= 0:
                allow_joined(self.collision, handle, robot.model.c.nb)
            for a in range(robot.model.c.nb if handle >= 0 else 0):
                for b in range(a):
                    self.collision.allow(handle + a, handle + b)
        return 0

    # ---- contacts of two bodies of a robot -----------------------------------------------------------

    cdef int find_limits(self, list systems) except -1:
        """Which robots have fewer than they could; after robots come, go, or are told so."""
        cdef ArticulatedSystem robot
        cdef int n = 0
        for robot in systems:
            if robot.self_contacts > 0:
                grow(<void**> &self.limits.of, &self.limits.room, n + 1, sizeof(SelfLimit))
                self.limits.of[n].first = robot.system().handle
                self.limits.of[n].last = self.limits.of[n].first + robot.model.c.nb - 1
                self.limits.of[n].most = robot.self_contacts
                n += 1
        self.limits.n = n
        return 0
