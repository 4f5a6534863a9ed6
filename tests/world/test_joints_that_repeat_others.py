"""A second hinge of a door, a second rail of a drawer, wires that cannot change length: they do nothing, anywhere.

All that is left of their rows is rounding, which would take any impulse.
"""

import numpy as np
import pytest

import rbdyn
from rbdyn import Floating, Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform

INERTIA = SpatialInertia(1.0, com=(0.1, 0.05, -0.2), inertia=0.02 * np.eye(3))
AT = np.array([0.1, 0.2, 0.3])


def axis(tilt):
    return np.array([np.sin(tilt), 0.0, np.cos(tilt)])


def joint(name, kind, tilt):
    made = {"hinge": Revolute, "rail": Prismatic}.get(kind)
    return Joint(name, Spherical() if made is None else made(tuple(axis(tilt))))


def door(base, kind, tilt, twice):
    """A door, or a drawer, with a flap, on what does not move, swings or floats; `twice` on the same axis."""
    m = Mechanism(RigidBody("world"))
    frame = m.root_body
    if base != "fixed":
        frame = RigidBody("frame", INERTIA)
        m.attach(m.root_body, frame, Joint("root", Floating() if base == "floating" else Revolute((0.3, 0.4, 0.866))))
    m.attach(frame, RigidBody("door", INERTIA), joint("one", kind, tilt), Transform(translation=AT))
    side = Transform(translation=(0.2, 0, 0.1))
    m.attach("door", RigidBody("flap", INERTIA), Joint("flap", Revolute((0, 1, 0))), side)
    if twice:
        off = 0.4 * axis(tilt)
        m.attach(frame, "door", joint("two", kind, tilt), Transform(translation=AT + off), Transform(translation=-off))
    return m


def state_of(model):
    state = rbdyn.State(model)
    v = np.zeros(model.nv)
    v[-2:] = (2.0, -1.0)
    state.set(state.q, v)
    return state


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.7, 1.1])
@pytest.mark.parametrize("base", ["fixed", "swinging", "floating"])
@pytest.mark.parametrize("kind", ["hinge", "rail"])
@pytest.mark.parametrize("way", ["eliminate", "inloop", "add_joint"])
def test_a_second_one_on_the_same_axis_does_nothing(way, kind, base, tilt):
    ends = []
    for twice in (False, True):
        world = rbdyn.World(1e-3)
        in_tree = twice and way != "add_joint"
        robot = world.add_articulated_system(door(base, kind, tilt, in_tree), self_collision=False,
                                             loop_constraints=way if in_tree else "eliminate")  # fmt: skip
        robot.set_state(robot.q, state_of(robot.model).v)
        second = None
        if twice and not in_tree:
            off = 0.4 * axis(tilt)
            frame = None if base == "fixed" else (robot, "frame")
            second = world.add_joint(frame, (robot, "door"), joint("two", kind, tilt),
                                     Transform(translation=AT + off), Transform(translation=off))  # fmt: skip
        for _ in range(100):
            world.step()
            assert world.contact.converged
            if in_tree:
                assert np.abs(robot.loop_force("two")).max() < 1e-6
            if second is not None:
                assert np.abs(second.force).max() < 1e-6
        ends.append(robot.v.copy())
    assert np.abs(ends[0]).max() > 0.5
    assert ends[1] == pytest.approx(ends[0], abs=0.02)     # joints that are held move with first order


@pytest.mark.parametrize("tilt", [0.0, 0.7, 1.1])
@pytest.mark.parametrize("base", ["fixed", "swinging", "floating"])
@pytest.mark.parametrize("kind", ["hinge", "rail"])
def test_so_say_the_algorithms(kind, base, tilt):
    alone, twice = (state_of(rbdyn.Model(door(base, kind, tilt, two))) for two in (False, True))
    tau = np.linspace(-1.0, 1.0, len(alone.v))
    expected = rbdyn.forward_dynamics(alone, tau)
    assert np.abs(expected).max() > 0.1
    assert rbdyn.forward_dynamics(twice, tau) == pytest.approx(expected, abs=1e-9)
    once, again = rbdyn.simulate(alone, 0.2), rbdyn.simulate(twice, 0.2)
    assert again.q[-1] == pytest.approx(once.q[-1], abs=1e-6)


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.7, 1.1])
@pytest.mark.parametrize("kind", ["hinge", "ball", "weld of the axle"])
def test_what_a_hinge_on_the_world_keeps_may_be_said_again(kind, tilt):
    """By a hinge or a ball on its axis; a weld takes the one freedom that is left, and nothing else."""
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(door("fixed", "hinge", tilt, False), self_collision=False)
    robot.set_state([0.3, 0.2], [2.0, -1.0])
    off = 0.4 * axis(tilt)
    places = Transform(translation=AT + off), Transform(translation=off)
    if kind == "weld of the axle":
        said = world.add_weld(None, (robot, "door"))
    else:
        said = world.add_joint(None, (robot, "door"), joint("again", kind, tilt), *places)
    start = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
    for _ in range(300):
        world.step()
        assert np.abs(said.force).max() < (1e4 if kind == "weld of the axle" else 1e-6)
        assert rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) < start + 1e-2
    assert (abs(robot.q[0] - 0.3) < 1e-4) == (kind == "weld of the axle")


def two_links(seed):
    rng = np.random.default_rng(seed)
    m = Mechanism(RigidBody("world"))
    first, second = rng.normal(size=(2, 3))
    m.attach(m.root_body, RigidBody("a", INERTIA), Joint("ja", Revolute(tuple(first / np.linalg.norm(first)))),
             Transform(translation=AT, rpy=rng.uniform(-1, 1, 3)))  # fmt: skip
    m.attach("a", RigidBody("b", INERTIA), Joint("jb", Revolute(tuple(second / np.linalg.norm(second)))),
             Transform(translation=rng.uniform(-0.2, 0.2, 3), rpy=rng.uniform(-1, 1, 3)))  # fmt: skip
    return m


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("ends", ["two links", "world and axis", "over the axis"])
def test_a_wire_that_cannot_change_length_has_no_tension(ends, integrator, seed):
    world = rbdyn.World(1e-3)
    world.integrator = integrator
    robot = world.add_articulated_system(two_links(seed), self_collision=False)
    robot.set_state([0.3, -0.4], [1.0, -1.0])
    if ends == "two links":
        wire = world.add_stiff_wire((robot, "a"), (robot, "b"), point_a=(0, 0, 0), point_b=(0, 0, 0))
    elif ends == "world and axis":
        wire = world.add_stiff_wire(None, (robot, "a"), point_a=(1, 0.3, 0.7), point_b=(0, 0, 0))
    else:
        wire = world.add_stiff_wire(None, None, point_a=(1, 0.3, 0.7), point_b=(-1, 0.2, 0.5),
                                    via=[((robot, "a"), (0, 0, 0))])  # fmt: skip
    start = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
    for _ in range(300):
        world.step()
        assert abs(wire.tension) < 1e-6
        assert rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) < start + 0.05


def test_a_door_may_scrape_along_its_axis():
    """A contact in the one direction that its hinge keeps: nothing moves there, and nothing is asked of it."""
    world = rbdyn.World(1e-3)
    world.add_ground()
    m = Mechanism(RigidBody("world"))
    shape = rbdyn.Geometry(rbdyn.collision.Box((0.8, 0.04, 0.4)), pose=Transform(translation=(0.4, 0, 0)))
    body = RigidBody("door", SpatialInertia(5.0, (0.4, 0, 0), np.diag([0.1, 0.3, 0.3])), [shape])
    m.attach(m.root_body, body, Joint("hinge", Revolute((0, 0, 1))), Transform(translation=(0, 0, 0.2)))
    robot = world.add_articulated_system(m)
    robot.set_state([0.0], [1.0])
    for _ in range(200):
        world.step()
        assert len(world.contacts) > 0
        assert max(np.linalg.norm(c.force) for c in world.contacts) < 1e-6
    assert robot.v[0] == pytest.approx(1.0, rel=1e-9)
