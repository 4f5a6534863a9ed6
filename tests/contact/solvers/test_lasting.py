"""What of a step's impulses the next one begins with."""

import numpy as np
import pytest

from rbdyn.collision import Sphere
from rbdyn.contact import BisectionSolver, PGSSolver
from rbdyn.mechanism import Geometry, Joint, Mechanism, RigidBody
from rbdyn.mechanism.joints import Floating, Prismatic
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.world import World

SOLVERS = pytest.mark.parametrize("make", [BisectionSolver, PGSSolver])
DT, G = 2e-3, 9.81


def dropped(solver, speed, friction=0.5, restitution=0.0, spin=0.0):
    """A ball of 2 kg that touches the ground and moves with this velocity."""
    world = World(DT, contact=solver)
    world.set_default_material(friction=friction, restitution=restitution)
    world.add_ground()
    ball = world.add_sphere(0.1, 2.0)
    ball.set_pose(position=(0.0, 0.0, 0.1))
    ball.set_velocity(speed, (spin, 0.0, 0.0))
    return world, ball


def begins_with(solver):
    """Impulses on the ball; those of a state are on the ground."""
    return -solver.get_state()["impulse"]


@SOLVERS
@pytest.mark.parametrize(("speed", "restitution"), [(0.0, 0.0), (-1.0, 0.0), (-1.0, 0.4)])
def test_a_blow_is_over_after_its_step_and_the_weight_is_not(make, speed, restitution):
    solver = make()
    world, ball = dropped(solver, (0.0, 0.0, speed), restitution=restitution)
    world.step()
    applied = world.contacts[0].impulse
    falls = G * DT if restitution > 0.0 else 0.0           # what bounces falls freely after the blow
    assert abs(applied[2]) == pytest.approx(2.0 * (G * DT - (1 + restitution) * speed - falls), rel=1e-9)
    lasts = 2.0 * G * DT + 2.0 * falls                     # velocities of a bounce are those around the blow
    np.testing.assert_allclose(begins_with(solver), [[0.0, 0.0, lasts]], rtol=1e-9, atol=1e-12)
    assert ball.linear_velocity[2] == pytest.approx(-restitution * speed - falls, abs=1e-12)


def test_the_blow_of_a_robot_is_over_after_its_step_and_its_weight_is_not():
    """A plate of 2 kg on four feet, one of them on a leg that slides: what is left is the weight."""
    plate = RigidBody("plate", inertia=SpatialInertia(1.5, (0.0, 0.0, 0.0), np.diag([0.02, 0.03, 0.04])))
    for x, y in ((0.3, 0.2), (-0.3, 0.2), (0.3, -0.2)):
        plate.collision.append(Geometry(Sphere(0.05), Transform(translation=(x, y, 0.0))))
    leg = RigidBody("leg", inertia=SpatialInertia(0.5, (0.0, 0.0, 0.0), 1e-3 * np.eye(3)))
    leg.collision.append(Geometry(Sphere(0.05)))
    robot = Mechanism(RigidBody("world"))
    robot.attach(robot.root_body, plate, Joint("base", Floating()))
    slider = Joint("slider", Prismatic(axis=(1, 0, 0)))
    robot.attach(plate, leg, slider, joint_pose=Transform(translation=(-0.3, -0.2, 0.0)))
    solver = BisectionSolver(threshold=1e-12)
    world = World(DT, contact=solver)
    world.set_default_material(friction=0.5, restitution=0.0)
    world.add_ground()
    one = world.add_articulated_system(robot)
    q = one.model.neutral()
    q[2] = 0.05
    v = np.zeros(one.nv)
    v[2] = -1.0
    one.set_state(q, v)
    world.step()
    assert solver.iterations > 1
    pushes = np.array([-c.impulse for c in world.contacts])              # the ground is their body A
    assert pushes[:, 2].sum() == pytest.approx(2.0 * (G * DT + 1.0), rel=1e-9)
    assert begins_with(solver)[:, 2].sum() == pytest.approx(2.0 * G * DT, rel=1e-9)
    np.testing.assert_allclose(begins_with(solver) * (G * DT + 1.0) / (G * DT), pushes, atol=1e-7)


def test_friction_that_goes_on_lasts():
    """What slides does not stop: its friction is that of the next step."""
    solver = BisectionSolver()
    world, _ball = dropped(solver, (50.0, 0.0, 0.0), friction=0.3)
    world.step(3)
    np.testing.assert_allclose(begins_with(solver), [[-0.3 * 2.0 * G * DT, 0.0, 2.0 * G * DT]], rtol=1e-9, atol=1e-12)


class Half(BisectionSolver):
    """Changes what it was given."""

    def solve(self, problem):
        super().solve(problem)
        problem.impulse[:] *= 0.5


def test_what_a_python_solver_writes_is_what_the_next_step_begins_with():
    solver = Half()
    world, _ball = dropped(solver, (0.0, 0.0, -1.0))
    world.step()
    np.testing.assert_allclose(begins_with(solver), [[0.0, 0.0, G * DT + 1.0]], rtol=1e-9)


def tower(mass):
    """Twenty cubes of this mass, one on the other."""
    world = World(5e-3)
    world.set_default_material(friction=0.8)
    world.add_ground()
    cubes = [world.add_box(0.2, 0.2, 0.2, mass) for _ in range(20)]
    for k, cube in enumerate(cubes):
        cube.set_pose(position=(0.0, 0.0, 0.1 + 0.2 * k))
    return world, cubes


def test_a_stack_at_rest_is_not_solved_over_and_over():
    """Every other step took nine sweeps and a direct solve: a residue that one step stopped came back in the next."""
    world, cubes = tower(mass=1.0)
    world.step(400)
    sweeps, speeds = 0, []
    for _ in range(200):
        world.step()
        sweeps += world.contact.iterations
        speeds.append(max(np.abs(cube.linear_velocity).max() for cube in cubes))
    assert sweeps < 2 * 200
    assert np.mean(speeds) < 1e-7
    assert max(speeds) < 20 * 1e-8                     # twenty boxes, each solved to 1e-8


@pytest.mark.parametrize("dt", [2e-3, 5e-3, 0.01])
def test_a_wall_placed_exactly_rests(dt):
    """Its first step, from no impulses, ended after ten sweeps, and what they left shook the bricks for seconds."""
    world = World(dt)
    world.add_ground()
    bricks = []
    for row in range(8):
        x = 0.0
        for length in [0.2] * 8 if row % 2 == 0 else [0.1, *[0.2] * 7, 0.1]:
            bricks.append(world.add_box(length, 0.2, 0.2, 5.0 * length))
            bricks[-1].set_pose(position=(x + 0.5 * length, 0.0, 0.1 + 0.2 * row))
            x += length
    world.step(5)
    world.step(25)
    assert sum(b.kinetic_energy for b in bricks) < 1e-12
    assert world.contact.statistics.unconverged == 0


@pytest.mark.parametrize("speed", [5.0, 4.4])
def test_a_tower_that_was_hit_comes_to_rest(speed):
    """It rocks with less and less energy, and stands still in the end."""
    world, cubes = tower(mass=8.0)
    ball = world.add_sphere(0.15, 5.0)
    ball.set_pose(position=(-2.0, 0.0, 2.2))
    ball.set_velocity((speed, 0.0, 0.0))
    world.step(200)
    energies = []
    for _ in range(12):
        energies.append(sum(cube.kinetic_energy + cube.potential_energy for cube in cubes))
        world.step(200)
    assert energies[0] - energies[-1] > 0.3
    assert (np.diff(energies) < 1e-3).all()
    assert sum(cube.kinetic_energy for cube in cubes) < 1e-9
    assert cubes[-1].position[2] > 3.85
    top = cubes[-1].position.copy()
    world.step(200)
    assert world.contact.statistics.unconverged == 0 and np.abs(cubes[-1].position - top).max() < 1e-6
