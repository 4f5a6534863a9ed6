"""Which bodies collide, changed while they are in a World."""

from rbdyn.arguments import flag, shown, whole
from rbdyn.errors import Error
from rbdyn.mechanism.surgery.filtering import ignored_pairs, put_pairs
from rbdyn.world.objects.handles.body_ref import BodyRef

from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody

WHAT = 'an object, (robot, "body name") or a handle of a body'


cdef tuple named(Registry registry, object given, str argument):
    """(object, body or None for all of it) that `given` stands for."""
    if isinstance(given, BodyRef):
        given = given.robot, given._thing
    body = None
    if isinstance(given, tuple):
        if len(given) != 2:
            raise Error(f"{argument} must be {WHAT}, got {shown(given)}")
        given, body = given
    if not isinstance(given, (WorldObject, str)):
        raise Error(f"{argument} must be {WHAT}, got {shown(given)}")
    obj = registry.object_in(given)
    if body is not None and isinstance(obj, SingleBody):
        obj._check_body(body)
        body = None
    return obj, body


cdef int set_ignored(Registry registry, object a, object b, bint ignored) except -1:
    """Two objects, or links, that never collide with one another; or do again."""
    one, link = named(registry, a, "a")
    other, other_link = named(registry, b, "b")
    pairs = registry.filters.pairs_of(one, link, other, other_link)
    registry.lock.begin_edit()
    try:
        changed = [pair for pair in pairs if (pair in registry.filters.ignored) != ignored]
        said = {obj: ignored_pairs(obj.mechanism) for pair in pairs for obj, body in pair if body is not None}
        try:
            registry.filters.ignore(pairs, ignored)
        except BaseException:
            for robot, before in said.items():
                put_pairs(robot.mechanism, before)
            registry.filters.ignore(changed, not ignored)
            for robot in said:
                registry.filters.follow(robot)
            raise
        registry.revision += 1
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int set_filters(Registry registry, ArticulatedSystem robot, object self_collision, object collide_with_parent,
                     object contacts_per_self_pair) except -1:
    """How a robot collides with itself; None stays, and 0 contacts are all."""
    own = robot.self_collides if self_collision is None else flag(self_collision, "self_collision")
    near = robot.meets_parents if collide_with_parent is None else flag(collide_with_parent, "collide_with_parent")
    most = robot.self_contacts
    if contacts_per_self_pair is not None:
        most = whole(contacts_per_self_pair, "contacts_per_self_pair", least=0, most=2**30)
    robot.check_alive()
    registry.lock.begin_edit()
    try:
        before = robot.self_collides, robot.meets_parents, robot.self_contacts
        try:
            put_filters(registry, robot, (own, near, most))
        except BaseException:
            put_filters(registry, robot, before)
            raise
        registry.revision += 1
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int put_filters(Registry registry, ArticulatedSystem robot, tuple values) except -1:
    robot.self_collides, robot.meets_parents, robot.self_contacts = values
    registry.filters.exclude(robot)
    return registry.filters.find_limits(registry.systems)
