"""A robot that is edited in a World goes on as one that was loaded so: bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Transform, models
from rbdyn.collision import NativeBackend
from rbdyn.collision.shapes import Box, Sphere
from rbdyn.errors import BusyError, CollisionError, Error, LoopError, MechanismError
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World

INERTIA = np.array([[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]])
TURN = Transform(rpy=(0.05, -0.02, 0.1), translation=(0.01, 0.02, -0.27))


def standing(mechanism, **options):
    """In its stance, held, with what only limits and friction tell: it leans and slides."""
    world = World(1e-3, **options)
    world.add_ground()
    robot = world.add_articulated_system(mechanism)
    return world, begin(robot)


def begin(robot):
    rng = np.random.default_rng(5)
    q = QUADRUPED_STANCE.q + np.r_[np.zeros(7), rng.uniform(-0.05, 0.05, 12)]
    robot.set_state(q, rng.normal(size=18) * 0.3)
    robot.set_pd_gains(80.0, 2.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    return robot


def steps(world, robot, count=250):
    states = []
    for _ in range(count):
        world.step()
        states.append(np.concatenate([robot.q, robot.v]))
    return np.array(states)


EDITS = {
    "mass of the base": lambda r: setattr(r.body("base"), "mass", 17.3),
    "mass of a link": lambda r: setattr(r.body("LF_SHANK"), "mass", 1.9),
    "mass of a merged link": lambda r: setattr(r.body("RH_FOOT"), "mass", 0.77),
    "com": lambda r: setattr(r.body("base"), "com", (0.03, -0.02, 0.01)),
    "com of a merged link": lambda r: setattr(r.body("RF_FOOT"), "com", (0.01, 0.0, 0.02)),
    "inertia": lambda r: setattr(r.body("LH_THIGH"), "inertia", INERTIA),
    "all of it": lambda r: r.body("LF_FOOT").set_inertia(0.4, (0.0, 0.01, 0.0), 0.1 * INERTIA),
    "damping": lambda r: setattr(r.joint("LF_KFE"), "damping", 0.7),
    "rotor": lambda r: setattr(r.joint("RF_HFE"), "rotor_inertia", 0.09),
    "spring": lambda r: r.joint("LF_KFE").set(stiffness=30.0, spring_reference=[-1.0]),
    "friction": lambda r: setattr(r.joint("RH_HAA"), "friction", 1.3),
    "static friction": lambda r: r.joint("RH_HFE").set(friction=0.4, static_friction=0.9, static_threshold=0.02),
    "limits": lambda r: r.joint("LF_KFE").set(position_limits=(-1.21, 2.0), limit_restitution=0.3),
    "speed": lambda r: r.joint("LF_HFE").set(velocity_limit=0.5, no_load_speed=4.0),
    "effort": lambda r: r.joint("LH_KFE").set(effort_limit=9.0),
    "placement": lambda r: setattr(r.joint("RH_KFE"), "placement", TURN),
    "placement of a fixed joint": lambda r: r.joint(fixed(r)).place(joint_pose=TURN),
    "where the link is on the joint": lambda r: r.joint("LH_HFE").place(successor_pose=Transform(rpy=(0.1, 0.0, 0.0))),
    "axis": lambda r: setattr(r.joint("RF_KFE"), "local_axis", (0.1, 1.0, -0.05)),
    "shape": lambda r: setattr(r.geometry("LF_FOOT/0"), "shape", Sphere(0.035)),
    "kind of shape": lambda r: setattr(r.geometry("LF_FOOT/0"), "shape", Box((0.05, 0.06, 0.055))),
    "pose of a shape": lambda r: setattr(r.geometry("RF_FOOT/0"), "placement", Transform(translation=(0.02, 0, 0.01))),
    "material": lambda r: setattr(r.geometry("RH_FOOT/0"), "material", "ice"),
    "group": lambda r: r.geometry("LH_FOOT/0").set(group=4, mask=2),
    "another shape": lambda r: r.body("RH_FOOT").add_geometry(Geometry(Sphere(0.04), TURN)),
    "no shape": lambda r: r.geometry("LF_FOOT/0").remove(),
}


def fixed(robot):
    return robot.mechanism.joint_to_parent("LF_FOOT").name


@pytest.mark.parametrize("name", EDITS)
def test_it_moves_as_one_that_was_loaded_so(name):
    world, robot = standing(models.quadruped())
    world.set_material_pair("ice", "default", friction=0.05)
    world.step(30)
    EDITS[name](robot)
    begin(robot)
    fresh_world, fresh = standing(robot.mechanism)
    fresh_world.set_material_pair("ice", "default", friction=0.05)
    other_world, other = standing(models.quadruped())
    states = steps(world, robot)
    assert (states == steps(fresh_world, fresh)).all()
    assert not (states == steps(other_world, other)).all()       # the edit is one that tells
    assert len(world.contacts) >= 2
    twin = rbdyn.State(rbdyn.Model(robot.mechanism))
    twin.set(robot.q, robot.v)
    for function in (rbdyn.mass_matrix, rbdyn.bias_forces, rbdyn.momentum, rbdyn.center_of_mass, rbdyn.kinetic_energy,
                     rbdyn.potential_energy):
        assert np.array_equal(function(robot.state), function(twin)), function.__name__
    assert robot.total_mass == twin.model.total_mass
    for parameter in ("damping", "friction", "stiffness", "effort_limit", "velocity_limit", "rotor_inertia", "lower",
                      "upper", "spring_reference"):
        assert np.array_equal(robot.model.array(parameter), twin.model.array(parameter)), parameter


DIRECT = {
    "inertia": lambda m: setattr(m.find_body("LF_SHANK"), "inertia", rbdyn.SpatialInertia(2.0, (0, 0, -0.1), INERTIA)),
    "damping": lambda m: setattr(m.find_joint("LF_KFE"), "damping", 1.5),
    "limits": lambda m: setattr(m.find_joint("LF_KFE"), "position_limits", (-1.21, 1.0)),
    "axis": lambda m: setattr(m.find_joint("LF_KFE"), "axis", (0.1, 1.0, 0.0)),
    "placement": lambda m: m.place_joint("LF_HFE", joint_pose=TURN),
    "a list of shapes": lambda m: m.find_body("LF_FOOT").collision.__setitem__(0, Geometry(Sphere(0.05), name="a")),
    "a shape more": lambda m: m.find_body("RH_FOOT").collision.append(Geometry(Sphere(0.05))),
    "no shapes": lambda m: setattr(m.find_body("LF_FOOT"), "collision", ()),
}


@pytest.mark.parametrize("name", DIRECT)
@pytest.mark.parametrize("update", [False, True])
def test_edits_of_its_mechanism_are_taken_in(name, update):
    world, robot = standing(models.quadruped())
    world.step(20)
    begin(robot)
    DIRECT[name](robot.mechanism)
    if update:
        robot.update()
        rbdyn.mass_matrix(robot.state)
    fresh_world, fresh = standing(robot.mechanism)
    other_world, other = standing(models.quadruped())
    states = steps(world, robot)
    assert (states == steps(fresh_world, fresh)).all()
    assert not (states == steps(other_world, other)).all()


def test_handles_see_edits_of_the_mechanism_at_once():
    _, robot = standing(models.quadruped())
    robot.mechanism.find_body("base").inertia = rbdyn.SpatialInertia(30.0, (0, 0, 0), INERTIA)
    before = robot.body("LF_FOOT").position
    robot.mechanism.place_joint("LF_HAA", joint_pose=Transform(translation=(1.0, 0.0, 0.0)))
    assert robot.body("base").mass == 30.0
    assert np.linalg.norm(robot.body("LF_FOOT").position - before) > 0.3
    assert robot.total_mass == pytest.approx(rbdyn.Model(robot.mechanism).total_mass)


def test_what_was_set_on_the_robot_alone_stays():
    """An edit changes what it names; settings of the robot that its mechanism does not know are kept."""
    _, robot = standing(models.quadruped())
    robot.set_joint_damping(0.25)
    robot.set_joint_limits(-2.0, 2.0)
    robot.joint("LF_KFE").damping = 3.0
    robot.mechanism.find_joint("RF_KFE").damping = 4.0
    robot.mechanism.find_joint("RF_HFE").position_limits = (-1.0, 1.5)
    robot.body("base").mass = 20.0
    robot.update()
    damping, (lower, upper) = robot.joint_damping, robot.joint_limits
    names = robot.joint_names[1:]
    expected = {"LF_KFE": 3.0, "RF_KFE": 4.0}
    assert damping[6:].tolist() == [expected.get(name, 0.25) for name in names]
    assert lower[6:].tolist() == [-1.0 if name == "RF_HFE" else -2.0 for name in names]
    assert upper[6:].tolist() == [1.5 if name == "RF_HFE" else 2.0 for name in names]


def test_other_states_of_its_model_see_the_new_numbers():
    _, robot = standing(models.quadruped())
    state = rbdyn.State(robot.model)
    state.set(robot.q, robot.v)
    foot, M = rbdyn.body_pose(state, "LF_FOOT"), rbdyn.mass_matrix(state)
    robot.joint("LF_KFE").placement = TURN
    robot.body("LF_FOOT").mass = 3.0
    twin = rbdyn.State(rbdyn.Model(robot.mechanism))
    twin.set(robot.q, robot.v)
    assert np.array_equal(rbdyn.body_pose(state, "LF_FOOT"), rbdyn.body_pose(twin, "LF_FOOT"))
    assert np.array_equal(rbdyn.mass_matrix(state), rbdyn.mass_matrix(twin))
    assert np.abs(rbdyn.body_pose(state, "LF_FOOT") - foot).max() > 0.01
    assert np.abs(rbdyn.mass_matrix(state) - M).max() > 0.01


def test_momentum_of_flight_is_that_of_the_new_masses():
    """In flight a step begins with the momentum that the latest one ended with, unless the masses are others."""
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.quadruped())
    rng = np.random.default_rng(2)
    robot.set_state(QUADRUPED_STANCE.q, rng.normal(size=18))
    world.step(20)
    robot.body("LF_FOOT").mass = 5.0
    before = rbdyn.momentum(robot.state)
    world.step(200)
    np.testing.assert_allclose(rbdyn.momentum(robot.state), before, atol=1e-9)


def test_velocities_stay_and_contacts_too():
    world, robot = standing(models.quadruped())
    world.step(200)
    q, v, n = robot.q, robot.v, len(world.contacts)
    robot.body("base").mass = 25.0
    robot.joint("LF_KFE").damping = 2.0
    assert (robot.q == q).all()
    assert (robot.v == v).all()
    assert len(world.contacts) == n == 4
    robot.geometry("LF_FOOT/0").shape = Sphere(0.031)
    assert len(world.contacts) == n - 1               # those of the others stand
    assert robot.geometry("LF_FOOT/0").shape.radius == 0.031


def test_a_limit_that_q_has_crossed_opens_smoothly():
    """It is led back by position correction, and its velocity does not jump."""
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.double_pendulum())
    robot.set_state([0.5, 0.2], [0.0, 0.0])
    name = robot.joint_names[1]
    robot.joint(name).set(position_limits=(-0.3, 0.3))
    before = robot.q[0]
    world.step()
    assert robot.q[0] < before
    assert np.abs(robot.v).max() < 1e-9
    world.step(1500)
    assert robot.q[0] == pytest.approx(0.3, abs=1e-3)
    assert np.abs(robot.v).max() < 1e-6


# ---- bad input -------------------------------------------------------------------------------------------------------


def numbers(world, robot):
    """All that an edit could change."""
    model = robot.model
    arrays = [model.array(name) for name in ("damping", "friction", "rotor_inertia", "lower", "upper", "effort_limit")]
    inertias = [x for b in robot.mechanism.bodies for x in (b.inertia.mass, *b.inertia.com, *b.inertia.inertia.ravel())]
    shapes = [repr((g.shape, g.pose, g.group, g.mask, g.material)) for b in robot.mechanism.bodies for g in b.collision]
    frames = [rbdyn.body_pose(robot.state, name) for name in robot.model.frame_names if name != "world"]
    settings = [*robot.joint_limits, *robot.joint_friction, robot.joint_damping, *robot.effort_limits]
    M = rbdyn.mass_matrix(robot.state)
    flat = np.concatenate([np.ravel(x) for x in (*arrays, inertias, *frames, *settings, M, robot.q, robot.v)])
    return flat, shapes, world.collision.ids


BAD = {
    "mass below 0": (lambda r: setattr(r.body("base"), "mass", -1.0), Error, "mass of body 'base'.*at least 0"),
    "mass NaN": (lambda r: setattr(r.body("base"), "mass", np.nan), Error, "mass of body 'base'"),
    "mass of text": (lambda r: setattr(r.body("base"), "mass", "1"), Error, "mass of body 'base'"),
    "too large a mass": (lambda r: setattr(r.body("base"), "mass", 1e308), MechanismError, "too large"),
    "com": (lambda r: setattr(r.body("base"), "com", (0, 0)), Error, "com of body 'base'"),
    "com NaN": (lambda r: setattr(r.body("base"), "com", (0, 0, np.nan)), Error, "com of body 'base'"),
    "triangle": (lambda r: setattr(r.body("base"), "inertia", np.diag([1.0, 1.0, 3.0])), Error, "triangle inequality"),
    "negative": (lambda r: setattr(r.body("base"), "inertia", -INERTIA), Error, "principal moment .* negative"),
    "not symmetric": (lambda r: setattr(r.body("base"), "inertia", np.triu(np.ones((3, 3)))), Error, "symmetric"),
    "singular": (lambda r: r.body("base").set_inertia(0.0, (0, 0, 0), np.zeros((3, 3))) or [
        r.body(name).set_inertia(0.0, (0, 0, 0), np.zeros((3, 3))) for name in ("LF_FOOT", "LF_SHANK")],
        MechanismError, "singular"),
    "damping": (lambda r: setattr(r.joint("LF_KFE"), "damping", -1.0), MechanismError, "damping of joint 'LF_KFE'"),
    "rotor": (lambda r: r.joint("LF_KFE").set(damping=2.0, rotor_inertia=-1.0), MechanismError, "rotor_inertia"),
    "limits": (lambda r: r.joint("LF_KFE").set(damping=2.0, position_limits=(1.0, -1.0)), MechanismError, "lower <="),
    "friction": (lambda r: r.joint("LF_KFE").set(static_friction=1.0, friction=2.0), MechanismError, "static_friction"),
    "axis": (lambda r: setattr(r.joint("LF_KFE"), "local_axis", (0, 0, 0)), MechanismError, "axis of joint 'LF_KFE'"),
    "no axis": (lambda r: r.joint(r.joint_names[0]).set(axis=(0, 0, 1)), MechanismError, "no axis"),
    "placement": (lambda r: setattr(r.joint("LF_KFE"), "placement", np.eye(4)), MechanismError, "joint_pose"),
    "unknown": (lambda r: r.joint("LF_KFE").set(weight=1.0), Error, "'weight'.*damping"),
    "shape": (lambda r: setattr(r.geometry("LF_FOOT/0"), "shape", 0.1), MechanismError, "shape of a Geometry"),
    "mask": (lambda r: setattr(r.geometry("LF_FOOT/0"), "mask", 2**65), MechanismError, "mask of a Geometry"),
    "material": (lambda r: setattr(r.geometry("LF_FOOT/0"), "material", 3), MechanismError, "material"),
    "no geometry": (lambda r: r.body("LF_FOOT").add_geometry(Sphere(0.1)), Error, "geometry must be a Geometry"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_edit_is_named_and_changes_nothing(name):
    world, robot = standing(models.quadruped())
    world.step(50)
    call, kind, match = BAD[name]
    if name == "singular":
        robot.body("LF_FOOT").set_inertia(0.0, (0, 0, 0), np.zeros((3, 3)))
        call = lambda r: r.body("LF_SHANK").set_inertia(0.0, (0, 0, 0), np.zeros((3, 3)))  # noqa: E731
    before, shapes, ids = numbers(world, robot)
    with pytest.raises(kind, match=match) as info:
        call(robot)
    assert len(str(info.value)) < 2000
    after, shapes_after, ids_after = numbers(world, robot)
    assert np.array_equal(before, after)
    assert shapes == shapes_after
    assert ids == ids_after
    twin = rbdyn.State(rbdyn.Model(robot.mechanism))
    twin.set(robot.q)
    assert np.array_equal(rbdyn.mass_matrix(twin), rbdyn.mass_matrix(robot.state))
    world.step(10)


class Picky(NativeBackend):
    """Takes no shape of group 3."""

    def set_group(self, shape_id, group, mask):
        if group == 3:
            raise CollisionError("no group 3 here")
        super().set_group(shape_id, group, mask)


def test_shapes_are_exchanged_all_or_none():
    world, robot = standing(models.quadruped(), collision=Picky(margin=1e-4))
    other, twin = standing(models.quadruped(), collision=Picky(margin=1e-4))
    world.step(20)
    other.step(20)
    before, shapes, ids = numbers(world, robot)
    contacts = len(world.contacts)
    with pytest.raises(CollisionError, match="group 3"):
        robot.geometry("LF_FOOT/0").set(shape=Sphere(0.1), pose=TURN, material="ice", group=3)
    first = robot.mechanism.find_body("LF_FOOT").collision[0]
    with pytest.raises(CollisionError, match="group 3"):
        refuse(world, robot, first)
    robot.mechanism.find_body("RF_FOOT").collision[:] = models.quadruped().find_body("RF_FOOT").collision
    robot.mechanism.find_body("LF_FOOT").collision[:] = [first]
    robot.update()
    after, shapes_after, ids_after = numbers(world, robot)
    assert np.array_equal(before, after)
    assert (shapes, ids) == (shapes_after, ids_after)
    assert len(world.contacts) == contacts
    assert (steps(world, robot, 50) == steps(other, twin, 50)).all()


def refuse(world, robot, first):
    """Edits of the mechanism of which the last one is refused: a shape more, and one that the backend does not take."""
    robot.mechanism.find_body("LF_FOOT").collision[:] = [first, Geometry(Sphere(0.05))]
    foot = robot.mechanism.find_body("RF_FOOT")
    foot.collision[0] = replace(foot.collision[0], group=3, shape=Sphere(0.2))
    world.step()


EDIT_CALLS = [
    lambda r: setattr(r.body("base"), "mass", 2.0),
    lambda r: setattr(r.joint("LF_KFE"), "damping", 2.0),
    lambda r: setattr(r.joint("LF_KFE"), "placement", TURN),
    lambda r: setattr(r.geometry("LF_FOOT/0"), "shape", Sphere(0.1)),
    lambda r: r.geometry("LF_FOOT/0").remove(),
    lambda r: r.body("base").add_geometry(Geometry(Sphere(0.1))),
]


@pytest.mark.parametrize("call", EDIT_CALLS)
def test_edits_in_the_middle_of_a_step_are_refused(call):
    world, robot = standing(models.quadruped())
    world.integrate1()
    before = numbers(world, robot)
    with pytest.raises(BusyError, match="integrate2"):
        call(robot)
    assert str(numbers(world, robot)) == str(before)
    world.integrate2()
    caught = []

    def observe(world):
        with pytest.raises(BusyError):
            call(robot)
        caught.append(1)

    world.add_observer(observe)
    world.step(2)
    assert caught == [1, 1]


def test_an_edit_of_the_mechanism_that_cannot_be_is_said_until_it_is_mended():
    world, robot = standing(models.quadruped())
    for name in ("LF_FOOT", "LF_SHANK"):
        robot.mechanism.find_body(name).inertia = None
    for _ in range(2):
        with pytest.raises(MechanismError, match="singular"):
            world.step()
    assert world.steps == 0
    robot.mechanism.find_body("LF_SHANK").inertia = rbdyn.SpatialInertia(1.0, (0, 0, -0.1), INERTIA)
    world.step(10)


def test_an_edit_of_the_graph_is_taken_in_by_surgery():
    world, robot = standing(models.quadruped())
    extra = rbdyn.RigidBody("extra", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    robot.mechanism.attach("base", extra, rbdyn.Joint("more", rbdyn.Revolute((0, 1, 0))))
    world.step()
    assert robot.nv == 19 and robot.joint_names[-1] == "more" and robot.joint("more").v != 0.0


# ---- loops and constraints -------------------------------------------------------------------------------------------


def four_bar():
    body = lambda name: rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0, (0.25, 0, 0), np.diag([0.01, 0.05, 0.05])))  # noqa: E731
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    hinge = lambda name: rbdyn.Joint(name, rbdyn.Revolute((0, 1, 0)))  # noqa: E731
    at = lambda x, z=0.0: Transform(translation=(x, 0, z))  # noqa: E731
    a, b, c = body("a"), body("b"), body("c")
    m.attach(m.root_body, a, hinge("A"))
    m.attach(a, b, hinge("B"), joint_pose=at(0.5))
    m.attach(m.root_body, c, hinge("D"), joint_pose=at(0.5, 0.1))
    m.attach(b, c, hinge("C"), joint_pose=at(0.5), successor_pose=at(-0.5))
    return m


def test_a_loop_is_edited_too():
    world, other = World(1e-3), World(1e-3)
    robot = world.add_articulated_system(four_bar())
    world.step(100)
    robot.joint("B").placement = Transform(translation=(0.5004, 0.0, 0.0))
    robot.joint("C").set(damping=0.02)
    assert np.abs(robot.loop_error).max() < 1e-9
    twin = other.add_articulated_system(robot.mechanism)
    q, v = robot.q, robot.v
    for one in (robot, twin):
        one.set_state(q, v)
    world.step(300)
    other.step(300)
    assert (robot.q == twin.q).all()
    with pytest.raises(LoopError):
        robot.joint("B").placement = Transform(translation=(0.7, 0.0, 0.0))
    world.step()


def test_constraints_stay_where_they_hang():
    """A weld and a wire on a link whose internal frame turns with the axis of its joint."""
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.six_axis_arm())
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 2.0, 1.0))
    link = robot.body_names[3]
    world.add_weld((robot, link), ball)
    rope = world.add_stiff_wire((robot, link), None, point_a=(0.1, 0.0, 0.2), point_b=(1.0, 1.0, 1.0))
    length = rope.distance if hasattr(rope, "distance") else None
    joint = robot.joint(robot.joint_names[3])
    error = world.constraints[0].error
    before = rbdyn.body_pose(robot.state, link)
    joint.local_axis = -joint.local_axis
    after = rbdyn.body_pose(robot.state, link)
    robot.set_state(np.where(np.arange(robot.nq) == joint.q_index, -robot.q, robot.q))
    np.testing.assert_allclose(rbdyn.body_pose(robot.state, link), before, atol=1e-12)
    assert after.shape == (4, 4)
    np.testing.assert_allclose(world.constraints[0].error, error, atol=1e-12)
    if length is not None:
        assert rope.distance == pytest.approx(length, abs=1e-12)
    world.step(20)
    assert np.abs(world.constraints[0].error).max() < 1e-9
