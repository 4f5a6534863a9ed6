"""What belongs to a World cannot be pulled from under a running step."""

import pickle
import threading

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import NativeBackend, Sphere
from rbdyn.contact import BisectionSolver, Problem


class Calls(BisectionSolver):
    """Runs a function in the middle of a step, then solves."""

    def __init__(self, call):
        super().__init__()
        self.call = call

    def solve(self, problem):
        self.call(problem)
        super().solve(problem)


def resting_ball(call):
    world = rbdyn.World(0.001, contact=Calls(call))
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0, 0, 0.1))
    return world, ball


def test_backends_are_held_during_a_step():
    caught = []

    def disturb(_):
        def elsewhere():
            for call in (
                lambda: world.collision.add_shape(Sphere(0.1), 0),
                lambda: world.collision.remove_shape(0),
                lambda: world.collision.query([np.eye(4)] * 3),
                lambda: world.contact.configure(warm_start=False),
                lambda: BisectionSolver.solve(world.contact, Problem(np.eye(3), [[0, 0, -1.0]], 0.5)),
            ):
                with pytest.raises(rbdyn.BusyError):
                    call()
                caught.append(call)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    world, _ = resting_ball(disturb)
    world.step()
    assert len(caught) == 5
    world.contact.configure(warm_start=False)


def test_a_solver_cannot_resize_its_impulses():
    world, ball = resting_ball(lambda problem: problem.impulse.resize((0, 3), refcheck=False))
    with pytest.raises(rbdyn.ContactError, match="shape"):
        world.step()
    assert ball.position[2] == 0.1


def test_a_detector_cannot_change_its_own_shapes():
    class Greedy(NativeBackend):
        def detect(self, scene):
            self.add_shape(Sphere(0.1), 0)

    world = rbdyn.World(0.001, collision=Greedy())
    world.add_ground()
    with pytest.raises(rbdyn.BusyError):
        world.step()


def stand_while_asking(function):
    """Where the quadruped ends when `function` of its state is evaluated in the middle of every step."""
    robots = []

    def ask(_):
        if function is not None:
            function(robots[0].state, np.zeros(robots[0].nv))

    world = rbdyn.World(0.002, contact=Calls(ask))
    world.add_ground()
    robots.append(world.add_articulated_system(models.quadruped()))
    robots[0].set_state(models.QUADRUPED_STANCE.q)
    robots[0].set_pd_gains(250.0, 10.0)
    robots[0].set_pd_target(models.QUADRUPED_STANCE.q)
    world.step(100)
    return robots[0].q


def test_algorithms_inside_a_step_do_not_change_it():
    """A controller may ask for dynamics of the state that is being stepped."""
    ends = [stand_while_asking(f) for f in (None, rbdyn.forward_dynamics, rbdyn.inverse_dynamics)]
    np.testing.assert_array_equal(ends[1], ends[0])
    np.testing.assert_array_equal(ends[2], ends[0])


def test_states_are_frozen_between_the_half_steps():
    world = rbdyn.World(0.002)
    robot = world.add_articulated_system(models.double_pendulum())
    world.integrate1()
    with pytest.raises(rbdyn.StateError, match="step"):
        robot.state.set(np.zeros(robot.nq))
    world.integrate2()
    robot.state.set(np.zeros(robot.nq))


def test_a_pickled_state_keeps_gravity_and_root():
    world = rbdyn.World(0.002, gravity=(0, 0, -1.62))
    robot = world.add_articulated_system(models.double_pendulum())
    robot.set_base_pose((1, 2, 3))
    robot.set_state(np.full(robot.nq, 0.3))
    twin = pickle.loads(pickle.dumps(robot.state))
    assert np.abs(rbdyn.bias_forces(robot.state)).min() > 1e-3
    np.testing.assert_array_equal(rbdyn.bias_forces(twin), rbdyn.bias_forces(robot.state))
    np.testing.assert_array_equal(rbdyn.forward_kinematics(twin), rbdyn.forward_kinematics(robot.state))


def test_a_shape_that_somebody_removed_does_not_keep_its_body():
    world = rbdyn.World(0.002)
    ball = world.add_sphere(0.1, 1.0)
    world.collision.remove_shape(world.collision.ids[-1])
    world.remove(ball)
    assert world.objects == ()


def test_material_names_are_released():
    world = rbdyn.World(0.002)
    world.set_material_pair("ice", "steel", 0.01)
    keep = world.add_sphere(0.1, 1.0, material="ice")
    plate = world.add_box(1, 1, 0.1, 1.0, material="steel")
    plate.set_pose((0, 0, -0.05))
    plate.body_type = "static"
    for k in range(300):
        world.remove(world.add_sphere(0.1, 1.0, material=f"m{k}"))
    keep.set_pose((0, 0, 0.1))
    keep.set_velocity((1.0, 0, 0))
    world.step(10)
    slip = 1.0 - keep.linear_velocity[0]
    assert slip == pytest.approx(0.01 * 9.81 * 0.02, rel=1e-6)      # the pair is still found after the renumbering


def test_integrate_may_write_over_its_velocity():
    model = rbdyn.Model(models.double_pendulum())
    q, v = np.array([0.1, 0.2]), np.array([3.0, 4.0])
    expected = rbdyn.integrate(model, q, v, 0.5)
    np.testing.assert_array_equal(rbdyn.integrate(model, q, v, 0.5, out=v), expected)
    assert expected.tolist() == [1.6, 2.2]


def test_contacts_name_both_sides():
    world, ball = resting_ball(lambda problem: None)
    world.step()
    item = world.contacts[0]
    assert set(item.objects) == {ball, world.objects[0]}
    assert item.bodies == (item.body_a, item.body_b)


@pytest.mark.parametrize("body", [1, "other", None, True, False])
def test_a_single_body_has_one_body(body):
    world = rbdyn.World(0.002, gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, 2.0, name="ball")
    with pytest.raises(KeyError):
        ball.set_external_force(body, (1, 0, 0))
    for right in (0, "ball"):
        ball.set_external_force(right, (1.0, 0, 0))
    world.step()
    assert ball.linear_velocity[0] == pytest.approx(2 * 0.002 / 2.0)


def test_a_robot_has_a_mechanism_of_its_own():
    """Two robots from one mechanism, and its owner, never disturb each other."""
    mechanism = models.double_pendulum()
    world = rbdyn.World(1e-3)
    a = world.add_articulated_system(mechanism, name="a")
    b = world.add_articulated_system(mechanism, name="b")
    for robot in (a, b):
        assert [x.name for x in robot.mechanism.bodies] == [x.name for x in mechanism.bodies]
        assert [x.name for x in robot.mechanism.joints] == [x.name for x in mechanism.joints]
        assert not {*robot.mechanism.bodies, *robot.mechanism.joints, *robot.mechanism.frames} & {
            *mechanism.bodies, *mechanism.joints, *mechanism.frames}  # fmt: skip
    assert not {*a.mechanism.bodies} & {*b.mechanism.bodies}
    name, mass = a.body_names[-1], a.total_mass
    mechanism.find_body(name).inertia = rbdyn.SpatialInertia(9.0)
    mechanism.attach(name, rbdyn.RigidBody("more"), rbdyn.Joint("more", rbdyn.Revolute((0, 1, 0))))
    mechanism.gravity = (0.0, 0.0, 1.0)
    world.step()
    assert (a.nv, b.nv, a.total_mass, b.total_mass) == (2, 2, mass, mass)
    with pytest.raises(KeyError, match=f"comes from elsewhere; .* so ask for '{name}'"):
        a.body_pose(mechanism.find_body(name))
