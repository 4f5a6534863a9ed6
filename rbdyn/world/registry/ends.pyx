"""From what users name to what constraints hang on."""

from collections.abc import Mapping

from rbdyn.arguments import number, shown
from rbdyn.errors import Error
from rbdyn.spatial.transform import Transform

from rbdyn.model.model cimport Placement
from rbdyn.spatial._algebra cimport Mat3, Vec3, eye3, matmul3
from rbdyn.world.constraints.body_joint cimport BodyJoint
from rbdyn.world.constraints.coupling cimport Coupling
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.present cimport present_axes, present_place
from rbdyn.world.constraints.wire cimport Wire
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry

WHAT = 'a single body, (robot, "body name"), robot.body("name"), or None for the world'


cdef End end_of(Registry registry, object given, str argument):
    """The body that `given` names; Error naming the argument if it is none."""
    cdef End end = End.__new__(End)
    cdef ArticulatedSystem robot
    cdef WorldObject obj
    cdef Placement place
    end.R = eye3()
    if given is None:
        return end
    body = None
    if hasattr(type(given), "stands_for"):
        given, body = given.robot, given
    if isinstance(given, tuple):
        if len(given) != 2:
            raise Error(f"{argument} must be {WHAT}, got {shown(given)}")
        given, body = given
    if not isinstance(given, (WorldObject, str)):
        raise Error(f"{argument} must be {WHAT}, got {shown(given)}")
    obj = registry.object_in(given)
    if isinstance(obj, SingleBody):
        if body is not None:
            obj._check_body(body)
        end.obj, end.handle = obj, (<SingleBody> obj).body().handle
        return end
    robot = obj
    if body is None:
        raise Error(f"{argument} must say which body of {robot.name!r}: ({robot.name}, \"body name\"), one of "
                    f"{', '.join(map(repr, robot.body_names[:20]))}")
    if isinstance(body, str) and body == "world":
        return end
    robot._take_in_edits()
    place = robot.model.find(robot.known(body))
    end.obj, end.body = robot, str(getattr(body, "name", body))     # a handle has a name, too
    end.handle = robot.system().handle + place.body
    end.R, end.p = place.R, place.p
    return end


cdef int check_bodies(list ends) except -1:
    """Error if a wire connects nothing."""
    cdef End end
    if len({end.handle for end in ends}) == 1:
        end = ends[0]
        raise Error(f"a wire must connect two bodies, all its points are on {shown(end.given())}")
    return 0


cdef object present_pose(Registry registry, End end):
    """Where the body of an end is in the world, as a Transform."""
    cdef Mat3 R = matmul3(present_axes(&registry.memory.scene, end.handle), end.R)
    cdef Vec3 p = present_place(&registry.memory.scene, end.handle, end.p)
    return Transform(rotation=[[R.xx, R.xy, R.xz], [R.yx, R.yy, R.yz], [R.zx, R.zy, R.zz]], translation=(p.x, p.y, p.z))


cdef BodyJoint make_joint(Registry registry, object a, object b, object joint, object pose_a, object pose_b):
    """A joint at pose_a on a; without pose_b where it is closed as the bodies are now."""
    cdef BodyJoint made = BodyJoint.__new__(BodyJoint)
    cdef End end_a = end_of(registry, a, "a"), end_b = end_of(registry, b, "b")
    if end_a.handle == end_b.handle:
        raise Error(f"a joint must connect two bodies, both its ends are on {shown(end_a.given())}")
    if pose_b is None:
        pose_b = present_pose(registry, end_b).inverse() @ present_pose(registry, end_a) @ pose_a
    made.begin([end_a, end_b], joint, pose_a, pose_b)
    made.memory = registry.memory
    return made


cdef Wire make_wire(Registry registry, object points, object ratios, object settings):
    """A wire through points (end, where, what to call it), with attributes as `Wire.set` takes them."""
    cdef Wire wire = Wire.__new__(Wire)
    ends = [end_of(registry, given, argument) for given, _, argument in points]
    check_bodies(ends)
    wire.begin(ends, [where for _, where, _ in points], ratios)
    wire.memory = registry.memory
    wire._settle(**settings)
    return wire


cdef Coupling make_coupling(Registry registry, object coefficients, object offset):
    """A coupling, which is not in the World yet; the present sum is the offset if there is none."""
    cdef Coupling coupling = Coupling.__new__(Coupling)
    if not isinstance(coefficients, Mapping) or not coefficients:
        raise Error('coefficients must be a dict {(robot, "joint"): coefficient, ...}, got ' + shown(coefficients))
    terms = {}
    for end, value in coefficients.items():
        if not isinstance(end, tuple) or len(end) != 2 or not isinstance(end[0], ArticulatedSystem):
            raise Error(f'a coordinate must be (robot, "joint"), got {shown(end)}')
        robot, name = end
        registry.object_in(robot)
        robot._take_in_edits()
        robot.model.joint_v_index(name)              # raises for what is unknown or has no coordinates
        joint = robot.mechanism.find_joint(name)
        if joint.num_positions != 1:
            raise Error(f"joint {name!r} of {robot.name!r} ({joint.joint_type.kind}) has not one coordinate")
        x = number(value, f"the coefficient of {name!r}")
        if x == 0.0:
            raise Error(f"the coefficient of {name!r} must not be 0")
        terms[robot, str(name)] = x
    asked = None if offset is None else number(offset, "offset")
    coupling.begin(registry.memory, terms)
    coupling.c.offset = 0.0
    coupling.c.offset = coupling.open_by() if asked is None else asked
    return coupling
