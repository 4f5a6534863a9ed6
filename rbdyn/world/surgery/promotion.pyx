"""A single body that becomes a robot of one body: what it is, where, how it moves, and all that hangs on it goes on."""

from rbdyn.errors import Error
from rbdyn.mechanism import Floating, Joint, Mechanism, RigidBody
from rbdyn.spatial.inertia import SpatialInertia

from rbdyn.kernels.kinematics cimport poses
from rbdyn.model.model cimport Placement
from rbdyn.spatial._algebra cimport Sym3
from rbdyn.spatial._algebra cimport force as make_force
from rbdyn.stepping.scene cimport DYNAMIC, SYSTEM_BODY, Scene, SingleControl, SingleState
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.end cimport End
from rbdyn.world.edits.renewal cimport catch_up
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.filters cimport Filters
from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.taking cimport insides_of
from rbdyn.world.snapshot.undoing cimport Undo, note_now
from rbdyn.world.surgery.holding cimport move_ends


cdef object as_robot(Registry registry, SingleBody body, object operation):
    """Let `operation` do something with the robot that a single body becomes; if it raises, all is as it was."""
    cdef Insides inside = insides_of(body.world)
    cdef Undo undo
    registry.lock.check_settable()
    registry.check_not_simulated()
    if body.body().type != DYNAMIC:
        raise Error(f"single body {body.name!r} is {body.body_type}: what joins a robot must be dynamic")
    catch_up(registry)
    undo = note_now(inside)
    try:
        return operation(promoted(registry, body))
    except BaseException:
        undo.carry_out()
        raise


cdef ArticulatedSystem promoted(Registry registry, SingleBody body):
    """The robot in its place, under its name."""
    cdef ArticulatedSystem robot = ArticulatedSystem.__new__(ArticulatedSystem)
    registry.lock.begin_edit()
    try:
        robot.name = body.name
        robot.build(mechanism_of(body))
        enter(registry, robot, body)
        carry_motion(registry, robot, body)
        carry_shapes(registry, robot, body)
        carry_pairs(registry.filters, robot, body)
        carry_ends(registry, robot, body)
        leave(registry, body)
        registry.objects[robot.name] = robot
        registry.revision += 1
    finally:
        registry.lock.end_edit()
    return robot


cdef object mechanism_of(SingleBody body):
    """One body on a floating joint, with its name, inertia and shapes."""
    cdef Sym3 J = body.body().I_b
    matrix = [[J.xx, J.xy, J.xz], [J.xy, J.yy, J.yz], [J.xz, J.yz, J.zz]]
    link = RigidBody(body.name, None, body.geometries)
    link.take_inertia(SpatialInertia(body.body().mass, (0.0, 0.0, 0.0), matrix))
    root = RigidBody("world" if body.name != "world" else "world_")
    mechanism = Mechanism(root)
    mechanism.name = body.name
    mechanism.attach(root, link, Joint(f"{body.name}_floats", Floating()))
    return mechanism


cdef int enter(Registry registry, ArticulatedSystem robot, SingleBody body) except -1:
    """Into the scene, with body handles of its own."""
    cdef Scene* s = &registry.memory.scene
    cdef int k, handle
    robot.lock, robot.memory, robot._world = registry.lock, registry.memory, registry.world
    robot.moved_at, robot.shape_ids = body.moved_at, list(body.shape_ids)
    robot.index = registry.memory.add_system(&robot.model.c, &robot.state.c)
    registry.systems.append(robot)
    registry.mechanisms.add(robot.mechanism)
    handle = registry.memory.take_handles(robot.model.c.nb)
    s.system[robot.index].handle = handle
    for k in range(robot.model.c.nb):
        s.body[handle + k].kind, s.body[handle + k].index, s.body[handle + k].body = SYSTEM_BODY, robot.index, k
    return 0


cdef int carry_motion(Registry registry, ArticulatedSystem robot, SingleBody body) except -1:
    """Where it is, how it moves, and what acts on it in the coming step."""
    cdef Scene* s = &registry.memory.scene
    cdef SingleState* now = body.state()
    cdef SingleControl* given = body.control()
    cdef int k, handle = robot.system().handle
    robot.state.set([now.p.x, now.p.y, now.p.z, now.q[0], now.q[1], now.q[2], now.q[3]],
                    [now.v.x, now.v.y, now.v.z, now.w.x, now.w.y, now.w.z])
    robot.begin()
    robot.set_gravity(s.gravity)
    poses(&robot.model.c, &robot.state.c)
    for k in range(robot.model.c.nb):
        s.pose[handle + k].R, s.pose[handle + k].p = robot.state.c.R[k], robot.state.c.p[k]
    robot.system().control.wrench[1] = make_force(given.torque, given.force)
    robot.system().control.lever[1] = given.lever
    robot.system().control.has_wrenches = True
    return 0


cdef int carry_shapes(Registry registry, ArticulatedSystem robot, SingleBody body) except -1:
    """Its shapes under the same ids, so that contacts, and impulses from which solvers start, go on."""
    cdef int handle = robot.system().handle
    root, link = robot.mechanism.bodies
    for item, shape_id in zip(body.geometries, body.shape_ids, strict=True):
        registry.collision.move_shape(shape_id, handle + 1, None, True)
        registry.shapes[shape_id] = (robot, link.name, item.name or link.name, link.name)
    robot.shapes_of = {root: [], link: list(zip(body.geometries, body.shape_ids, strict=True))}
    robot.self_collides = True
    return registry.filters.exclude(robot)


cdef int carry_pairs(Filters filters, ArticulatedSystem robot, SingleBody body) except -1:
    """What it never collides with."""
    cdef int was = body.body().handle, now = robot.system().handle + 1
    for pair in [pair for pair in filters.ignored if (body, None) in pair]:
        other, = pair - {(body, None)}
        filters.ignored.discard(pair)
        ends = (robot, robot.mechanism.bodies[1]), other
        filters.ignored.add(frozenset(ends))
        filters.collision.allow(was, filters.handle_of(other))
        filters.collision.exclude(now, filters.handle_of(other))
    return 0


cdef int carry_ends(Registry registry, ArticulatedSystem robot, SingleBody body) except -1:
    """The constraints that hang on it."""
    cdef Placement place = robot.model.find(robot.mechanism.bodies[1])
    cdef Constraint constraint
    cdef End end, moved
    planned = []
    for constraint in registry.constraints.values():
        if not constraint.hangs_on(body):
            continue
        ends = []
        for end in constraint.held:
            if end.obj is body:
                moved = End.__new__(End)
                moved.obj, moved.body, moved.handle = robot, body.name, robot.system().handle + place.body
                moved.R, moved.p = place.R, place.p
                end = moved
            ends.append(end)
        planned.append((constraint, tuple(ends)))
    return move_ends(planned)


cdef int leave(Registry registry, SingleBody body) except -1:
    """Out of the scene."""
    cdef WorldObject other
    registry.memory.remove_single(body.index)
    del registry.singles[body.index]
    for other in registry.singles[body.index:]:
        other.index -= 1
    body.lock = body.memory = None
    body.shape_ids = []
    return 0
