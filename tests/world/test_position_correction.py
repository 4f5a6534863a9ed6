"""Depths are corrected by poses alone: no velocity is left, no energy is made, stacks rest."""

import numpy as np
import pytest

import rbdyn
from rbdyn import World
from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver
from rbdyn.mechanism import Joint, Mechanism, Prismatic, Revolute, RigidBody

G = 9.81


def energy(body):
    return body.kinetic_energy + body.potential_energy


def quat_to(direction):
    """The shortest turn that takes `direction` downwards."""
    direction = np.array(direction) / np.linalg.norm(direction)
    q = np.append(1.0 - direction[2], np.cross(direction, [0.0, 0.0, -1.0]))
    return q / np.linalg.norm(q)


def test_two_bodies_part_by_their_masses():
    """A share erp = 0.3 of what the depth exceeds the slop, divided by inverse masses; at rest they stay at rest."""
    world = World(2e-3, gravity=(0, 0, 0))
    world.set_erp(0.3)
    a, b = world.add_sphere(0.1, 1.0), world.add_sphere(0.1, 3.0)
    b.set_pose((0.1995, 0.0, 0.0))
    world.step()
    part = 0.3 * (5e-4 - 1e-5)
    assert a.position == pytest.approx([-0.75 * part, 0, 0], rel=1e-9)
    assert b.position == pytest.approx([0.1995 + 0.25 * part, 0, 0], rel=1e-12)
    assert np.abs(a.linear_velocity).max() == np.abs(b.linear_velocity).max() == 0.0
    world.step(200)
    assert b.position[0] - a.position[0] == pytest.approx(0.2 - 1e-5, abs=1e-8)


def test_no_faster_than_a_metre_a_second():
    world = World(2e-3, gravity=(0, 0, 0))
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 0.05))
    world.step()
    assert ball.position[2] == pytest.approx(0.05 + 2e-3, rel=1e-12)
    assert np.abs(ball.linear_velocity).max() == 0.0


def test_what_parts_by_itself_is_not_pushed():
    """A ball that leaves the ground at 0.5 m/s, 1 mm deep: faster than erp * depth / dt = 0.1 m/s."""
    world = World(2e-3, gravity=(0, 0, 0))
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 0.099))
    ball.set_velocity((0.0, 0.0, 0.5))
    world.step()
    assert ball.position[2] == pytest.approx(0.099 + 2e-3 * 0.5, rel=1e-12)


def test_a_pushed_body_turns_with_its_energy():
    """A capsule spins about its long axis, one end in the ground: the push turns it, its energy stays what it was."""
    world = World(1e-3, gravity=(0, 0, 0))
    world.add_ground()
    world.set_default_material(friction=0.0)
    rod = world.add_capsule(0.02, 1.0, 1.0)
    rod.set_pose(
        (0.0, 0.0, 0.02 + 0.5 * np.sin(0.2) - 0.005), (np.cos(0.5 * np.pi / 2 - 0.1), np.sin(np.pi / 4 - 0.1), 0, 0)
    )
    rod.set_velocity(angular=50.0 * rod.rotation[:, 2])
    before, height, axis = rod.kinetic_energy, rod.position[2], rod.rotation[:, 2]
    world.step()
    assert rod.position[2] > height + 1e-4 and np.linalg.norm(rod.rotation[:, 2] - axis) > 1e-4
    assert rod.kinetic_energy == pytest.approx(before, rel=1e-13) and before > 0.1
    assert rod.angular_velocity == pytest.approx(50.0 * rod.rotation[:, 2], rel=1e-12)


def test_a_slider_is_pushed_along_its_joint():
    """Two sliders on the world: a push that parts them moves joints, and leaves them at rest."""
    rail = Mechanism(RigidBody("world"))
    for name, x, mass in (("left", 0.0, 1.0), ("right", 0.1995, 3.0)):
        body = RigidBody(name, inertia=rbdyn.SpatialInertia(mass, (0, 0, 0), 0.01 * np.eye(3)))
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.1)))
        rail.attach(rail.root_body, body, Joint(f"slide {name}", Prismatic(axis=(1, 0, 0))),
                    joint_pose=rbdyn.Transform(translation=(x, 0.0, 0.0)))  # fmt: skip
    world = World(2e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(rail)
    world.step()
    part = 0.2 * (5e-4 - 1e-5)
    assert robot.q == pytest.approx([-0.75 * part, 0.25 * part], rel=1e-9)
    assert np.abs(robot.v).max() == 0.0


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("shape", ["ball", "flat", "corner"])
def test_a_blow_without_restitution_does_not_rebound(shape, dt):
    """3 m/s, twelve phases of the step: no upward velocity of a hundredth of that, no deeper than the slop."""
    for phase in range(12):
        world = World(dt)
        world.set_default_material(friction=0.5, restitution=0.0)
        world.add_ground()
        body = world.add_sphere(0.1, 1.0) if shape == "ball" else world.add_box(0.2, 0.2, 0.2, 1.0)
        low = 0.1 * np.sqrt(3) if shape == "corner" else 0.1
        body.set_pose((0, 0, low + 0.02 + phase / 12 * 3 * dt), quat_to((1, 1, 1) if shape == "corner" else (0, 0, -1)))
        body.set_velocity((0, 0, -3.0))
        up = deep = 0.0
        hit = False
        for _ in range(round(0.05 / dt)):
            world.step()
            hit = hit or any(np.abs(c.impulse).max() > 0 for c in world.contacts)
            deep = max([deep, *(c.depth for c in world.contacts)])
            up = max(up, body.linear_velocity[2])
        assert hit and up < 0.01 * 3.0 and deep < 2e-5


def spinning_disc(dt):
    """Radius 0.2 m, height 0.2 m, tilted by 20 degrees, on its rim, 6 rad/s about the vertical."""
    world = World(dt)
    world.set_default_material(friction=0.8)
    world.add_ground()
    disc = world.add_cylinder(0.2, 0.2, 1.0)
    tilt = np.deg2rad(20)
    disc.set_pose((0, 0, 0.2 * np.sin(tilt) + 0.1 * np.cos(tilt)), (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0))
    disc.set_velocity(angular=(0, 0, 6.0))
    return world, disc


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
def test_a_wobbling_disc_gains_nothing(dt):
    world, disc = spinning_disc(dt)
    start = energy(disc)
    for _ in range(round(2.0 / dt)):
        world.step()
        assert energy(disc) < start + 1e-9


def test_a_wobbling_disc_loses_what_an_ode_says():
    """0.818 J above its lowest energy at rest after 2 s, by an integration of Newton's and Euler's equations.

    What the World loses beyond, where the contact wanders along the rim, is of second order in the time step.
    """
    left = []
    for dt in (5e-4, 1e-3, 2e-3):
        world, disc = spinning_disc(dt)
        world.step(round(2.0 / dt))
        left.append(energy(disc) - G * 0.1)
    assert left[:2] == pytest.approx([0.818, 0.818], rel=0.01)
    assert left[2] == pytest.approx(0.818, rel=0.03)


def test_coins_gain_no_more_than_they_are_lifted():
    """Twelve coins fall, spin and ring: what they go in while they roll on their rims is little.

    While they roll, velocities are half a step older than poses: m g v dt / 2, 5 mJ at 0.5 m/s, comes and goes.
    """
    for seed in range(12):
        rng = np.random.default_rng(seed)
        world = World(2e-3)
        world.set_default_material(friction=0.5)
        world.add_ground()
        coin = world.add_cylinder(0.1, 0.02, 1.0)
        q = rng.normal(size=4)
        coin.set_pose((0, 0, 0.5), q / np.linalg.norm(q))
        coin.set_velocity(rng.normal(size=3), 8 * rng.normal(size=3))
        lowest, deep, rise = energy(coin), 0.0, 0.0
        for _ in range(750):
            world.step()
            deep = max([deep, *(c.depth for c in world.contacts)])
            lowest = min(lowest, energy(coin))
            rise = max(rise, energy(coin) - lowest)
        assert rise < 10e-3 and deep < 5e-3


@pytest.mark.parametrize("draw", range(3))
def test_a_leaning_tower_comes_to_rest(draw):
    """20 boxes off centre with gaps of 1 mm between them, which they fall: at rest in 0.2 s, and no sway after that."""
    rng = np.random.default_rng(draw)
    world = World(4e-3)
    world.set_default_material(friction=0.8)
    world.add_ground()
    boxes = []
    for k in range(20):
        boxes.append(world.add_box(0.2, 0.2, 0.2, 1.0))
        boxes[-1].set_pose((*rng.uniform(-0.01, 0.01, 2), 0.1 + 0.201 * k + 1e-3))
    world.step(50)
    top, unconverged, sweeps = boxes[-1].position, 0, 0
    for _ in range(150):
        world.step()
        assert sum(b.kinetic_energy for b in boxes) < 1e-5
        unconverged += not world.contact.converged
        sweeps += world.contact.iterations
    assert np.linalg.norm((boxes[-1].position - top)[:2]) < 1e-4
    assert unconverged <= 1 and sweeps < 150 * 8
    assert max(c.depth for c in world.contacts) < 1.1e-5


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("gap", [0.0, 1e-4, 5e-4])
def test_a_cradle_keeps_its_energy(gap, dt):
    """Five balls, restitution 1; with gaps the last one leaves with all of it."""
    world = World(dt, gravity=(0, 0, 0))
    world.set_default_material(friction=0.0, restitution=1.0)
    balls = [world.add_sphere(0.1, 1.0) for _ in range(5)]
    for k, ball in enumerate(balls):
        ball.set_pose(((0.2 + gap) * k if k else -0.31, 0.0, 0.0))
    balls[0].set_velocity((1.0, 0.0, 0.0))
    world.step(round(1.0 / dt))
    v = np.array([ball.linear_velocity[0] for ball in balls])
    assert v @ v == pytest.approx(1.0, abs=1e-3) and v.sum() == pytest.approx(1.0, rel=1e-9)
    assert v[0] < 0.5 < v[4]
    if gap > 0:
        assert v[4] > 0.99


def test_the_position_solver_is_the_users_to_set():
    world = World()
    assert world.position_solver.parameters["max_iterations"] == 30
    world.position_solver.configure(max_iterations=40)
    assert world.position_solver.parameters["max_iterations"] == 40
    with pytest.raises(rbdyn.Error, match="must be two objects"):
        World(contact=world.position_solver, position_solver=world.position_solver)
    with pytest.raises(rbdyn.Error, match="position_solver must be a ContactSolver or one of bisection, pgs, got 3"):
        World(position_solver=3)
    with pytest.raises(rbdyn.Error, match="serves another World"):
        World(position_solver=world.position_solver)


def test_the_same_names_for_both_solvers():
    """A ball is lifted by a share erp of its depth beyond the slop, whoever solves that."""
    world = World(2e-3, gravity=(0, 0, 0), contact="pgs", position_solver="pgs")
    assert isinstance(world.position_solver, PGSSolver) and world.position_solver.parameters["max_iterations"] == 30
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 0.099))
    world.step()
    assert ball.position[2] == pytest.approx(0.099 + 0.2 * (1e-3 - 1e-5), rel=1e-9)


class Lifts(ContactSolver):
    """Parts each pair alone, whatever the others do: lam = -v / G of the normals."""

    def solve(self, problem):
        self.seen = problem.friction.tolist(), problem.depth[:, 2].tolist(), problem.target.tolist()
        normal = slice(2, None, 3)
        G = problem.delassus[normal, normal].diagonal()
        problem.impulse[:, 2] = np.maximum(0.0, -problem.v_free[:, 2] / G)


def test_a_position_solver_of_ones_own():
    """It sees a problem like any other, without friction; its impulses move poses."""
    world = World(2e-3, gravity=(0, 0, 0), position_solver=Lifts())
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 0.099))
    world.step()
    assert ball.position[2] == pytest.approx(0.099 + 0.2 * (1e-3 - 1e-5), rel=1e-12)
    assert ball.linear_velocity[2] == 0.0
    (friction,), (depth,), _ = world.position_solver.seen
    assert friction == 0.0 and depth == pytest.approx(1e-3, rel=1e-9)


class Looks(BisectionSolver):
    """Keeps what it saw."""

    def solve(self, problem):
        super().solve(problem)
        self.J, self.G, self.depth = problem.jacobian, problem.delassus, problem.depth
        self.m, self.I, self.laws = problem.inverse_mass, problem.inverse_inertia, problem.law.tolist()


def test_what_a_solver_sees_of_bodies():
    """G = J W J^T, with W of the bodies' masses and inertias and 1 for normalised coordinates; depths and gaps."""
    world = World(2e-3, contact=Looks())
    world.add_ground()
    robot = world.add_articulated_system(rbdyn.models.quadruped())
    q = rbdyn.models.QUADRUPED_STANCE.q
    robot.set_state(q)
    boxes = [world.add_box(0.2, 0.3, 0.4, 2.0) for _ in range(2)]
    boxes[0].set_pose((1.0, 0.0, 0.199))
    boxes[1].set_pose((1.0, 0.05, 0.599), (np.cos(0.3), 0, 0, np.sin(0.3)))
    world.step()
    seen = world.contact
    assert seen.J.shape == (seen.G.shape[0], 18 + robot.nv) and seen.J.nnz < 0.7 * np.prod(seen.J.shape)
    W = np.eye(seen.J.shape[1])
    assert seen.m.tolist() == [0.0, 0.5, 0.5]  # the ground is a body that does not move
    for k, box in enumerate(boxes, 1):
        W[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] *= 0.5
        W[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = seen.I[k]
        np.testing.assert_allclose(seen.I[k] @ box.rotation @ box.inertia @ box.rotation.T, np.eye(3), atol=1e-6)
    J = seen.J.toarray()
    np.testing.assert_allclose(J @ W @ J.T, seen.G, atol=1e-12 * np.abs(seen.G).max())
    depths = np.asarray(seen.depth).reshape(-1)[2 : 3 * seen.laws.count(0) : 3]
    np.testing.assert_allclose(depths, [c.depth for c in world.contacts], rtol=0, atol=0)
    assert (depths > 9e-4).any() and len(depths) >= 12


@pytest.mark.parametrize("width, count", [(0.3995, 2), (0.595, 3), (0.98, 5)])
def test_boxes_that_do_not_fit_are_not_thrown(width, count):
    """Cubes of 0.2 m in a slot that is too narrow, which no pose can correct: they leave it at 1 m/s at most."""
    world = World(2e-3)
    world.add_ground()
    for x in (-0.05, width + 0.05):
        wall = world.add_box(0.1, 1.0, 1.0, 1.0)
        wall.set_pose((x, 0.0, 0.5))
        wall.body_type = "static"
    boxes = [world.add_box(0.2, 0.2, 0.2, 1.0) for _ in range(count)]
    for k, box in enumerate(boxes):
        box.set_pose((width * (k + 0.5) / count, 0.0, 0.1))
    start, deep = sum(map(energy, boxes)), 0.0
    for _ in range(500):
        before = [box.position for box in boxes]
        world.step()
        deep = max([deep, *(c.depth for c in world.contacts)])
        assert max(np.linalg.norm(box.position - p) for box, p in zip(boxes, before, strict=True)) < 3e-3
        assert sum(map(energy, boxes)) < start + 2.0
    assert deep > 1e-4


def test_a_light_link_is_not_spun_by_its_overlap():
    """1e-5 kg at the tip of a bent arm, 2 cm in the ground: its joints turn slowly, and keep no speed."""
    arm = Mechanism(RigidBody("world"))
    last = arm.root_body
    for name, mass in (("upper", 1.0), ("lower", 1e-5)):
        body = RigidBody(name, inertia=rbdyn.SpatialInertia(mass, (0, 0, -0.25), mass * np.diag([0.02, 0.02, 0.001])))
        place = rbdyn.Transform(translation=(0.0, 0.0, 0.0 if last is arm.root_body else -0.5))
        arm.attach(last, body, Joint(f"{name} joint", Revolute(axis=(0, 1, 0))), joint_pose=place)
        last = body
    last.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.05), rbdyn.Transform(translation=(0, 0, -0.5))))
    world = World(2e-3, gravity=(0, 0, 0))
    world.add_ground(height=-1.03)
    robot = world.add_articulated_system(arm)
    robot.set_state([0.0, 1e-3])
    travel = 0.0
    for _ in range(100):
        before = robot.q
        world.step()
        travel += np.abs(robot.q - before).max()
        assert np.abs(robot.q - before).max() <= 2e-3 * 6.0 * (1 + 1e-9) and np.abs(robot.v).max() == 0.0
    assert travel > 1e-3


def test_a_flat_bounce_of_restitution_one_keeps_its_energy():
    """Four corners at once: what the solver leaves of their velocities is no work of friction."""
    world = World(1e-3)
    world.add_ground()
    world.set_default_material(friction=0.0, restitution=1.0)
    box = world.add_box(0.2, 0.3, 0.1, 1.0)
    box.set_pose((0.0, 0.0, 1.0))
    for _ in range(10):
        world.step(443)
        assert energy(box) == pytest.approx(G, rel=1e-6)
    assert box.linear_velocity[2] != 0.0


def test_a_lever_pushed_at_its_pivot_takes_along_what_is_linked_to_its_end():
    """A wedge under the lever asks its end for more than poses are corrected by in a step: what it carries keeps up."""
    world = rbdyn.World(0.001, gravity=(0, 0, 0))
    lever, ball = world.add_box(2.0, 0.1, 0.1, 1.0), world.add_sphere(0.05, 0.5)
    lever.set_pose((1, 0, 0))
    ball.set_pose((2.2, 0, 0))
    at = rbdyn.Transform(translation=(-1, 0, 0))
    pivot = world.add_joint(None, lever, rbdyn.Joint("pivot", rbdyn.Revolute((0, 1, 0))), rbdyn.Transform(), at)
    end = rbdyn.Transform(translation=(1.2, 0, 0))
    link = world.add_joint(lever, ball, rbdyn.Joint("link", rbdyn.Spherical()), end, rbdyn.Transform())
    wedge = world.add_box(0.1, 0.1, 0.1, 1.0)
    wedge.body_type = "static"
    wedge.set_pose((0.15, 0, -0.08))
    for _ in range(100):
        world.step()
        assert max(np.abs(joint.error).max() for joint in (pivot, link)) < 1e-5
    assert lever.position[2] > 0.04
    assert ball.position[2] == pytest.approx(2.2 * lever.position[2], rel=1e-2)
