"""One of each law that is no contact, in every scheme and with every built-in solver.

Its force is that of statics or of Newton's law, snapshots go on bit for bit, and what diverges leaves the last good
state.  The force of a ball joint's stop is of second order in the step where forces are taken in the middle of it.
"""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Mimic, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.world import World

G, M, DT = 9.81, 2.0, 1e-3
UP = Prismatic((0, 0, 1))


def machine(*joints):
    """Bodies of 2 kg, each on a joint of its own."""
    m = Mechanism(RigidBody("world"))
    for joint in joints:
        body = RigidBody(f"{joint.name}_body", SpatialInertia(M, (0, 0, 0), 0.1 * np.eye(3)))
        m.attach(m.root_body, body, joint)
    return m


def lift(world, **joint):
    return world.add_articulated_system(machine(Joint("z", UP, **joint)))


def stop(world):
    robot = lift(world, position_limits=(-0.1, 1.0))
    robot.set_state([-0.1])
    return robot, lambda: robot.limit_force[0], M * G


def stop_of_a_ball(world):
    """A rod that leans on its cone at 0.5 rad, half a metre from its joint; an upright one falls to it."""
    m = Mechanism(RigidBody("world"))
    rod = RigidBody("rod", SpatialInertia(M, (0, 0, 0.5), 0.1 * np.eye(3)))
    m.attach(m.root_body, rod, Joint("ball", Spherical(), cone_limit=0.5, twist_axis=(0, 0, 1)))
    robot = world.add_articulated_system(m)
    robot.set_state([np.cos(0.25), 0.0, np.sin(0.25), 0.0])
    return robot, lambda: np.linalg.norm(robot.limit_force), M * G * 0.5 * np.sin(0.5)


def fastest(world):
    robot = lift(world, velocity_limit=1.5)
    robot.set_state(v=[-1.5])
    return robot, lambda: robot.velocity_limit_force[0], M * G


def friction(world):
    robot = lift(world, friction=5.0, static_friction=30.0)
    return robot, lambda: robot.friction_force[0], M * G


def motor(world):
    robot = lift(world, effort_limit=8.0)
    robot.set_pd_gains(1e4, 1e3)
    robot.set_pd_target([5.0])
    return robot, lambda: robot.applied_force[0], 8.0


def mimic(world):
    """One rises as the other falls, twice as fast: F on the follower, -2 F on what it follows."""
    robot = world.add_articulated_system(machine(Joint("a", UP), Joint("b", UP, mimic=Mimic("a", -2.0))))
    return robot, lambda: robot.mimic_force[1], M * (G - 2.0 * G / 5.0)


def coupling(world):
    """The same between two robots: a = g / 5 of the first, which rises."""
    one, two = lift(world), lift(world)
    gear = world.add_coupling({(one, "z"): 2.0, (two, "z"): 1.0})
    return one, lambda: gear.force, M * (G - 2.0 * G / 5.0)


def loop(how):
    def make(world):
        """A ball that hangs on a bar, and is pinned to the world besides: two hinges share its weight."""
        m = Mechanism(RigidBody("world"))
        bar = RigidBody("bar", SpatialInertia(M, (0.5, 0, 0), 0.1 * np.eye(3)))
        m.attach(m.root_body, bar, Joint("hinge", Revolute((0, 1, 0))))
        far = Transform(translation=(1, 0, 0))
        m.attach(m.root_body, bar, Joint("pin", Spherical()), far, far.inverse())
        robot = world.add_articulated_system(m, loop_constraints=how)
        return robot, lambda: np.linalg.norm(robot.loop_force("pin")[3:]), 0.5 * M * G

    return make


def box(world):
    body = world.add_box(0.1, 0.1, 0.1, M)
    body.set_pose((0, 0, -1.0))
    return body


def weld(world):
    body = box(world)
    tie = world.add_weld(None, body)
    return body, lambda: tie.wrench[5], M * G


def hinge(world):
    body = box(world)
    tie = world.add_joint(None, body, Joint("upright", Revolute((0, 0, 1))))
    return body, lambda: tie.wrench[5], M * G


def rope(world):
    body = box(world)
    tie = world.add_stiff_wire(body, None)
    return body, lambda: tie.tension, M * G


def band(world):
    body = box(world)
    tie = world.add_compliant_wire(body, None, 1.0 - M * G / 500.0, stiffness=500.0, damping=5.0)
    return body, lambda: tie.tension, M * G


def law_of_a_user(world):
    body = box(world)
    tie = world.add_custom_wire(body, None, law=lambda length, rate: M * G + 40.0 * (length - 1.0))
    return body, lambda: tie.tension, M * G


def spring(world):
    body = box(world)
    tie = world.add_spring(body, None, 500.0, length=1.0 - M * G / 500.0)
    return body, lambda: tie.force, M * G


KINDS = {make.__name__: make for make in (stop, stop_of_a_ball, fastest, friction, motor, mimic, coupling, weld, hinge,
                                          rope, band, law_of_a_user, spring)}
KINDS |= {"eliminated loop": loop("eliminate"), "loop in rows": loop("inloop")}


def state(thing):
    if isinstance(thing, rbdyn.world.ArticulatedSystem):
        return np.concatenate([thing.q, thing.v])
    return np.concatenate([thing.position, thing.orientation, thing.linear_velocity, thing.angular_velocity])


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
@pytest.mark.parametrize("solver", ["bisection", "pgs"])
@pytest.mark.parametrize("kind", KINDS)
def test_its_force_is_right_in_every_scheme(kind, solver, integrator):
    world = World(DT, contact=solver)
    world.integrator = integrator
    _, force, right = KINDS[kind](world)
    world.step(40)
    assert force() == pytest.approx(right, rel=4 * DT**2 if kind == "stop_of_a_ball" else 1e-6)
    assert world.contact.statistics.unconverged == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_snapshot_goes_on_bit_for_bit(kind):
    world = World(DT)
    thing, force, _ = KINDS[kind](world)
    world.step(5)
    kept, runs = world.snapshot(), []
    for _ in range(2):
        world.step(10)
        runs.append([*state(thing), force()])
        world.restore(kept)
    assert runs[0] == runs[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_diverges_leaves_the_last_good_state(kind):
    world = World(DT)
    thing, force, _ = KINDS[kind](world)
    world.step(5)
    before, pull = state(thing), force()
    far = world.add_sphere(0.1, 1.0)
    for _ in range(2):
        far.set_external_force(0, (1e308, 0.0, 0.0))
    with pytest.raises(rbdyn.DivergenceError):
        world.step()
    assert (state(thing) == before).all() and force() == pull
    world.remove(far)
    world.step(5)
    assert np.isfinite(state(thing)).all()
