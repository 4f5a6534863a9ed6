"""What every kind of row says that it did is what inverse dynamics of the step asks for, to 1e-9 of the forces.

Of robots: the forces that are read, contacts and links between bodies add up to M (v+ - v) / dt + h at the start of the
step.  Of single bodies: Newton's law, and Euler's in the axes of the body: its momentum there is that of L + dt n,
turned as the body turns freely with it.  What leads poses back turns a body and its velocity together, so that axes
of the body do not see it.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from algorithms.four_bar import four_bar, in_motion

import rbdyn
from rbdyn import Joint, Mimic, Transform
from rbdyn.collision.shapes import Sphere
from rbdyn.world import World
from rbdyn.world.constraints.body_joint import BodyJoint
from rbdyn.world.constraints.wire import Wire
from tests.world.scenes import exact

pytestmark = pytest.mark.filterwarnings("ignore:joints of .* that follow others start:rbdyn.errors.MimicWarning")

DT, G = 1e-3, np.array([0.0, 0.0, -9.81])
AXES = ((0, 1, 0), (1, 0, 0), (0, 1, 1))
TIP = np.array([0.4, 0.0, 0.0])
ALLOWED = {"spherical": [0, 1, 2], "revolute": [2], "fixed": []}     # directions of links between bodies
ROWS = {"Revolute": [0, 1, 3, 4, 5], "Spherical": [3, 4, 5]}


@dataclass
class Case:
    """A World, and what is in it."""

    world: World
    robots: list = field(default_factory=list)
    boxes: list = field(default_factory=list)


def world_of(gravity=tuple(G)):
    """Solved to rounding; the ground is slippery."""
    world = World(DT, gravity=gravity, contact=exact())
    world.set_default_material(friction=0.2)
    return world


def chain(shape=False, **joint):
    """Three links on tilted axes, none of them symmetric; what is given of the joints are three values each."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("base"), gravity=G)
    parent, pose = mechanism.root_body, Transform()
    for k, axis in enumerate(AXES):
        body = rbdyn.RigidBody(f"link {k}", rbdyn.SpatialInertia(1.0 + k, (0.2, 0, 0.05), np.diag([0.02, 0.05, 0.04])))
        if shape and k == 2:
            body.collision = [rbdyn.Geometry(Sphere(0.05), Transform(translation=TIP))]
        options = {name: value[k] for name, value in joint.items() if value[k] is not None}
        mechanism.attach(parent, body, Joint(f"joint {k}", rbdyn.Revolute(axis), **options), pose)
        parent, pose = body, Transform(translation=TIP)
    return mechanism


def robot_in(world, contact, v=(1.2, -0.8, 2.0), **joint):
    """A chain, thrown; with `contact` its tip meets the ground."""
    robot = world.add_articulated_system(chain(contact, **joint), self_collision=False)
    robot.set_state((0.3, -0.4, 0.5), v)
    if contact:
        tip = rbdyn.body_pose(robot.state, "link 2") @ np.append(TIP, 1.0)
        world.add_ground(float(tip[2]) - 0.05)
    return robot


def alone(contact, **joint):
    world = world_of()
    return Case(world, [robot_in(world, contact, **joint)])


def box_in(world, at=(0.0, 0.0, 1.0), mass=2.0, w=(1.0, -2.0, 3.0)):
    box = world.add_box(0.2, 0.1, 0.15, mass, group=2, mask=1)
    box.set_pose(at, (0.8, 0.2, -0.4, 0.4))
    box.set_velocity((0.3, -0.2, 0.1), w)
    return box


# ---- what acts in joints ------------------------------------------------------------------------------


def limits(contact):
    case = alone(contact, position_limits=[(0.0, 0.32), (-0.42, 0.2), None])
    case.robots[0].set_limit_softness(joints={"joint 1": (1e-4, 2.0)})
    return case, lambda: case.robots[0].limit_force


def velocity_limits(contact):
    case = alone(contact, velocity_limit=[1.2, 0.9, 2.0])
    return case, lambda: case.robots[0].velocity_limit_force


def dry_friction(contact):
    case = alone(contact, friction=[0.5, 8.0, 0.2])
    return case, lambda: case.robots[0].friction_force


def springs_of_joints(contact):
    case = alone(contact, stiffness=[400.0, 2000.0, 10.0], damping=[20.0, 1.0, 0.2], rotor_inertia=[0.1, 0.0, 0.3],
                 spring_reference=[[0.6], [0.0], [0.4]])  # fmt: skip
    return case, lambda: case.robots[0].passive_force


def motors(contact):
    case = alone(contact, effort_limit=[5.0, 20.0, None])
    case.robots[0].set_pd_gains(300.0, 3.0)
    case.robots[0].set_pd_target([0.0, 0.2, 0.3])
    return case, lambda: case.robots[0].applied_force


def mimics(contact):
    case = alone(contact, v=(1.2, -0.8, 1.8), mimic=[None, None, Mimic("joint 0", 1.5, 0.05)])
    return case, lambda: case.robots[0].mimic_force


def coupling_of_one(contact):
    case = alone(contact, v=(1.0, 1.0, -1.0))
    robot = case.robots[0]
    c = case.world.add_coupling({(robot, f"joint {k}"): a for k, a in enumerate((1.0, -2.0, -1.0))})
    return case, lambda: c.force


def coupling_of_three(contact):
    world = world_of()
    robots = [robot_in(world, contact and k == 0) for k in range(3)]
    c = world.add_coupling({(robot, "joint 1"): a for robot, a in zip(robots, (1.0, -2.0, 0.5), strict=True)})
    return Case(world, robots), lambda: c.force


def closed(way, **pin):
    """A four-bar, in rows or eliminated, with what acts along its loop joint."""

    def build(contact):
        world = world_of((0, -9.81, 0))
        mechanism = four_bar(pins=(-0.1, 0.2))
        for name, value in pin.items():
            setattr(mechanism.find_joint("pin0"), name, value)
        if contact:
            place = Transform(translation=(0.8, 0, 0))
            mechanism.find_body("crank").collision = [rbdyn.Geometry(Sphere(0.05), place)]
        robot = world.add_articulated_system(mechanism, loop_constraints=way)
        state = in_motion(0.6, -3.0)[0]
        robot.set_state(state.q, state.v)
        if contact:
            floor = world.add_box(4.0, 0.1, 4.0, 1.0)
            floor.body_type = "static"
            height = (rbdyn.body_pose(state, "crank") @ [0.8, 0, 0, 1])[1]
            floor.set_pose(position=(0.0, height - 0.102, 0.0))
        return Case(world, [robot]), lambda: robot.loop_force("pin0")

    return build


# ---- links between bodies ------------------------------------------------------------------------------


def grip(kind, **options):
    """The chain holds a box by a joint."""

    def build(contact):
        world = world_of()
        robot = robot_in(world, contact)
        place = (robot.body_pose("link 2") @ np.append(TIP, 1.0))[:3]
        box = box_in(world, place + (0.1, 0.05, 0.02))
        corner = box.rotation.T @ (place - box.position)
        turn = Transform(box.rotation.T @ robot.body_pose("link 2")[:3, :3], translation=corner)
        made = Joint("grip", kind, **options)
        joint = world.add_joint((robot, "link 2"), box, made, Transform(translation=TIP), turn)
        return Case(world, [robot], [box]), lambda: joint.wrench

    return build


def weld_of_boxes(contact):
    world = world_of()
    one, other = box_in(world), box_in(world, (0.3, 0.1, 1.1), 0.7)
    if contact:
        world.add_ground(0.8)
    weld = world.add_weld(one, other)
    return Case(world, [], [one, other]), lambda: weld.wrench


ANCHORS = {"point_a": (0.05, 0.02, 0.03), "point_b": (-0.04, 0.05, 0.06)}


def wired(add):
    """A wire of some kind between the chain and a box."""

    def build(contact):
        world = world_of()
        robot = robot_in(world, contact)
        box = box_in(world, (1.2, 0.5, 0.5))
        box.set_velocity((1.5, 1.0, 2.0), (1.0, -2.0, 3.0))
        wire = add(world, (robot, "link 2"), box, **ANCHORS)
        return Case(world, [robot], [box]), lambda: wire.tension

    return build


def wired_boxes(add, light=1.0):
    """A wire of some kind between two boxes, and another one to the world; the second box may be light."""

    def build(contact):
        world = world_of()
        if contact:
            world.add_ground(0.35)
        one, other = box_in(world, (1.2, 0.5, 0.5)), box_in(world, (1.2, -0.5, 0.6), 0.7 * light)
        add(world, one, other, **ANCHORS)
        last = add(world, None, other, point_a=(1.5, 0.0, 2.0), point_b=(0.1, 0.05, 0.0))
        return Case(world, [], [one, other]), lambda: last.tension

    return build


def over(kind):
    """A rope from the chain over three boxes to the world."""

    def build(contact):
        world = world_of()
        robot = robot_in(world, contact)
        boxes = [box_in(world, (1.5, 0.6 * k - 0.6, 0.5), 0.5 + k) for k in range(3)]
        boxes[2].set_velocity((2.0, 1.5, -1.0), (1.0, -2.0, 3.0))
        via = [(box, (0.03 * k, 0.02, -0.04)) for k, box in enumerate(boxes)]
        points = {"point_a": TIP, "point_b": (0, 0, 2.0), "via": via, "ratios": (1, 2, 1, 1)}
        wire = world.add_stiff_wire((robot, "link 2"), None, stretch_type=kind, **points)
        return Case(world, [robot], boxes), lambda: wire.tension

    return build


def rope(world, a, b, **points):
    return world.add_stiff_wire(a, b, **points)


def rod(world, a, b, **points):
    return world.add_stiff_wire(a, b, stretch_type="both", **points)


def rubber(world, a, b, **points):
    wire = world.add_compliant_wire(a, b, stiffness=40.0, damping=0.5, **points)
    wire.length = 0.8 * wire.distance
    return wire


def spring(world, a, b, **points):
    wire = world.add_spring(a, b, 60.0, 0.5, **points)
    wire.length = 0.8 * wire.distance
    return wire


def stiff_spring(world, a, b, **points):
    wire = world.add_spring(a, b, 3e4, 5.0, **points)
    wire.length = 0.98 * wire.distance
    return wire


def custom(world, a, b, **points):
    return world.add_custom_wire(a, b, law=lambda length, rate: 3.0 + length - 0.5 * rate, **points)


KINDS = {
    "limits": limits,
    "velocity limits": velocity_limits,
    "dry friction": dry_friction,
    "springs of joints": springs_of_joints,
    "motors": motors,
    "mimics": mimics,
    "coupling of one": coupling_of_one,
    "coupling of three": coupling_of_three,
    "eliminated loops": closed("eliminate"),
    "loops in rows": closed("inloop"),
    "eliminated, sprung": closed("eliminate", stiffness=300.0, spring_reference=[0.5], damping=2.0),
    "in rows, sprung": closed("inloop", stiffness=300.0, spring_reference=[0.5], damping=2.0),
    "ball joint": grip(rbdyn.Spherical()),
    "hinge with friction": grip(rbdyn.Revolute((0, 0, 1)), friction=0.3, damping=0.1),
    "weld": grip(rbdyn.Fixed()),
    "weld of boxes": weld_of_boxes,
    "rope": wired(rope),
    "rod": wired(rod),
    "rubber": wired(rubber),
    "spring": wired(spring),
    "rope over boxes": over("stretch_resistant"),
    "rod over boxes": over("both"),
    "custom wire": wired(custom),
    "ropes of boxes": wired_boxes(rope),
    "rods of boxes": wired_boxes(rod),
    "rubber of boxes": wired_boxes(rubber),
    "springs of boxes": wired_boxes(spring),
    "custom wires of boxes": wired_boxes(custom),
    "stiff springs of a light box": wired_boxes(stiff_spring, 1e-2),
}
ELASTIC = ("rubber", "spring", "custom wire", "rubber of boxes", "springs of boxes", "custom wires of boxes")
MOVED = ("loops in rows", "in rows, sprung", "ball joint", "hinge with friction", "weld", "rope", "rod", "rubber",
         "spring", "rope over boxes", "rod over boxes")  # fmt: skip


# ---- the other side of the equations --------------------------------------------------------------------


class Before:
    """What the laws need of the start of a step."""

    def __init__(self, case):
        self.states = [robot.state.copy() for robot in case.robots]
        self.points = {c: c.points for c in case.world.constraints if isinstance(c, Wire)}
        self.boxes = [(b.position, b.rotation, b.linear_velocity, b.angular_velocity) for b in case.boxes]
        self.joints, self.axes = {}, {}
        for c in case.world.constraints:
            if isinstance(c, BodyJoint):
                one, box = c.ends
                R = one[0].body_pose(one[1])[:3, :3] if isinstance(one, tuple) else one.rotation
                self.joints[c] = box.position + box.rotation @ c.poses[1].translation
                self.axes[c] = R @ c.poses[0].rotation


def turned(w):
    """exp of the cross product."""
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    angle = np.linalg.norm(w)
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(angle / 2 / np.pi) ** 2 * K @ K


def halfway(start, at, exactly):
    """Where a point of a single body is after half a step, as seen from its centre, which is taken to stay."""
    p, _, _, w = start
    if exactly:
        return p + turned(0.5 * DT * w) @ (at - p)
    half = 0.5 * DT * np.cross(w, at - p)                  # rows of springs: to second order
    return at + half + 0.25 * DT * np.cross(w, half)


def acting(case, before, mean):
    """What acted in the latest step: (end, place, force, moment).

    On single bodies that move by their mean velocity elastic wires act halfway through the step, custom ones always.
    """
    for c, at in before.joints.items():
        rows = np.zeros(6)                                 # a load may turn the last end beside them
        allowed = ALLOWED[c.joint.joint_type.kind if c.joint else "fixed"]
        rows[[k for k in range(6) if k not in allowed]] = c.force
        rows[allowed] = c.along_force
        yield c.ends[1], at, c.wrench[3:], c.wrench[:3]
        yield c.ends[0], at, -before.axes[c] @ rows[3:], -before.axes[c] @ rows[:3]
    for c, points in before.points.items():
        way = np.diff(points, axis=0)
        way *= (c.tension * c.ratios / np.linalg.norm(way, axis=1))[:, None]
        first = way[0] if len(way) > 1 else -c.wrench[3:]
        forces = [first, *(way[1:] - way[:-1]), c.wrench[3:]]
        moments = [*np.zeros((len(points) - 1, 3)), c.wrench[:3]]
        for end, at, force, moment in zip(c.ends, points, forces, moments, strict=True):
            if end in case.boxes and (c.wire_type == "custom" or (mean and not case.robots)):
                at = halfway(before.boxes[case.boxes.index(end)], at, c.wire_type == "custom")
            yield end, at, force, moment
    for c in case.world.contacts:
        for owner, link in ((c.object_a, c.link_a), (c.object_b, c.link_b)):
            if owner in case.robots:
                yield (owner, link), c.position, c.force_on(owner), np.zeros(3)
            elif owner in case.boxes:
                yield owner, c.position, c.force_on(owner), np.zeros(3)


def forces_on(robot, state, case, found):
    """All that acted on a robot, (nv,)."""
    tau = robot.applied_force + robot.passive_force + robot.friction_force
    tau = tau + robot.limit_force + robot.velocity_limit_force + robot.mimic_force
    for c in case.world.constraints:
        for (owner, joint), a in getattr(c, "terms", {}).items():
            if owner is robot and len({r for r, _ in c.terms}) > 1:      # else mimic_force has it
                tau[robot.model.joint_v_index(joint)] += a * c.force
    on_links = [(end[1], *rest) for end, *rest in found if isinstance(end, tuple) and end[0] is robot]
    for link, at, force, moment in on_links:
        T = rbdyn.body_pose(state, link)
        local = T[:3, :3].T @ (at - T[:3, 3])
        tau = tau + rbdyn.point_jacobian(state, link, local).T @ force
        if moment.any():
            sides = [rbdyn.point_jacobian(state, link, local + T[:3, :3].T @ e) for e in np.eye(3)]
            mid = rbdyn.point_jacobian(state, link, local)
            tau = tau + 0.5 * sum((J - mid).T @ np.cross(moment, e) for J, e in zip(sides, np.eye(3), strict=True))
    if robot.mechanism.non_tree_joints:
        K = rbdyn.loop_jacobian(state)
        for name, rows in robot.model.loop_rows.items():
            kind = type(robot.mechanism.find_joint(name).joint_type).__name__
            tau = tau + K[rows].T @ robot.loop_force(name)[ROWS[kind]]
        tau = tau + robot.loop_force("pin0")[2] * np.array([-1.0, -1.0, 1.0])
    return tau


def robot_misses(robot, state, case, found):
    """By how much M (v+ - v) / dt + h is not what acted, of the largest of all of these."""
    tau = forces_on(robot, state, case, found)
    inertia = rbdyn.mass_matrix(state) @ ((robot.v - state.v) / DT)
    bias = rbdyn.bias_forces(state)
    return np.abs(tau - inertia - bias).max() / max(1.0, np.abs(tau).max(), np.abs(inertia).max(), np.abs(bias).max())


def box_misses(box, start, found, turn_by):
    """The same by Newton's law, and by Euler's in the axes of the body.

    `turn_by`: the share of the new momentum in that by which it turns; the rest is of the old one.
    """
    p, R, v, w = start
    force, moment = box.mass * G, np.zeros(3)
    for end, at, f, n in found:
        if end is box:
            force, moment = force + f, moment + n + np.cross(at - p, f)
    inertia = R @ box.inertia @ R.T
    old = inertia @ w
    new = old + DT * moment
    mean, turn = old + turn_by * DT * moment, np.zeros(3)
    for _ in range(8):                                     # w of the mean of R^T L before and after, to (dt w)^8
        turn = DT * np.linalg.solve(inertia, 0.5 * (mean + turned(-turn) @ mean))
    own = box.inertia @ box.rotation.T @ box.angular_velocity
    size = max(1.0, np.abs(force).max(), np.abs(moment).max())
    return (np.abs(box.mass * (box.linear_velocity - v) / DT - force).max() / size,
            np.abs(own - (turned(turn) @ R).T @ new).max() / DT / size)  # fmt: skip


def is_slow(robot, state):
    """What turns faster has its free velocity from the middle of the step, also in contact."""
    return DT * max(np.abs(robot.v).max(), np.abs(state.v).max()) < 0.015


def meets(contacts):
    """Whether something acts that was apart when the step began: with the arms of the time at which it meets."""
    return any(c.depth < -1e-5 and c.impulse.any() for c in contacts)


FAST = ("motors", "springs of joints")     # turn by more in nearly all of their steps in contact
CASES = [
    (integrator, kind, place)
    for integrator in ("semi_implicit", "euler", "trapezoid")
    for kind in KINDS
    for place in ("flight", "contact")
    if integrator != "trapezoid" or kind in MOVED or (place == "contact" and kind not in FAST)
]


@pytest.mark.parametrize(("integrator", "kind", "place"), CASES)
def test_what_rows_say_is_what_inverse_dynamics_says(integrator, kind, place):
    """By the trapezoid, of slow robots that something moves as in contact: else M and h are those of the middle."""
    contact = place == "contact"
    case, read = KINDS[kind](contact)
    case.world.integrator = integrator
    acted = looked = 0
    worst = [0.0]
    for _ in range(80):
        before = Before(case)
        case.world.step()
        if meets(case.world.contacts):
            continue
        mean = integrator == "trapezoid" and kind in ELASTIC
        found = list(acting(case, before, mean))
        for robot, state in zip(case.robots, before.states, strict=True):
            held = kind in MOVED or any(c.impulse.any() for c in robot.contacts)
            if integrator != "trapezoid" or (held and is_slow(robot, state)):
                worst.append(robot_misses(robot, state, case, found))
                looked += 1
        for box, start in zip(case.boxes, before.boxes, strict=True):
            worst.extend(box_misses(box, start, found, 0.0 if integrator == "euler" else 0.5 if mean else 1.0))
            looked += 1
        acted += bool(np.any(read()))
    assert max(worst) < 1e-9
    assert acted >= 8
    assert looked >= 12
