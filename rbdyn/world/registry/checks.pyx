"""Values that a World accepts and that are probably mistakes: looked for at the first step after they were set.

A step that follows another one without an edit looks at nothing but flags.
"""

from rbdyn.contact.materials import DEFAULT
from rbdyn.world.objects.joints.readings import ball_positions
from rbdyn.world.registry import setup_warnings as say

from libc.math cimport isfinite
from libc.stdlib cimport free

from rbdyn.collision._types cimport ContactBuffer
from rbdyn.collision.contact_buffer cimport buffer_free, buffer_init
from rbdyn.collision.probe cimport contacts_among
from rbdyn.collision.shape_table cimport Table, find_slot
from rbdyn.memory cimport grow
from rbdyn.stepping.constraints.contact.depths cimport least_overlap
from rbdyn.stepping.coordinates cimport coordinate
from rbdyn.stepping.scene cimport Limit, Scene, System, SystemControl
from rbdyn.stepping.phases cimport kinematics

cdef double LONG_STEP = 0.1   # [s] a body falls by 5 cm from rest in it; milliseconds given as seconds are longer
cdef double OUTSIDE = 0.01    # share of a joint's range by which motion may lead it beyond its limits
cdef double FAR = 2.0         # ranges beyond its limits: targets in degrees or millimetres are 57 or 1000 times as far


cdef int check_setup(Registry registry) except -1:
    """Say what was set since the last step and is probably a mistake; the World is as it was after an error."""
    cdef ArticulatedSystem robot
    while registry.newcomers:
        robot = registry.newcomers.pop(0)
        if robot.lock is registry.lock:
            say.overlaps(robot.name, overlaps_of(registry, robot))
    for robot in list(registry.systems) if any_anew(registry) else ():
        check_positions(robot)
        check_targets(robot)
    if registry.checked_materials != registry.materials.revision:
        registry.checked_materials = registry.materials.revision
        check_materials(registry)
    if registry.checked_step != registry.memory.scene.dt:
        registry.checked_step = registry.memory.scene.dt
        if registry.checked_step > LONG_STEP:
            say.long_step(registry.checked_step)
    return 0


cdef tuple unchecked(Registry registry):
    """Pending checks and given warnings, as values that can be pickled, for a copy of the World."""
    cdef ArticulatedSystem robot
    robots = {robot.name: (bool(robot.placed_anew), bool(robot.driven_anew), bool(robot.said_outside),
                           bool(robot.said_far)) for robot in registry.systems}
    new = [robot.name for robot in registry.newcomers if robot.lock is registry.lock]
    return (new, robots, sorted(registry.unpaired), sorted(registry.said_materials),
            registry.checked_materials == registry.materials.revision, registry.checked_step)


cdef int put_unchecked(Registry registry, tuple noted, dict objects) except -1:
    """Set the pending checks of a copy, whose objects have these names."""
    cdef ArticulatedSystem robot
    new, robots, unpaired, said, looked, registry.checked_step = noted
    for name, flags in robots.items():
        robot = objects[name]
        robot.placed_anew, robot.driven_anew, robot.said_outside, robot.said_far = flags
    registry.newcomers = [objects[name] for name in new]
    registry.unpaired, registry.said_materials = set(unpaired), set(said)
    registry.checked_materials = registry.materials.revision if looked else -1
    return 0


cdef int leave_unchecked(Registry registry) except -1:
    """Look at nothing that is there by now: another World like this one says it."""
    cdef ArticulatedSystem robot
    for robot in registry.systems:
        robot.placed_anew = robot.driven_anew = False
    registry.newcomers, registry.unpaired = [], set()
    registry.checked_materials, registry.checked_step = registry.materials.revision, registry.memory.scene.dt
    return 0


cdef bint any_anew(Registry registry) except -1:
    """Test for a robot whose state or targets were set since the last check."""
    cdef ArticulatedSystem robot
    for robot in registry.systems:
        if robot.placed_anew or robot.driven_anew:
            return True
    return False


# ---- joints --------------------------------------------------------------------------------------


cdef inline double excess(const Limit* limit, double q) noexcept nogil:
    """Distance of q beyond its nearer limit [rad or m], negative within the range."""
    return max(limit.lower - q, q - limit.upper)


cdef inline bint is_beyond(const Limit* limit, double q, double share) noexcept nogil:
    """Test that q is beyond a limit by more than this share of the range; False if the range is infinite."""
    cdef double range = limit.upper - limit.lower
    return isfinite(range) and range > 0.0 and excess(limit, q) > share * range


cdef int check_positions(ArticulatedSystem robot) except -1:
    """Joints that were set beyond their limits; those whose ends give way may stand there."""
    cdef System* s = robot.system()
    cdef const Limit* limit
    cdef int k
    if not robot.placed_anew or robot.said_outside:
        robot.placed_anew = False
        return 0
    robot.placed_anew = False
    found = []
    for k in range(s.control.n_limits):
        limit = s.control.limit + k
        if limit.soft.softness == 0.0 and is_beyond(limit, coordinate(limit, s.d.q), OUTSIDE):
            found.append((*name_of(robot, limit.dof), coordinate(limit, s.d.q), limit.lower, limit.upper))
    if s.control.n_balls > 0:
        found += balls_beyond(robot, robot.q, OUTSIDE, robot.limit_softness[0] == 0.0)
    if found:
        robot.said_outside = True
        say.positions(robot, found)
    return 0


cdef tuple name_of(ArticulatedSystem robot, int dof):
    """Name and unit of a degree of freedom whose position is a number of q."""
    joint = robot.mechanism.find_joint(robot.model.joint_of(dof))
    k = dof - robot.model.joint_v_index(joint.name)
    unit = "m" if k < joint.joint_type.num_translations else "rad"
    return repr(joint.name) + (f"[{k}]" if joint.num_velocities > 1 else ""), unit


cdef list balls_beyond(ArticulatedSystem robot, object q, double share, object counts):
    """Limits of spherical joints that q is beyond by more than this share of their range; `counts` (nv,): of which."""
    cdef Limit limit
    found = []
    for name, dof, what, x, low, high in ball_positions(robot, q):
        limit.lower, limit.upper = low, high
        if counts[dof] and is_beyond(&limit, x, share):
            found.append((f"{name!r} ({what})", "rad", x, low, high))
    return found


cdef int check_targets(ArticulatedSystem robot) except -1:
    """Targets of PD control to which joints cannot come by far."""
    cdef System* s = robot.system()
    cdef SystemControl* c = &s.control
    cdef const Limit* limit
    cdef int k
    if not robot.driven_anew or robot.said_far:
        robot.driven_anew = False
        return 0
    robot.driven_anew = False
    found = []
    for k in range(c.n_limits if c.pd and robot.targeted else 0):
        limit = c.limit + k
        if c.kp[limit.dof] > 0.0 and is_beyond(limit, coordinate(limit, c.q_ref), FAR):
            found.append((*name_of(robot, limit.dof), coordinate(limit, c.q_ref), limit.lower, limit.upper))
    if c.n_balls > 0 and c.pd and robot.targeted:
        found += balls_beyond(robot, robot.pd_target[0], FAR, robot.pd_gains[0] > 0.0)
    if found:
        robot.said_far = True
        say.targets(robot, found)
    return 0


# ---- materials -----------------------------------------------------------------------------------


cdef int check_materials(Registry registry) except -1:
    """Materials that only shapes or only pairs name, written almost as one that both may know."""
    pairs = {name for pair in registry.materials.pairs() for name in pair}
    known = pairs | {DEFAULT}
    registry.unpaired -= known
    found = say.misspelt(registry.unpaired, known)
    for name, meant in found.items():
        registry.unpaired.discard(name)
        number = registry.material_numbers.get(name, -1)
        owners = [shape[0].name for shape_id, shape in registry.shapes.items()
                  if registry.memory.scene.material[<int> shape_id] == number]
        if owners:
            say.shape_material(name, meant, owners, registry.materials.default.friction)
    for name in say.misspelt(pairs - set(registry.material_numbers) - registry.said_materials, {DEFAULT}):
        registry.said_materials.add(name)
        say.pair_material(name, DEFAULT)
    return 0


# ---- overlaps ------------------------------------------------------------------------------------


cdef list overlaps_of(Registry registry, ArticulatedSystem robot):
    """Pairs of a robot's shapes that are in each other where it stands and that filters let meet.

    A tuple for each two bodies, deepest first: depth [m], names of the bodies, names of the deepest two shapes.
    """
    cdef Scene* s = &registry.memory.scene
    cdef const Table* table = &registry.collision.table
    cdef ContactBuffer found
    cdef int* slot = NULL
    cdef size_t room = 0
    cdef int k, n = 0
    cdef dict deepest = {}
    buffer_init(&found)
    try:
        grow(<void**> &slot, &room, len(robot.shape_ids) + 1, sizeof(int))
        for shape_id in robot.shape_ids:
            k = find_slot(table, shape_id)
            if k >= 0:
                slot[n] = k
                n += 1
        kinematics(s)
        contacts_among(table, s.pose, slot, n, 0.0, &found)
        for k in range(found.n):
            _, a, shape_a, _ = registry.shapes[found.point[k].shape_a]
            _, b, shape_b, _ = registry.shapes[found.point[k].shape_b]
            depth, ends = found.point[k].depth, (a, b)
            pair = frozenset(ends)
            if depth > least_overlap() and depth > deepest.get(pair, (0.0,))[0]:
                deepest[pair] = depth, (a, b, shape_a, shape_b)
    finally:
        buffer_free(&found)
        free(slot)
    return [(-least, *names) for least, names in sorted([(-depth, names) for depth, names in deepest.values()])]
