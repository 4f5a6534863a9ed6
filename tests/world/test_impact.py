"""Impacts: restitution, cradles, momentum, energy, the rod of Painleve."""

import itertools

import numpy as np
import pytest
from reference import oracle
from world.scenes import (
    G,
    World,
    angular_momentum,
    energy,
    exact,
    linear_momentum,
    random_quat,
    standing_quadruped,
)

import rbdyn
from rbdyn.contact import BisectionSolver, Problem


def falling_ball(dt, restitution, height, threshold=0.0, erp=0.0):
    world = World(dt)
    world.set_default_material(0.5, restitution, threshold)
    world.set_erp(erp)
    world.add_ground()
    ball = world.add_sphere(0.1, 0.8)
    ball.set_pose(position=(0, 0, 0.1 + height))
    return world, ball


def test_an_elastic_ball_keeps_its_energy():
    world, ball = falling_ball(1e-3, 1.0, 0.5)
    start, bounces = energy(ball), 0
    assert start == pytest.approx(0.8 * G * 0.6)
    before = 0.0
    while bounces < 10:
        world.step()
        bounces += before < 0 < ball.linear_velocity[2]
        before = ball.linear_velocity[2]
        assert abs(energy(ball) / start - 1) < 1e-12
    assert world.time == pytest.approx((2 * 10 - 1) * np.sqrt(2 * 0.5 / G), rel=0.02)


@pytest.mark.parametrize(("v", "bounce"), [(1.0, 0.4), (0.21, 0.005), (0.19, 0.0)])
def test_the_bounce_is_a_share_of_the_speed_above_the_threshold(v, bounce):
    world = World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(0.3, 0.5, 0.2)
    world.set_erp(0.0)
    world.add_ground()
    ball = world.add_sphere(0.1, 3.0)
    ball.set_pose(position=(0, 0, 0.1 - 1e-9))
    ball.set_velocity(linear=(0, 0, -v))
    world.step()
    assert ball.linear_velocity[2] == pytest.approx(bounce, abs=1e-14)


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_no_impulse_moves_what_is_moved_by_hand(kind):
    """A plate that turns about its own axis is struck off its centre, again and again, and keeps its motion exactly."""
    world = World(1e-3)
    world.set_default_material(0.8, 0.5)
    plate = world.add_box(1.0, 0.8, 0.1, 0.01, name="plate")
    plate.body_type = kind
    v, w = ((0, 0, 0), (0, 0, 0)) if kind == "static" else ((0.1, 0.0, 0.2), (0.3, -0.1, 2.0))
    if kind == "kinematic":
        plate.set_velocity(v, w)
    ball = world.add_sphere(0.05, 5.0)
    ball.set_pose((0.35, 0.25, 0.1 + 1e-6))
    ball.set_velocity((0, 0.4, -3.0))
    struck = 0
    for _ in range(50):
        world.step()
        struck += len(world.contacts)
        np.testing.assert_array_equal(plate.linear_velocity, v)
        np.testing.assert_array_equal(plate.angular_velocity, w)
    assert struck and ball.linear_velocity[2] > 0


def test_it_is_the_corner_that_bounces(seed):
    """A box that spins and strikes with one corner: the corner leaves at its own speed times the restitution."""
    rng = np.random.default_rng(seed)
    world = World(1e-4, gravity=(0, 0, 0), contact=exact())
    world.set_default_material(0.0, 0.6)
    world.set_erp(0.0)
    world.add_ground()
    box = world.add_box(0.3, 0.5, 0.8, 2.0)
    corners = np.array(list(itertools.product((-0.15, 0.15), (-0.25, 0.25), (-0.4, 0.4))))
    quat = random_quat(rng)
    box.set_pose((0, 0, 5), quat)
    lowest = np.argmin((corners @ box.rotation.T)[:, 2])
    arm = box.rotation @ corners[lowest]
    box.set_pose((0, 0, -arm[2] - 1e-7), quat)
    w = rng.normal(size=3)
    box.set_velocity((0.5, -0.3, -1.0 - np.cross(w, arm)[2]), w)       # the corner strikes at 1 m/s, not the centre
    assert abs(box.linear_velocity[2] + 1.0) > 0.02
    before = box.rotation
    world.step()
    assert len(world.contacts) == 1
    spin = before @ np.linalg.solve(box.inertia, before.T @ box.angular_momentum)   # at the time of the impulse
    assert (box.linear_velocity + np.cross(spin, arm))[2] == pytest.approx(0.6, abs=1e-4)


def test_bounces_lose_the_square_of_the_restitution():
    errors = []
    for dt in (1e-3, 2.5e-4):
        world, ball = falling_ball(dt, 0.5, 1.0)
        tops, before = [], 0.0
        while len(tops) < 3:
            world.step()
            if before > 0 >= ball.linear_velocity[2]:
                tops.append(ball.position[2] - 0.1)
            before = ball.linear_velocity[2]
        ratios = np.array([tops[0], tops[1] / tops[0], tops[2] / tops[1]])
        assert ratios[:2] == pytest.approx([0.25, 0.25], rel=0.03 * dt / 1e-3 + 1e-3)
        errors.append(np.abs(ratios[:2] - 0.25).max())
    assert errors[1] < 0.6 * errors[0]


def cradle(gap, restitution=1.0):
    world = World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(0.4, restitution)
    world.set_erp(0.0)
    balls = [world.add_sphere(0.1, 1.5) for _ in range(3)]
    for k, ball in enumerate(balls):
        ball.set_pose(position=(k * (0.2 + gap), 0, 0))
    balls[0].set_velocity(linear=(1, 0, 0))
    return world, balls


def test_a_cradle_with_gaps_hands_the_speed_to_the_last_ball():
    world, balls = cradle(2e-3)
    world.step(20)
    assert [b.linear_velocity for b in balls] == pytest.approx(np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]]), abs=1e-12)


def test_a_touching_cradle_solves_both_impacts_at_once():
    world, balls = cradle(-1e-9)
    world.step(10)
    v = [b.linear_velocity[0] for b in balls]
    assert v == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-8)
    world, balls = cradle(-1e-9)
    world.set_contact_solver_param(threshold=1e-15, max_iterations=1000)
    world.step(10)
    v = [b.linear_velocity[0] for b in balls]
    assert v == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)


def crowd(rng, world, n=4, friction=None):
    """Boxes, capsules and balls that overlap a little around the origin, in motion."""
    bodies = [
        world.add_box(*rng.uniform(0.15, 0.3, 3), rng.uniform(0.5, 3)),
        world.add_sphere(rng.uniform(0.08, 0.15), rng.uniform(0.5, 3)),
        world.add_capsule(0.07, 0.2, rng.uniform(0.5, 3)),
        world.add_box(*rng.uniform(0.15, 0.3, 3), rng.uniform(0.5, 3)),
    ][:n]
    for body in bodies:
        body.set_pose(rng.uniform(-0.12, 0.12, 3), random_quat(rng))
        body.set_velocity(rng.normal(size=3), 3 * rng.normal(size=3))
    return bodies


@pytest.mark.parametrize("friction_law", ["coulomb", "raisim"])
def test_free_impacts_conserve_momentum_and_never_gain_energy(friction_law):
    changed = contacts = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        # so short a step that what touches does so at its start: impulses act at one point of both bodies
        world = World(1e-12, gravity=(0, 0, 0), contact=BisectionSolver(friction_law=friction_law))
        world.set_erp(0.0)
        bodies = crowd(rng, world)
        world.set_default_material(rng.uniform(0.1, 1.0), 0.0)
        at, turned = [b.position for b in bodies], [b.rotation for b in bodies]
        spins = [b.rotation @ b.inertia @ b.rotation.T @ b.angular_velocity for b in bodies]
        P = linear_momentum(bodies)
        L = sum(np.cross(r, b.mass * b.linear_velocity) + s for b, r, s in zip(bodies, at, spins, strict=True))
        T = sum(b.kinetic_energy for b in bodies)
        before = np.array([b.linear_velocity for b in bodies])
        world.step()
        contacts += len(world.contacts)
        changed += np.abs(np.array([b.linear_velocity for b in bodies]) - before).max() > 0.1
        assert linear_momentum(bodies) == pytest.approx(P, abs=1e-12)
        assert angular_momentum(bodies, at) == pytest.approx(L, abs=1e-12)
        assert impulsive_energy(bodies, turned) - T <= 1e-9 * T
    assert changed >= 15
    assert contacts > 60


def impulsive_energy(bodies, turned):
    """Kinetic energy of the present momenta at the orientations of the step's start, where the impulses act."""
    total = 0.0
    for body, R in zip(bodies, turned, strict=True):
        v, L = body.linear_velocity, body.angular_momentum
        total += 0.5 * body.mass * v @ v + 0.5 * L @ R @ np.linalg.solve(body.inertia, R.T @ L)
    return total


def test_a_ball_hits_a_floating_quadruped():
    """Momentum across the impulse: the same step with and without the ball's contact, at the same configuration."""
    results = []
    for mask in (-1, 0):
        world = World(1e-3, gravity=(0, 0, 0), contact=exact())
        world.integrator = "semi_implicit"           # the free velocity is the same with a contact and without
        world.set_erp(0.0)
        world.set_default_material(0.7)
        robot = standing_quadruped(world)
        robot.control_mode = "force"
        q, v = robot.q, np.linspace(-0.4, 0.5, robot.nv)
        robot.set_state(q, v)
        thigh = robot.body_pose("LF_THIGH")
        ball = world.add_sphere(0.2, 10.0, mask=mask)
        direction = np.array([0.1, 1.0, 0.3]) / np.linalg.norm([0.1, 1.0, 0.3])
        ball.set_pose(thigh[:3, 3] + thigh[:3, :3] @ [0, 0, -0.15] + (0.2 + 0.02) * direction)
        ball.set_velocity(-5 * direction, (1, 2, 3))
        at = ball.position
        world.step()
        results.append((len(world.contacts), robot.v, ball.linear_velocity, ball.angular_momentum, at))
    (n, v1, b1, l1, at), (none, v0, b0, l0, _) = results
    assert n > 0
    assert none == 0
    assert np.abs(b1 - b0).max() > 0.5
    before, after = (oracle_momentum(robot, q, u) for u in (v0, v1))
    P = after[3:] - before[3:] + 10.0 * (b1 - b0)
    L = after[:3] - before[:3] + np.cross(at, 10.0 * (b1 - b0)) + l1 - l0
    assert np.abs(after - before).max() > 1.0
    assert np.abs(P).max() < 1e-12 * 50
    assert np.abs(L).max() < 1e-12 * 50


def oracle_momentum(robot, q, v):
    """(6,) about the world's origin, by the oracle, which orders q and v by the mechanism's joints."""
    from algorithms.systems import layout

    iq, iv = layout(robot.model, robot.mechanism)
    return oracle.momentum(robot.mechanism, q[iq], v[iv])


def rod(tan_angle, friction, c=(-1.0, -0.01)):
    """A rod of mass 1 and length 2 whose lower end slides: its contact, in the plane (x, z)."""
    angle = np.arctan(tan_angle)
    x, z = -np.cos(angle), -np.sin(angle)  # end, seen from the centre
    problem = Problem.from_bodies(
        [1.0], [3.0 * np.eye(3)], frame=[np.eye(3)], v_free=[[c[0], 0.0, c[1]]], friction=friction,
        single_a=[0], arm_a=[[x, 0.0, z]])
    G2 = np.array([[1 + 3 * z * z, -3 * x * z], [-3 * x * z, 1 + 3 * x * x]])
    return problem, G2


def enumerate_planar(G2, c, friction):
    """All impulses (tangential, normal) of one planar contact by trying open, stick and the two ways to slide."""
    found = []
    if c[1] >= 0:
        found.append((0.0, 0.0))
    t, n = -np.linalg.solve(G2, c)
    if n > 0 and abs(t) <= friction * n:
        found.append((t, n))
    for sign in (1, -1):
        slope = G2[1] @ [sign * friction, 1.0]
        if slope > 0 and -c[1] / slope > 0:
            n = -c[1] / slope
            v = G2 @ [sign * friction * n, n] + c
            if v[0] * sign <= 0:
                found.append((sign * friction * n, n))
    return found


def test_the_rod_of_painleve_has_the_enumerated_impulse():
    cases = paradox = 0
    for tan_angle, friction in itertools.product((0.5, 1.0, 2.0, 3.0), (0.3, 1.0, 1.5, 3.0)):
        for c in ((-1.0, -0.01), (0.7, -0.2), (1.0, -0.5)):
            problem, G2 = rod(tan_angle, friction, c)
            assert problem.delassus[np.ix_([0, 2], [0, 2])] == pytest.approx(G2, abs=1e-15)
            BisectionSolver().solve(problem)
            expected = enumerate_planar(G2, np.array(c), friction)
            assert expected
            got = problem.impulse[0]
            assert abs(got[1]) < 1e-15
            assert min(np.abs(got[[0, 2]] - e).max() for e in expected) < 1e-12
            cases += 1
            paradox += friction * abs(G2[0, 1]) > G2[1, 1]
    assert paradox > 5
    problem, _ = rod(2.0, 1.5)
    BisectionSolver().solve(problem)
    assert problem.impulse[0] == pytest.approx([0.403, 0.0, 0.3085], abs=1e-12)


def test_the_rod_of_painleve_in_a_world():
    """A rod dragged into the ground at a paradoxical angle jams: the end stops although it hardly closes."""
    tan_angle, friction, dt = 2.0, 1.5, 1e-4
    angle = np.arctan(tan_angle)
    world = World(dt, gravity=(0, 0, 0))
    world.set_default_material(friction)
    world.set_erp(0.0)
    world.add_ground()
    shape = rbdyn.Geometry(rbdyn.collision.Sphere(1e-3), rbdyn.Transform(translation=(-1, 0, 0)), "tip")
    body = world.add_single_body([shape], 1.0, np.diag([1 / 3, 1 / 3, 1 / 3]))
    body.set_pose((0, 0, np.sin(angle) + 1e-3 - 1e-8), (np.cos(angle / 2), 0, -np.sin(angle / 2), 0))
    tip = body.rotation @ [-1, 0, 0] + [0, 0, -1e-3]
    assert tip[2] < -0.8
    body.set_velocity(linear=(-1.0, 0, -0.01))
    world.step()
    assert len(world.contacts) == 1
    arm = world.contacts[0].position - [0, 0, np.sin(angle) + 1e-3 - 1e-8]
    G2 = (np.eye(3) + 3 * (np.dot(arm, arm) * np.eye(3) - np.outer(arm, arm)))[np.ix_([0, 2], [0, 2])]
    t, n = -np.linalg.solve(G2, [-1.0, -0.01])
    assert abs(t) < friction * n
    assert dt * world.contacts[0].force_on(body) == pytest.approx([t, 0, n], abs=1e-12)


def energy_after_a_blow(restitution, contact):
    """Of a capsule that leans by 45 degrees, spins and falls on its lower end with friction 0.5; it was 1."""
    world = World(1e-3, gravity=(0, 0, 0), contact=contact)
    world.set_default_material(friction=0.5, restitution=restitution)
    world.add_ground()
    rod = world.add_capsule(0.02, 0.4, 1.0)
    rod.set_pose((0, 0, 0.2 * np.sqrt(0.5) + 0.03), (np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0))
    rod.set_velocity((0, 0, -0.2), (0, -10.0, 0))
    start = rod.kinetic_energy
    world.step(30)
    return rod.kinetic_energy / start


@pytest.mark.parametrize("contact", ["bisection", "pgs"])
def test_a_bounce_is_lowered_by_as_much_as_it_must_be(contact):
    """From a restitution of 0.89 on friction would make energy: what is left has no jump there, and stays near all."""
    left = np.array([energy_after_a_blow(e, contact) for e in (0.80, 0.82, 0.84, 0.86, 0.88, 0.90, 0.92, 0.96, 1.0)])
    assert left.max() < 1.0 + 1e-9 and np.abs(np.diff(left)).max() < 0.05
    assert left[:3] == pytest.approx([0.8421, 0.8763, 0.9114], abs=1e-4) and left[5:].min() > 0.98


@pytest.mark.parametrize(("restitution", "least"), [(0.99, 0.97), (1.0, 0.985)])
def test_a_rack_with_a_little_friction_is_not_stopped(restitution, least):
    """Six balls hit by a seventh: where the island as a whole would gain, its bounces are lowered by little."""
    world = World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(friction=0.05, restitution=restitution)
    balls, R = [], 0.05
    for i in range(3):
        for j in range(i + 1):
            balls.append(world.add_sphere(R, 1.0))
            balls[-1].set_pose((i * R * np.sqrt(3) * 1.0005, (j - 0.5 * i) * 2 * R * 1.0005, 0))
    balls.append(world.add_sphere(R, 1.0))
    balls[-1].set_pose((-0.2, 0.003, 0))
    balls[-1].set_velocity((5, 0, 0))
    world.step(100)
    assert least < sum(b.kinetic_energy for b in balls) / 12.5 < 1.0
