"""Same physics seen from elsewhere; same inputs, same bits; energy of a tumbling box."""

import numpy as np
import pytest
from world.scenes import World, energy, exact, random_quat, stack, standing_quadruped

from rbdyn import models
from rbdyn.models import QUADRUPED_STANCE


def turn_about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])


def product(a, b):
    w, u, x, v = a[0], np.asarray(a[1:]), b[0], np.asarray(b[1:])
    return np.append(w * x - u @ v, w * v + x * u + np.cross(u, v))


def tumble(R, quat, order, steps=160):
    """Boxes and balls thrown onto the ground, the whole scene turned by R; added in this order."""
    world = World(1e-3, contact=exact())
    world.set_default_material(0.6)
    makers = {
        "ground": lambda: world.add_ground(),
        "brick": lambda: world.add_box(0.3, 0.2, 0.1, 1.5),
        "cube": lambda: world.add_box(0.2, 0.2, 0.2, 0.7),
        "ball": lambda: world.add_sphere(0.1, 1.1),
        "capsule": lambda: world.add_capsule(0.06, 0.2, 0.9),
    }
    rng = np.random.default_rng(8)
    start = {k: (rng.uniform(-0.6, 0.6, 3), random_quat(rng), rng.normal(size=3), 3 * rng.normal(size=3))
             for k in ("brick", "cube", "ball", "capsule")}
    bodies = {k: makers[k]() for k in order}
    for number, (k, (x, q, v, w)) in enumerate(sorted(start.items())):
        at = np.array([0.35 * number, 0.1 * x[1], 0.17 + 0.05 * x[2]])
        bodies[k].set_pose(R @ at, product(quat, q))
        bodies[k].set_velocity(R @ v, R @ w)
    touched = 0
    for _ in range(steps):
        world.step()
        touched += len(world.contacts)
    assert touched > steps / 3
    return {k: np.concatenate([R.T @ b.position, R.T @ b.linear_velocity, R.T @ b.angular_velocity])
            for k, b in bodies.items() if k != "ground"}


ORDER = ("ground", "brick", "cube", "ball", "capsule")


@pytest.mark.parametrize("angle", [0.7, 2.0, np.pi / 2])
def test_a_turned_scene_does_the_same(angle):
    plain = tumble(*turn_about_z(0.0), ORDER)
    turned = tumble(*turn_about_z(angle), ORDER)
    for k, x in plain.items():
        assert turned[k] == pytest.approx(x, abs=1e-9)


@pytest.mark.parametrize("order", [ORDER[::-1], ("ball", "ground", "capsule", "cube", "brick")])
def test_the_order_of_objects_does_not_matter(order):
    plain = tumble(*turn_about_z(0.0), ORDER)
    other = tumble(*turn_about_z(0.0), order)
    for k, x in plain.items():
        assert other[k] == pytest.approx(x, abs=1e-9)


def test_a_turned_quadruped_falls_the_same():
    ends = []
    for angle in (0.0, 1.3):
        R, quat = turn_about_z(angle)
        world = World(1e-3, contact=exact())
        world.add_ground()
        robot = standing_quadruped(world, kp=30.0, kd=1.0)
        q = QUADRUPED_STANCE.q
        q[:3] = R @ [0.2, -0.1, q[2] + 0.01]
        q[3:7] = product(quat, [np.cos(0.1), np.sin(0.1), 0, 0])
        v = np.zeros(18)
        v[:3] = R @ [0.4, 0.1, -0.3]
        robot.set_state(q, v)
        world.step(120)
        assert len(world.contacts) > 0
        v = robot.v
        ends.append(np.concatenate([R.T @ robot.q[:3], R.T @ v[:3], R.T @ v[3:6], robot.q[7:], v[6:]]))
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)


def busy_world():
    world = World(2e-3)
    world.add_ground()
    standing_quadruped(world)
    stack(world)[0].set_velocity(linear=(0.1, 0, 0))
    for body in world.objects[2:]:
        body.set_pose(body.position + [2.0, 0, 0])
    world.add_articulated_system(models.double_pendulum()).set_state([0.4, 0.2])
    return world


def bits(world):
    out = []
    for obj in world.objects:
        out += [obj.q, obj.v] if hasattr(obj, "model") else [
            obj.position, obj.orientation, obj.linear_velocity, obj.angular_velocity]
    return np.concatenate(out).tobytes() + np.concatenate([c.impulse for c in world.contacts]).tobytes()


def test_two_runs_are_equal_to_the_bit():
    a, b = busy_world(), busy_world()
    for _ in range(20):
        a.step(10)
        b.step(10)
        assert bits(a) == bits(b)
    assert len(a.contacts) > 10


def test_the_halves_make_a_step_to_the_bit():
    a, b = busy_world(), busy_world()
    for _ in range(100):
        a.step()
        b.integrate1()
        b.integrate2()
    assert bits(a) == bits(b)
    assert a.time == b.time == pytest.approx(0.2)
    a.step(50)
    for _ in range(50):
        b.step()
    assert bits(a) == bits(b)


@pytest.mark.parametrize("friction_law", ["coulomb", "raisim"])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
def test_a_tumbling_box_never_gains_energy(friction_law, integrator):
    """Ten seconds without restitution and position correction; the gain of a step is the integrator's O(dt^2)."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        dt = 1e-3
        world = World(dt, contact=exact(friction_law))
        world.integrator = integrator
        world.set_erp(0.0)
        world.set_default_material(0.5)
        world.add_ground()
        box = world.add_box(0.3, 0.2, 0.1, 1.0)
        box.set_pose((0, 0, 0.5), random_quat(rng))
        box.set_velocity(rng.normal(size=3), 6 * rng.normal(size=3))
        start = last = energy(box)
        gained = worst = 0.0
        for _ in range(10000):
            speed = np.linalg.norm(box.linear_velocity) + 0.2 * np.linalg.norm(box.angular_velocity) + 9.81 * dt
            world.step()
            now = energy(box)
            worst = max(worst, (now - last) / (speed * dt * 9.81))
            gained += max(0.0, now - last)
            last = now
        assert last < 0.3 * start
        assert np.abs(box.linear_velocity).max() < 1e-6
        assert worst < 1.0  # no step gains more than the weight's work over the way of that step
        assert gained < 0.02 * start
