"""Two bodies in flight that come by many times their size in a step: they hit each other, and keep their momentum."""

import numpy as np
import pytest
from world.scenes import World, random_quat

from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, NativeBackend, Sphere
from rbdyn.mechanism import Geometry

DT = 5e-3
SIZE = 0.02


def random_shape(rng):
    a, b, c = rng.uniform(0.005, 0.015, 3)
    hull = rng.normal(size=(12, 3))
    return [Sphere(a), Box((2 * a, 2 * b, 2 * c)), Capsule(a, 2 * b), Cylinder(a, 2 * b), Ellipsoid((a, b, c)),
            Cone(a, 2 * b), ConvexHull((hull - hull.mean(axis=0)) * (a, b, c))][rng.integers(7)]  # fmt: skip


def inner_radius(shape):
    """Of a ball about the origin that the shape holds, to some percent [m]."""
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return min(shape.farthest(d) @ d for d in directions)


class Pair:
    """Two random bodies whose inner balls would meet after one to two steps, 2 to 50 sizes a step; both spin."""

    def __init__(self, rng, erp):
        self.world = world = World(DT, gravity=(0, 0, 0))
        world.set_default_material(rng.choice([0.0, 0.3, 0.8]), rng.choice([0.0, 0.0, 0.5, 1.0]))
        world.set_erp(erp)
        self.shapes = [random_shape(rng) for _ in range(2)]
        self.reach = sum(inner_radius(shape) for shape in self.shapes)
        like = [Ellipsoid((0.012, 0.01, 0.008)) if isinstance(s, ConvexHull) else s for s in self.shapes]
        mass = rng.uniform(0.1, 1.0, 2)
        self.bodies = a, b = [world.add_single_body([Geometry(shape)], m, known.inertia(m))
                              for shape, m, known in zip(self.shapes, mass, like, strict=True)]  # fmt: skip
        way = rng.uniform(2.0, 50.0) * SIZE
        along, aside = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        spins = rng.normal(size=(2, 3))
        spins *= rng.random((2, 1)) / np.linalg.norm(spins, axis=1)[:, None] / DT
        share, drift = rng.random(), 0.3 * rng.normal(size=3)
        a.set_pose((0, 0, 0), random_quat(rng))
        b.set_pose(rng.uniform(1.0, 2.0) * way * along + 0.04 * along + rng.uniform(0, 0.8) * self.reach * aside,
                   random_quat(rng))  # fmt: skip
        a.set_velocity((drift + share * along) * way / DT, spins[0])
        b.set_velocity((drift - (1 - share) * along) * way / DT, spins[1])

    def sums(self):
        """Momentum, angular momentum, centre of mass, energy."""
        P = sum(b.linear_momentum for b in self.bodies)
        L = sum(b.angular_momentum + np.cross(b.position, b.linear_momentum) for b in self.bodies)
        c = sum(b.mass * b.position for b in self.bodies) / sum(b.mass for b in self.bodies)
        return P, L, c, sum(b.kinetic_energy for b in self.bodies)

    def line(self):
        return self.bodies[1].position - self.bodies[0].position


def nearest(start, end):
    """The distance from the origin to a segment."""
    way = end - start
    return np.linalg.norm(start + np.clip(-(start @ way) / (way @ way), 0.0, 1.0) * way)


def test_they_hit_and_do_not_pass(seed):
    """40 pairs: impulses act on all, and no two come so near that they must have been in each other."""
    rng = np.random.default_rng(seed)
    for k in range(40):
        pair, hit = Pair(rng, 0.2), False
        for _ in range(12):
            before = pair.line()
            pair.world.step()
            hit |= any(np.any(c.impulse) for c in pair.world.contacts)
            assert nearest(before, pair.line()) > 0.6 * pair.reach, (k, pair.shapes)
        assert hit, (k, pair.shapes)


def test_they_keep_momentum_and_make_no_energy(seed):
    """Linear and angular momentum and the way of the centre of mass to rounding, however often they hit."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        pair = Pair(rng, 0.0)                              # a correction of poses moves them by more than rounding
        P, L, c, energy = pair.sums()
        mass = sum(b.mass for b in pair.bodies)
        scale = sum(np.linalg.norm(b.linear_momentum) for b in pair.bodies)
        for step in range(12):
            pair.world.step()
            now = pair.sums()
            np.testing.assert_allclose(now[0], P, atol=1e-12 * scale)
            np.testing.assert_allclose(now[1], L, atol=1e-12 * scale)
            np.testing.assert_allclose(now[2], c + (step + 1) * DT * P / mass, atol=1e-12 * scale / mass)
            assert now[3] <= energy * (1 + 1e-12)
            energy = now[3]


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("phase", [0.1, 0.5, 0.9])
def test_a_ball_that_hits_a_box_aside(phase, restitution):
    """A smooth ball and the face of a box that turns, ten sizes a step: the impulse of one blow, in closed form."""
    world = World(DT, gravity=(0, 0, 0))
    world.set_default_material(0.0, restitution)
    box, ball = world.add_box(0.04, 0.06, 0.02, 0.3), world.add_sphere(0.005, 0.1)
    speed, spin = 0.2 / DT, 0.4 / DT
    # at the time of the blow the box stands straight, and the ball's path leads to (0.02, 0.02, 0)
    time = (1 + phase) * DT
    box.set_pose((0, 0, 0), (np.cos(0.5 * spin * time), 0, 0, -np.sin(0.5 * spin * time)))
    box.set_velocity((0, 0, 0), (0, 0, spin))
    ball.set_pose((0.025 + speed * time, 0.02, 0.0))
    ball.set_velocity((-speed, 0, 0))
    inertia = 0.3 * (0.04**2 + 0.06**2) / 12
    approach = speed - spin * 0.02                         # the face's point moves along -x by spin times its arm
    impulse = (1 + restitution) * approach / (1 / 0.1 + 1 / 0.3 + 0.02**2 / inertia)
    world.step(2)
    assert ball.linear_velocity == pytest.approx([-speed + impulse / 0.1, 0, 0], rel=1e-4, abs=1e-3)
    assert box.linear_velocity == pytest.approx([-impulse / 0.3, 0, 0], rel=1e-4, abs=1e-3)
    assert box.angular_velocity == pytest.approx([0, 0, spin + 0.02 * impulse / inertia], rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("speed", [50.0, 200.0])
def test_a_bullet_does_not_pass_a_free_plate(speed):
    """5 mm at up to 1 m a step, and a plate of 2 m x 2 m x 2 mm that it turns."""
    for k in range(10):
        rng = np.random.default_rng(k)
        world = World(DT, gravity=(0, 0, 0))
        plate = world.add_single_body([Geometry(Box((2, 2, 0.002)))], 5.0, np.diag([1.7, 1.7, 3.4]))
        ball = world.add_sphere(0.005, 0.05)
        direction = np.append(0.5 * rng.normal(size=2), 1.0)
        direction /= np.linalg.norm(direction)
        ball.set_pose(np.append(rng.uniform(-0.3, 0.3, 2), 0) + 0.3 * direction)
        ball.set_velocity(-speed * direction)
        for _ in range(int(0.5 / speed / DT) + 3):
            world.step()
            local = plate.rotation.T @ (ball.position - plate.position)
            assert local[2] > 0.0 or np.abs(local[:2]).max() > 0.95


@pytest.mark.parametrize("dt", [2e-3, 0.03])
def test_an_elastic_ball_that_falls_fast_keeps_its_energy(dt):
    """Radii of up to 3 a step, in gravity, which acts before the bounce and after it."""
    world = World(dt)
    world.set_default_material(0.0, 1.0)
    world.add_ground()
    ball = world.add_sphere(0.05, 1.0)
    ball.set_pose((0, 0, 1.3))
    energy = ball.kinetic_energy + ball.potential_energy
    for _ in range(int(2.0 / dt)):
        world.step()
        assert ball.kinetic_energy + ball.potential_energy == pytest.approx(energy, rel=1e-12)


def test_what_has_met_waits_rather_than_goes_in(seed):
    """A rod that a bullet hits at its end turns by radians in what is left of the step: no overlap at its end."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        world = World(DT, gravity=(0, 0, 0))
        rod, ball = world.add_capsule(0.005, 0.05, 0.05), world.add_sphere(0.008, 0.2)
        ball.set_pose((-0.2 - 0.2 * rng.random(), 0, rng.uniform(0.01, 0.025)))
        ball.set_velocity((0.2 / DT, 0, 0))
        backend = NativeBackend()
        backend.add_shape(Capsule(0.005, 0.05), 0)
        backend.add_shape(Sphere(0.008), 1)
        poses = np.tile(np.eye(4), (2, 1, 1))
        for _ in range(8):
            world.step()
            for pose, body in zip(poses, (rod, ball), strict=True):
                pose[:3, :3], pose[:3, 3] = body.rotation, body.position
            assert max(backend.query(poses)["depth"], default=0.0) < 6e-4
