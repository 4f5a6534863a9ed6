"""Single bodies that join a robot: momentum stays, and what is on them and hangs on them goes on."""

import numpy as np
import pytest
from world.surgery.robots import floating, moving, weightless
from world.surgery.sums import energy, momentum

import rbdyn
from rbdyn import Error, Fixed, Geometry, Joint, MechanismError, Revolute, Spherical, Transform
from rbdyn.collision import Box, Sphere


def block(world, seed=0, at=(0.5, 0.2, 0.1)):
    """A block of two shapes that tumbles."""
    rng = np.random.default_rng([seed, 11])
    shapes = [
        Geometry(Box((0.1, 0.2, 0.15)), Transform(rpy=(0.1, 0.2, 0.3)), name="box"),
        Geometry(Sphere(0.08), Transform(translation=(0.1, 0, 0)), material="rubber"),
    ]
    spread = rng.normal(size=(3, 3)) * 0.1
    spread = spread @ spread.T + 0.002 * np.eye(3)
    body = world.add_single_body(shapes, 1.7, np.trace(spread) * np.eye(3) - spread, name="block")
    turn = rng.normal(size=4)
    body.set_pose(at, turn / np.linalg.norm(turn))
    body.set_velocity(rng.normal(size=3), rng.normal(size=3))
    return body


def sums_of(body):
    """Momentum about the world's origin, (6,), and kinetic energy of a single body."""
    R = Transform(quat=body.orientation).rotation
    spin = R @ body.inertia @ R.T @ body.angular_velocity
    p = body.mass * body.linear_velocity
    kinetic = 0.5 * body.linear_velocity @ p + 0.5 * body.angular_velocity @ spin
    return np.concatenate([spin + np.cross(body.position, p), p]), kinetic


@pytest.mark.parametrize("kind", [Fixed(), Revolute((0, 1, 0)), Spherical(), rbdyn.Floating()])
def test_momentum_is_kept_and_no_energy_made(seed, kind):
    world = weightless()
    robot, body = moving(world, floating("a", 4, seed), seed), block(world, seed)
    (h, T), twist = sums_of(body), (body.linear_velocity, body.angular_velocity)
    pose = Transform(quat=body.orientation, translation=body.position).matrix
    h, T = h + momentum(world), T + energy(world)
    assert world.merge(robot, "a2", body, body, Joint("dock", kind)) is robot
    assert np.abs(momentum(world) - h).max() <= 1e-12 * np.abs(h).max()
    assert energy(world) <= T * (1.0 + 1e-12)
    assert np.allclose(robot.body("block").pose, pose, atol=1e-12)
    moves = robot.body("block").linear_velocity, robot.body("block").angular_velocity
    assert np.allclose(np.concatenate(moves), np.concatenate(twist), atol=1e-12) == (kind == rbdyn.Floating())
    assert (energy(world) < T - 1e-3) == (kind != rbdyn.Floating())
    world.step(50)
    assert np.abs(momentum(world) - h).max() <= 1e-10 * np.abs(h).max()
    with pytest.raises(rbdyn.RemovedError):
        body.position  # noqa: B018
    assert [one.name for one in world.objects] == ["a_world"]
    part = robot.remove_joint("dock", split=True)
    assert part.body("block").mass == 1.7


def on_the_ground():
    """A block that rests on the ground beside a robot, on a spring, pushed; and a twin of that World."""
    world = rbdyn.World(1e-3)
    world.add_ground(name="ground")
    robot = world.add_articulated_system(floating("a", 3, 2))
    robot.set_base_pose((0.0, 0.0, 0.4))
    body = world.add_box(0.3, 0.3, 0.2, 2.0, name="crate")
    body.set_pose((1.2, 0.0, 0.1))
    other = world.add_sphere(0.2, 1.0, name="ball")
    other.set_pose((1.2, 0.25, 0.2))
    world.ignore_collision(body, other)
    ends = {"point_a": (0.0, 0.0, 0.1), "point_b": (1.2, 0.0, 1.0)}
    world.add_spring(body, None, 20.0, 1.0, length=0.6, name="spring", **ends)
    world.step(150)
    return world, robot, body


def test_what_is_on_it_goes_on():
    """Shapes under their ids, contacts with their impulses, springs and filters: it rests as it did."""
    world, robot, body = on_the_ground()
    held = sorted(c.impulse.tolist() for c in body.contacts)
    assert len(held) == 4 and not any("ball" in (c.object_a.name, c.object_b.name) for c in body.contacts)
    world.merge(robot, "a1", body, "crate", Joint("loose", rbdyn.Floating()))
    crate = robot.body("crate")
    assert sorted(c.impulse.tolist() for c in crate.contacts_with()) == held
    assert world.find("spring").ends == ((robot, "crate"), None)
    geometry, = crate.stands_for.collision
    assert geometry.shape == Box((0.3, 0.3, 0.2))
    for _ in range(30):
        world.step()
        assert np.abs(crate.linear_velocity).max() < 1e-6 and np.abs(crate.angular_velocity).max() < 1e-6
    pull = world.find("spring").wrench[3:]                # on its other end, the world
    assert crate.contact_force()[2] == pytest.approx(2.0 * 9.81 + pull[2], abs=1e-3) and abs(pull[2]) > 1.0
    assert not any("ball" in (c.object_a.name, c.object_b.name) for c in crate.contacts_with())
    world.allow_collision((robot, "crate"), "ball")
    world.step()
    assert any("ball" in (c.object_a.name, c.object_b.name) for c in crate.contacts_with())


def test_forces_of_the_coming_step_act():
    """What was given before the merge changes the momentum of all by its impulse."""
    world = weightless()
    robot, body = moving(world, floating("a", 3, 1), 1), block(world)
    h, at, dt = momentum(world) + sums_of(body)[0], body.position, 1e-3
    arm = Transform(quat=body.orientation).rotation @ (0.0, 0.1, 0.05)
    body.set_external_force("block", (300.0, -200.0, 500.0), point=(0.0, 0.1, 0.05))
    body.set_external_torque("block", (0.0, 70.0, 40.0))
    world.merge(robot, "a1", body, body, Joint("dock", Fixed()))
    world.step()
    force = np.array([300.0, -200.0, 500.0])
    given = np.concatenate([np.cross(at + arm, force) + (0.0, 70.0, 40.0), force]) * dt
    # the force goes with its body in the step, half of which it has passed in the mean
    assert np.abs(momentum(world) - h - given).max() <= 0.01 * np.abs(given).max()


def test_it_is_undone_by_going_back():
    world, robot, body = on_the_ground()
    taken, was = world.snapshot(), world.state_hash()
    world.step(30)
    then = world.state_hash()
    for _ in range(2):
        world.restore(taken)
        world.merge(robot, "a1", body, body, Joint("dock", Fixed()))
        world.step(5)
        merged = world.snapshot()
        world.restore(taken)
        assert world.state_hash() == was and body.world is world and len(body.contacts) == 4
        assert world.find("spring").ends == (body, None)
        world.step(30)
        assert world.state_hash() == then
        world.restore(merged)
        assert world.state_hash() == merged.hash and robot.body("crate").mass == 2.0


def test_what_is_refused_changes_nothing():
    world, robot, body = on_the_ground()
    fixed = world.add_articulated_system(floating("f", 2, 1, floats=False))
    world.find("ball").body_type = "kinematic"
    world.step()
    fine = Joint("dock", Fixed())
    refused = [
        (Error, "'ball' is kinematic: what joins a robot must be dynamic",
         lambda: world.merge(robot, "a1", world.find("ball"), "ball", fine)),
        (Error, "'ground' is static", lambda: world.merge(robot, "a1", world.find("ground"), "ground", fine)),
        (Error, "robot_a must be a robot of this World, and 'crate' is a single body, which may be robot_b",
         lambda: world.merge(body, "crate", robot, "a1", fine)),
        (Error, "body_b must be 'crate'", lambda: world.merge(robot, "a1", body, "lid", fine)),
        (rbdyn.UnknownNameError, "nowhere", lambda: world.merge(robot, "nowhere", body, body, fine)),
        (MechanismError, "a1_j", lambda: world.merge(robot, "a1", body, body, Joint("a1_j", Fixed()))),
        (MechanismError, "tolerance", lambda: world.merge(robot, "a1", body, body, fine, Transform(), Transform())),
        (Error, "tolerance", lambda: world.merge(robot, "a1", body, body, fine, tolerance=-1.0)),
    ]  # fmt: skip
    was, objects, parts = world.state_hash(), world.objects, robot.mechanism.bodies
    for error, match, call in refused:
        with pytest.raises(error, match=match):
            call()
        assert world.state_hash() == was and world.objects == objects and robot.mechanism.bodies == parts
        assert body.world is world and len(body.contacts) == 4
    world.integrate1()
    with pytest.raises(rbdyn.BusyError, match="integrate2"):
        world.merge(robot, "a1", body, body, fine)
    world.integrate2()
    world.remove(body)
    with pytest.raises(rbdyn.RemovedError):
        world.merge(robot, "a1", body, body, fine)
    assert fixed.world is world


def test_a_prefix_tells_names_apart_and_a_fixed_robot_takes_one_in():
    """As a gripper does; done within a scheduled function, and refused there, too."""
    world = rbdyn.World(1e-3)
    arm = world.add_articulated_system(floating("f", 3, 1, floats=False))
    body = world.add_sphere(0.1, 1.0, name="f1")
    body.set_pose((0.5, 0.0, 0.5))
    seen = []

    def grip(w):
        was = w.state_hash()
        with pytest.raises(MechanismError, match="f1"):
            w.merge(arm, "f2", body, body, Joint("grip", Fixed()))
        assert w.state_hash() == was
        w.merge(arm, "f2", body, body, Joint("grip", Fixed()), prefix="held_")
        seen.append(w.time)

    once = world.schedule(grip, rate=1.0)
    world.step(10)
    assert seen == [0.0] and arm.body("held_f1").mass == 1.0 and once in world.schedules
    assert len(arm.geometries) == 4
