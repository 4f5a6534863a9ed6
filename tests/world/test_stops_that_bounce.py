"""Stops with restitution under forces that lead far beyond them within a step: nothing passes, no energy is made.

A door of moment I about its hinge, or a ball on a wire, starts away from its stop and is pressed against it by a force
that moves it by up to 2 rad in a step.
"""

import numpy as np
import pytest

import rbdyn

MASS, ARM = 1.0, 0.15
INERTIA = 0.01 + MASS * ARM**2                # about the hinge [kg m^2]
START = -0.2                                  # [rad]


def hinge(restitution):
    return rbdyn.Joint("hinge", rbdyn.Revolute((0, 0, 1)), position_limits=(-3.0, 0.0), limit_restitution=restitution)


class Door:
    """A link of a robot; `tied` to a ball that something else of the robot carries, it moves as in contact."""

    inertia = INERTIA

    def __init__(self, world, restitution, tied=False):
        m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
        link = rbdyn.RigidBody("link", rbdyn.SpatialInertia(MASS, (ARM, 0, 0), 0.01 * np.eye(3)))
        m.attach(m.root_body, link, hinge(restitution))
        if tied:
            other = rbdyn.RigidBody("other", rbdyn.SpatialInertia(MASS, (0, 0, 0), 0.01 * np.eye(3)))
            at = rbdyn.Transform(translation=(0, 0, 3))
            m.attach(m.root_body, other, rbdyn.Joint("other", rbdyn.Revolute((0, 1, 0))), at)
        self.robot = robot = world.add_articulated_system(m)
        if tied:
            ball = world.add_sphere(0.1, 1.0)
            ball.set_pose((1, 0, 3))
            world.add_weld(ball, (robot, "other"))
        robot.set_state([START] + [0.0] * (robot.nq - 1))

    def push(self, force):
        self.robot.set_generalized_force([force] + [0.0] * (self.robot.nv - 1))

    def state(self):
        return self.robot.q[0], self.robot.v[0]


class HungDoor:
    """A box on a joint to the world, pushed from outside or `driven` by the joint's motor."""

    inertia = MASS * (ARM**2 + (0.3**2 + 0.1**2) / 12)

    def __init__(self, world, restitution, driven=False):
        self.box = world.add_box(0.3, 0.1, 0.1, MASS)
        self.box.set_pose((ARM * np.cos(START), ARM * np.sin(START), 0), (np.cos(START / 2), 0, 0, np.sin(START / 2)))
        at = rbdyn.Transform(translation=(-ARM, 0, 0))
        self.joint = world.add_joint(None, self.box, hinge(restitution), rbdyn.Transform(), at)
        self.driven = driven

    def push(self, force):
        if self.driven:
            self.joint.set_drive(p=0.0, d=0.0, target=0.0, velocity=0.0, force=force)
        else:
            self.box.set_external_torque(0, (0, 0, force))

    def state(self):
        return self.joint.q, self.joint.v


class OnWire:
    """A ball that a wire holds."""

    inertia = MASS

    def __init__(self, world, restitution):
        self.ball = world.add_sphere(0.1, MASS)
        self.ball.set_pose((0.5 + START, 0, 0))
        world.add_stiff_wire(self.ball, None, length=0.5, restitution=restitution)

    def push(self, force):
        self.ball.set_external_force(0, (force, 0, 0))

    def state(self):
        return self.ball.position[0] - 0.5, self.ball.linear_velocity[0]


THINGS = {
    "link": Door,
    "link of a robot that is tied": lambda world, e: Door(world, e, tied=True),
    "body": HungDoor,
    "driven body": lambda world, e: HungDoor(world, e, driven=True),
    "wire": OnWire,
}


def ways(thing, force, restitution, dt, integrator, time=1.0):
    """Positions and energies with that of the force, of each step."""
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    thing = THINGS[thing](world, restitution)
    q, v = np.empty((2, round(time / dt)))
    for k in range(len(q)):
        thing.push(force)
        world.step()
        q[k], v[k] = thing.state()
    return q, 0.5 * thing.inertia * v**2 - force * q


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("force", [1.0, 50.0, 300.0])
@pytest.mark.parametrize("thing", THINGS)
def test_no_force_leads_beyond_a_stop_that_bounces(thing, force, restitution, integrator, dt):
    q, energy = ways(thing, force, restitution, dt, integrator)
    assert q.max() <= 1e-8                       # the slop is 1e-5
    assert q.max() > START / 2                    # it came there
    if restitution < 1.0:
        assert energy.max() < -force * START * (1.0 + 1e-9)
        assert energy[-1] < 0.5 * -force * START


@pytest.mark.parametrize("force", [1.0, 50.0, 1000.0])
@pytest.mark.parametrize("thing", ["link", "link of a robot that is tied", "wire"])
def test_bounces_of_restitution_one_make_no_energy(thing, force):
    """Whether steps are by the mean velocity or by the new one: of a robot on a weld both come, by turns."""
    _, energy = ways(thing, force, 1.0, 5e-3, "trapezoid")
    assert energy.max() < -force * START * (1.0 + 1e-9)


@pytest.mark.parametrize("thing", ["link", "wire"])
def test_bounces_of_restitution_one_keep_energy_in_flight(thing):
    _, energy = ways(thing, 20.0, 1.0, 5e-3, "trapezoid", time=5.0)
    assert energy == pytest.approx(-20.0 * START, rel=1e-9)


@pytest.mark.parametrize("thing", ["link", "body"])
def test_bounces_by_new_velocities_keep_what_such_steps_keep(thing):
    """v^2/2 - a q + a v dt/2 of a free step, hence of a bounce: energy goes to and fro, and drifts nowhere."""
    dt, force = 2e-3, 5.0
    _, energy = ways(thing, force, 1.0, dt, "semi_implicit", time=30.0)
    swing = 0.5 * force * dt * np.sqrt(-2.0 * force * START / 0.03)
    assert np.abs(energy + force * START).max() < 2.0 * swing


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("restitutions", [(0.0, 0.5), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)])
def test_no_blow_of_another_stop_leads_beyond_one_that_bounces(restitutions, integrator, dt):
    """Two carriages in a row, the first of which runs into its stop."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    last = m.root_body
    for k, (mass, upper) in enumerate(((10.0, 0.0), (1.0, 0.01))):
        body = rbdyn.RigidBody(f"car{k}", rbdyn.SpatialInertia(mass, inertia=np.eye(3)))
        m.attach(last, body, rbdyn.Joint(f"rail{k}", rbdyn.Prismatic((1, 0, 0)), position_limits=(-1.0, upper),
                                         limit_restitution=restitutions[k]))  # fmt: skip
        last = body
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(m, self_collision=False)
    robot.set_state([-0.001, 0.0], [5.0, 0.0])
    before, struck = rbdyn.kinetic_energy(robot.state), False
    for _ in range(100):
        world.step()
        assert robot.q[0] <= 1e-9
        assert robot.q[1] <= 0.01 + 1e-9
        assert rbdyn.kinetic_energy(robot.state) <= before * (1.0 + 1e-9)
        struck |= robot.limit_force[1] < 0.0
    assert struck


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_landing_throws_no_head_beyond_its_stop(restitution, dt):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    shape = rbdyn.Geometry(rbdyn.collision.Box((0.4, 0.4, 0.2)))
    m.attach(m.root_body, rbdyn.RigidBody("body", rbdyn.SpatialInertia(10.0, inertia=np.eye(3)), [shape]),
             rbdyn.Joint("base", rbdyn.Floating()))  # fmt: skip
    neck = rbdyn.Joint("neck", rbdyn.Prismatic((0, 0, 1)), position_limits=(-0.01, 0.1), limit_restitution=restitution)
    m.attach("body", rbdyn.RigidBody("head", rbdyn.SpatialInertia(1.0, inertia=0.1 * np.eye(3))), neck,
             rbdyn.Transform(translation=(0, 0, 0.3)))  # fmt: skip
    world = rbdyn.World(dt)
    world.add_ground()
    robot = world.add_articulated_system(m)
    q, v = robot.q.copy(), np.zeros(robot.nv)
    q[2], v[2] = 0.1 + 1.5 * dt, -5.0
    robot.set_state(q, v)
    struck = False
    for _ in range(round(0.3 / dt)):
        world.step()
        assert -0.01 - 1e-9 <= robot.q[7] <= 0.1 + 1e-9
        struck |= robot.limit_force[6] > 0.0
    assert struck


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("gap", [0.0, 0.004, 0.009])
@pytest.mark.parametrize("force", [2.0, 60.0])
def test_a_bounce_of_a_robot_in_contact_is_uphill(force, gap, restitution):
    """At its end it is gap + v* dt away: its energy there is e^2 of what it would have met the stop with."""
    dt, speed = 5e-3, 2.0
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    door = Door(world, restitution, tied=True)
    door.robot.set_state([-gap, 0.0], [speed, 0.0])
    door.push(force)
    world.step()
    q, v = door.state()
    met = 0.5 * INERTIA * speed**2 + force * gap
    left = restitution**2 * met
    if left - force * gap > force * dt * np.sqrt(2.0 * left / INERTIA):    # else it comes no further away
        assert v < 0.0
        assert q == pytest.approx(-gap + v * dt, abs=1e-12)
        assert 0.5 * INERTIA * v**2 - force * q == pytest.approx(left, rel=1e-9)
    else:
        assert force > 2.0 or restitution < 0.7
    assert 0.5 * INERTIA * v**2 - force * q < met * (1.0 + 1e-12)


@pytest.mark.parametrize("speed", [0.0, 0.5, 1.9])
def test_what_a_force_brings_to_a_stop_in_flight_arrives_as_fast_as_it_has_time_for(speed):
    """v^2 = v0^2 + 2 a gap, at the stop itself, when its mean velocity would lead beyond."""
    dt, gap, force = 5e-3, 0.01, 400.0
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    door = Door(world, 0.5)
    door.robot.set_state([-gap], [speed])
    door.push(force)
    world.step()
    q, v = door.state()
    assert q == pytest.approx(0.0, abs=1e-15)
    assert v == pytest.approx(np.sqrt(speed**2 + 2.0 * force / INERTIA * gap), rel=1e-9)
    door.push(0.0)
    world.step()
    assert door.state()[1] == pytest.approx(-0.5 * v, rel=1e-9)
