"""What joints say, and where they are, changed while the robot is in a World."""

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.world.objects.joints.said import numbers_of

from rbdyn.model.model cimport Model
from rbdyn.model.renewal cimport put_array, put_joint_pose
from rbdyn.stepping.scene cimport SystemControl
from rbdyn.world.edits.ends cimport move_ends
from rbdyn.world.edits.renewal cimport (
    check_dynamics, checked_q, renew_axis, renew_now, renew_places, settle, take_back,
)

# attributes of a Joint whose numbers are written where they are; all others go by way of a new compilation
WRITTEN = {
    "damping": ("damping",), "stiffness": ("stiffness",), "friction": ("friction", "static_friction"),
    "static_friction": ("friction", "static_friction"), "static_threshold": ("static_threshold",),
    "limit_restitution": ("limit_restitution", "limit_softness", "limit_damping"),
    "limit_softness": ("limit_restitution", "limit_softness", "limit_damping"), "velocity_limit": ("velocity_limit",),
    "no_load_speed": ("no_load_speed",), "position_limits": ("lower", "upper"), "effort_limit": ("effort_limit",),
    "rotor_inertia": (), "spring_reference": (),
}
COMPILED = ("cone_limit", "twist_limits", "twist_axis", "mimic", "axis")
IN_MODEL = ("damping", "friction", "stiffness", "effort_limit", "velocity_limit")


cdef int set_joint(Registry registry, ArticulatedSystem robot, object joint, dict values) except -1:
    """Attributes of a Joint of the robot's mechanism, by name: all of them, or none if one is wrong."""
    cdef Model model
    for name in values:
        if name not in WRITTEN and name not in COMPILED:
            raise Error(f"a joint has no {shown(name)} that can be set; there are {', '.join([*WRITTEN, *COMPILED])}")
    robot.check_alive()
    registry.lock.begin_edit()
    try:
        robot.state.check_not_stepping()
        renew_now(registry, robot)
        model = robot.model                          # an edit of the graph brings another one
        before = {name: getattr(joint, name) for name in values}
        try:
            for name, value in values.items():
                setattr(joint, name, value)
            if all([name in WRITTEN for name in values]) and is_written(model, joint, values):
                write_numbers(robot, joint, values)
            elif values.keys() == {"axis"}:
                renew_axis(registry, robot, joint)
            else:
                renew_now(registry, robot)
        except BaseException:
            for name in reversed(list(before)):
                setattr(joint, name, before[name])
            take_back(registry, robot)
            raise
        model.revision = model.revision_counter.value
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef bint is_written(Model model, object joint, object names) except -1:
    """Whether these stand in numbers of degrees of freedom: of loop joints, and limits of balls, they do not."""
    if "position_limits" in names and not joint.joint_type.has_limits:
        return False
    return joint.name in model.joint_index


cdef int write_numbers(ArticulatedSystem robot, object joint, object names) except -1:
    """What a joint of the tree says now, into the numbers of its degrees of freedom."""
    cdef Model model = robot.model
    cdef SystemControl* c = &robot.system().control
    cdef int first, k, n = joint.num_velocities
    cdef double[:] values
    if n == 0:
        return 0
    first = model.joint_v_index(joint)
    place, in_q = slice(first, first + n), model.joint_q_index(joint)
    in_q = slice(in_q, in_q + joint.num_positions)
    said, rest = numbers_of(joint), joint.spring_reference
    said = {name: np.array(np.broadcast_to(said[name], n), np.float64)
            for name in {column for name in names for column in WRITTEN[name]}}
    if "rotor_inertia" in names:
        put_rotor(robot, joint.rotor_inertia, first, n)
    for name in said:                                    # nothing here runs code in Python
        robot.said[name][place] = values = said[name]
        for k in range(n):
            if name == "effort_limit":
                c.effort_upper[first + k], c.effort_lower[first + k] = values[k], -values[k]
            else:
                robot.numbers(name)[first + k] = values[k]
        if name in IN_MODEL:
            put_array(model, name, place, said[name])
    if "position_limits" in names and joint.num_positions == n:
        put_array(model, "lower", in_q, said["lower"])
        put_array(model, "upper", in_q, said["upper"])
    if "spring_reference" in names:
        robot.said["spring_reference"][in_q] = rest
        put_array(model, "spring_reference", in_q, rest)
        for k in range(in_q.stop - in_q.start):
            c.q_spring[<int> in_q.start + k] = rest[k]
    robot.put_numbers({})
    return 0


cdef int put_rotor(ArticulatedSystem robot, double rotor, int first, int n) except -1:
    """Reflected inertia of degrees of freedom, if dynamics work with it."""
    cdef Model model = robot.model
    cdef double before = model.c.rotor[first]
    cdef int k
    for k in range(first, first + n):
        model.c.rotor[k] = rotor
    try:
        check_dynamics(robot)
    except BaseException:
        for k in range(first, first + n):
            model.c.rotor[k] = before
        raise
    put_array(model, "rotor_inertia", slice(first, first + n), rotor)
    return settle(robot)


cdef int place_joint(Registry registry, ArticulatedSystem robot, object joint, object joint_pose,
                     object successor_pose) except -1:
    """Move a joint on its bodies, as `Mechanism.place_joint`."""
    cdef Model model
    robot.check_alive()
    registry.lock.begin_edit()
    try:
        robot.state.check_not_stepping()
        renew_now(registry, robot)
        model = robot.model
        edge = model.mechanism.edge(joint)
        try:
            model.mechanism.place_joint(joint, joint_pose, successor_pose)
            if successor_pose is None and joint.name in model.joint_index and joint.num_velocities:
                move_joint(registry, robot, joint, edge)
            else:
                renew_places(registry, robot)
        except BaseException:
            model.mechanism.place_joint(joint, edge.joint_pose, edge.successor_pose)
            take_back(registry, robot)
            raise
        model.revision = model.revision_counter.value
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int move_joint(Registry registry, ArticulatedSystem robot, object joint, object before) except -1:
    """Write where a joint of the tree is on its predecessor now; the edge `before` is put back if that cannot be."""
    cdef Model model = robot.model
    cdef dict placements = model.placements
    model.revision = model.revision_counter.value
    try:
        put_joint_pose(model, joint, model.mechanism.edge(joint))
        q = checked_q(robot, model, True)
        move_ends(registry, robot, model)
    except BaseException:
        put_joint_pose(model, joint, before)
        model.placements = placements
        raise
    robot.state.set(q)
    robot.forget_contacts()
    return settle(robot)
