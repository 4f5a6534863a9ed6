"""Bad arguments, wrong moments, removed objects, empty objects, two threads.  Errors leave nothing half-done."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from world.scenes import G, WaitingSolver, World, stack, standing_quadruped

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.errors import BusyError, DivergenceError, Error, RemovedError, StateError
from rbdyn.world import ArticulatedSystem, SingleBody, WorldObject

NAN, INF = float("nan"), float("inf")


# ---- arguments ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 0.0, -1e-3, NAN, INF, -INF, "fast", None, True, [1e-3, 2e-3], 1j, b"1"])
def test_a_time_step_is_a_positive_number(value):
    with pytest.raises(Error, match="time_step"):
        World(value)
    world = World(1e-3)
    with pytest.raises(Error, match="time_step"):
        world.time_step = value
    assert world.time_step == 1e-3


@pytest.mark.parametrize("value", [9.81, (0, 0), (0, 0, 0, 0), (0, 0, NAN), (0, INF, 0), "down", None, [[0, 0, 1]]])
def test_gravity_is_a_vector(value):
    with pytest.raises(Error, match="gravity"):
        World(1e-3, value)
    world = World(1e-3)
    with pytest.raises(Error, match="gravity"):
        world.gravity = value
    assert (world.gravity == [0, 0, -9.81]).all()


def test_arrays_that_properties_return_cannot_be_written():
    """What is written into a copy would be lost without a word."""
    world = World(1e-3)
    world.add_ground()
    ball, robot = world.add_sphere(0.1, 1), standing_quadruped(world)
    ball.set_pose((1, 1, 0.0999))
    world.step()
    arrays = [world.gravity, robot.q, robot.v, *robot.pd_gains, *robot.pd_target, robot.generalized_force,
              robot.applied_force, ball.position, ball.orientation, ball.rotation, ball.inertia, ball.linear_velocity,
              ball.angular_velocity, ball.linear_momentum, ball.angular_momentum]
    arrays += [x for c in world.contacts for x in (c.position, c.normal, c.impulse)]
    assert len(arrays) > 25
    for x in arrays:
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 5.0
    q = robot.q
    kept = q.copy()
    world.step(5)
    assert (q == kept).all() and (robot.q != kept).any()         # it keeps its values, too


def test_steps_of_nothing():
    world = World(1e-3)
    ball = world.add_sphere(0.1, 1.0)
    world.step(0)
    assert world.time == 0.0
    assert (ball.position == 0).all()
    world.step(np.int64(3))
    assert world.steps == 3
    for wrong in (-1, 1.5, True):
        with pytest.raises(Error, match="n must"):
            world.step(wrong)
    assert world.steps == 3


def test_an_empty_world_steps():
    world = World(0.01)
    world.step(100)
    assert world.time == pytest.approx(1.0)
    assert world.contacts == []
    assert world.objects == ()


@pytest.mark.parametrize(("method", "arguments"), [
    ("add_sphere", (0, 1)), ("add_sphere", (-1, 1)), ("add_sphere", (NAN, 1)), ("add_sphere", (1, 0)),
    ("add_sphere", (1, -2)), ("add_sphere", (1, NAN)), ("add_sphere", (1, INF)), ("add_sphere", ("big", 1)),
    ("add_box", (1, 1, 0, 1)), ("add_box", (1, NAN, 1, 1)), ("add_box", (1, 1, 1, "heavy")),
    ("add_cylinder", (1, -1, 1)), ("add_capsule", (0, 1, 1)), ("add_capsule", (1, 1, None)),
    ("add_ground", (NAN,)), ("add_ground", ("low",)), ("add_ground", (INF,)),
    ("add_sphere", (1, 1, 3)), ("add_sphere", (1, 1, b"")), ("add_articulated_system", (3,)),
    ("add_articulated_system", ("/no/such/file.urdf",)), ("add_articulated_system", ("<robot",)),
])
def test_bad_arguments_add_nothing(method, arguments):
    world = World(1e-3)
    world.add_ground()
    with pytest.raises(Error):
        getattr(world, method)(*arguments)
    assert len(world.objects) == 1
    assert len(world.collision) == 1
    world.step(2)


@pytest.mark.parametrize("name", ["ball", "", 3, ["a"]])
def test_names_are_unique_strings(name):
    world = World(1e-3)
    world.add_sphere(0.1, 1, name="ball")
    with pytest.raises(Error, match="name"):
        world.add_box(1, 1, 1, 1, name=name)
    with pytest.raises(Error, match="name"):
        world.add_articulated_system(models.double_pendulum(), name=name)
    assert [o.name for o in world.objects] == ["ball"]
    assert len(world.collision) == 1
    assert world.find("ball") is world.objects[0]
    with pytest.raises(KeyError, match="ball"):
        world.find("bal")


@pytest.mark.parametrize("value", [(1, 2), (1, 2, NAN), "here", 3.0, [[1, 2, 3]], (1, 2, INF), (1, 2, "3x")])
def test_vectors_of_a_single_body(value):
    world = World(1e-3)
    ball = world.add_sphere(0.1, 1)
    ball.set_pose((1, 2, 3), (0, 1, 0, 0))
    ball.set_velocity((4, 5, 6), (7, 8, 9))
    for call in (
        lambda: ball.set_pose(value), lambda: ball.set_pose((0, 0, 0), value), lambda: ball.set_velocity(value),
        lambda: ball.set_velocity((0, 0, 0), value), lambda: ball.set_external_force(0, value),
        lambda: ball.set_external_force(0, (1, 1, 1), value), lambda: ball.set_external_torque(0, value),
    ):
        with pytest.raises(Error):
            call()
    assert (ball.position == [1, 2, 3]).all()
    assert (ball.orientation == [0, 1, 0, 0]).all()
    assert (ball.linear_velocity == [4, 5, 6]).all()
    assert (ball.angular_velocity == [7, 8, 9]).all()
    world.gravity = (0, 0, 0)
    world.step()
    assert (ball.linear_velocity == [4, 5, 6]).all()


@pytest.mark.parametrize("orientation", [(0, 0, 0, 0), (NAN, 0, 0, 1), np.zeros((3, 3)), 2 * np.eye(3), np.eye(4),
                                         -np.eye(3)])
def test_orientations_of_a_single_body(orientation):
    ball = (world := World(1e-3)).add_sphere(0.1, 1)
    with pytest.raises(Error):
        ball.set_pose((9, 9, 9), orientation)
    assert (ball.position == 0).all()
    assert world.objects == (ball,)


def robot_calls(robot, x):
    yield lambda: robot.set_state(x)
    yield lambda: robot.set_state(robot.q, x)
    yield lambda: robot.set_pd_gains(x, 1.0)
    yield lambda: robot.set_pd_gains(1.0, x)
    yield lambda: robot.set_pd_target(x)
    yield lambda: robot.set_pd_target(robot.q, x)
    yield lambda: robot.set_generalized_force(x)
    yield lambda: robot.set_external_force("base", x)
    yield lambda: robot.set_external_force("base", (0, 0, 1), x)
    yield lambda: robot.set_external_torque("base", x)
    yield lambda: robot.set_base_pose(x)
    yield lambda: robot.set_base_pose((0, 0, 0), x)


@pytest.mark.parametrize("x", [np.zeros(5), np.full(18, NAN), np.full(19, NAN), np.full(19, INF), "rest", [[1.0]],
                               np.zeros((19, 1)), np.full(3, NAN)])
def test_vectors_of_a_robot(x):
    world = World(1e-3)
    robot = standing_quadruped(world)
    q, v, gains, target = robot.q, robot.v, robot.pd_gains, robot.pd_target
    for call in robot_calls(robot, x):
        with pytest.raises(Error):
            call()
    assert (robot.q == q).all()
    assert (robot.v == v).all()
    assert (np.array(robot.pd_gains) == gains).all()
    assert all((a == b).all() for a, b in zip(robot.pd_target, target, strict=True))
    assert (robot.generalized_force == 0).all()
    twin = World(1e-3)
    other = standing_quadruped(twin)
    world.step(5)
    twin.step(5)
    assert (robot.q == other.q).all()


def test_names_that_do_not_exist():
    world = World(1e-3)
    robot = standing_quadruped(world)
    for call in (
        lambda: robot.set_external_force("LF_FOOD", (0, 0, 1)), lambda: robot.set_external_torque("LF_FOOD", (0, 0, 1)),
        lambda: robot.body_pose("LF_FOOD"),
    ):
        with pytest.raises(KeyError, match="LF_FOOT"):
            call()
    with pytest.raises(KeyError, match="pd_plus_feedforward"):
        robot.control_mode = "pid"
    with pytest.raises(KeyError, match="trapezoid"):
        world.integrator = "rk45"
    box = world.add_box(1, 1, 1, 1)
    with pytest.raises(KeyError, match="kinematic"):
        box.body_type = "cinematic"
    assert box.body_type == "dynamic"
    assert world.integrator == "trapezoid"


@pytest.mark.parametrize("wrong", [-1.0, NAN])
def test_negative_gains(wrong):
    robot = (world := World(1e-3)).add_articulated_system(models.double_pendulum())
    with pytest.raises(Error):
        robot.set_pd_gains(wrong, 1.0)
    with pytest.raises(Error):
        robot.set_pd_gains(1.0, [1.0, wrong])
    assert (np.array(robot.pd_gains) == 0).all()
    assert robot.control_mode == "force"
    assert world.objects


def test_contact_parameters():
    world = World(1e-3)
    for wrong in (-0.1, 1.1, NAN, INF, "much", None):
        with pytest.raises(Error):
            world.set_erp(wrong)
        with pytest.raises(Error):
            world.set_erp(0.2, wrong)
    for wrong in (-1e-3, NAN, INF, "thick"):
        with pytest.raises(Error):
            world.contact_slop = wrong
    for arguments in ((-1,), (NAN,), ("a",), (1, 2), (1, -1), (1, 1, -1), (1, 1, NAN)):
        with pytest.raises(Error):
            world.set_default_material(*arguments)
        with pytest.raises(Error):
            world.set_material_pair("a", "b", *arguments)
    with pytest.raises(Error):
        world.set_material_pair(None, "b", 1)
    with pytest.raises(Error):
        world.set_material_pair("a", "b", 1.0, static_friction=0.5)
    for wrong in ({"max_iterations": 0}, {"threshold": NAN}, {"alpha_init": 2.0}, {"alpha_min": -1}):
        with pytest.raises(Error):
            world.set_contact_solver_param(**wrong)
    assert world.contact.parameters == BisectionSolver().parameters


# ---- life cycle --------------------------------------------------------------------------------------------------


def test_a_removed_object_says_so():
    world = World(1e-3)
    world.add_ground()
    ball, robot = world.add_sphere(0.1, 1, name="ball"), standing_quadruped(world)
    world.step()
    x3, xq, xv = np.zeros(3), robot.q, robot.v
    world.remove(ball)
    world.remove(robot)
    for name in ("position", "orientation", "rotation", "linear_velocity", "angular_velocity", "mass", "inertia",
                 "kinetic_energy", "potential_energy", "linear_momentum", "angular_momentum", "body_type"):
        with pytest.raises(RemovedError, match="ball"):
            getattr(ball, name)
    for name in ("q", "v", "pd_gains", "pd_target", "generalized_force", "applied_force", "control_mode"):
        with pytest.raises(RemovedError, match="quadruped"):
            getattr(robot, name)
    assert (robot.state.q == xq).all()                          # the state goes on without a World
    for call in (
        lambda: robot.body_pose("base"),
        lambda: ball.set_pose(x3), lambda: ball.set_velocity(x3), lambda: ball.set_external_force(0, x3),
        lambda: ball.set_external_torque(0, x3), lambda: ball.world, lambda: ball.contacts,
        lambda: setattr(ball, "body_type", "static"), lambda: robot.set_state(xq), lambda: robot.set_pd_gains(1, 1),
        lambda: robot.set_pd_target(xq), lambda: robot.set_generalized_force(xv), lambda: robot.set_base_pose(x3),
        lambda: robot.set_external_force("base", x3), lambda: robot.set_external_torque("base", x3),
        lambda: setattr(robot, "control_mode", "force"), lambda: robot.contacts, lambda: world.remove(ball),
        lambda: world.remove(robot),
    ):
        with pytest.raises(RemovedError):
            call()
    with pytest.raises(RemovedError, match="ball"):
        ball.world  # noqa: B018
    assert "removed" in repr(ball)
    assert len(world.collision) == 1
    world.step(3)


def test_an_object_of_another_world_cannot_be_removed_here():
    a, b = World(1e-3), World(1e-3)
    ball = a.add_sphere(0.1, 1)
    with pytest.raises(RemovedError):
        b.remove(ball)
    with pytest.raises((TypeError, Error)):
        b.remove(None)
    assert a.objects == (ball,)


def test_an_object_outlives_its_world_politely():
    world = World(1e-3)
    ball, robot = world.add_sphere(0.1, 1), world.add_articulated_system(models.double_pendulum())
    del world
    with pytest.raises(RemovedError):
        ball.world  # noqa: B018
    with pytest.raises(RemovedError):
        robot.contacts  # noqa: B018
    assert ball.position.shape == (3,)
    assert robot.q.shape == (2,)


def test_remove_and_add_many():
    """Slots are used again; those that stay are untouched, to the bit."""
    rng = np.random.default_rng(0)
    world, twin = World(1e-3), World(1e-3)
    for w in (world, twin):
        w.add_ground()
        stack(w, 3)
        robot = standing_quadruped(w)
        robot.set_state(robot.q + 3.0 * np.eye(19)[0])
    kept = world.objects
    for k in range(60):
        extra = []
        for i in range(int(rng.integers(1, 5))):
            if rng.random() < 0.3:
                thing = world.add_articulated_system(models.double_pendulum(), name=f"p{k}_{i}")
                thing.set_base_pose((50.0 + 3 * i, 50, 50))
            else:
                thing = world.add_sphere(0.1, 1)
                thing.set_pose((-30 - i, 0, 10))
            extra.append(thing)
        world.step(2)
        twin.step(2)
        for thing in rng.permutation(np.array(extra, dtype=object)):
            world.remove(thing)
        for a, b in zip(kept, twin.objects, strict=True):
            if hasattr(a, "q"):
                assert (a.q == b.q).all()
            else:
                assert (a.position == b.position).all()
                assert (a.orientation == b.orientation).all()
    assert world.objects == kept
    assert len(world.collision) == len(twin.collision)
    assert world.collision.query(np.tile(np.eye(4), (64, 1, 1))).shape  # no shape sits beyond 64 slots


def test_a_removed_support_lets_go():
    world = World(1e-3)
    ground = world.add_ground()
    ball = world.add_sphere(0.1, 1)
    ball.set_pose((0, 0, 0.1 - 5e-6))
    world.step(10)
    assert len(ball.contacts) == 1
    world.remove(ground)
    assert ball.contacts == world.contacts == []
    world.step(100)
    assert ball.linear_velocity[2] == pytest.approx(-G * 0.1, rel=1e-9)


def test_nothing_may_change_between_the_halves():
    world = World(1e-3)
    ground, ball, robot = world.add_ground(), world.add_sphere(0.1, 1), standing_quadruped(world)
    ball.set_pose((1, 1, 0.1 - 5e-6))
    with pytest.raises(BusyError, match="integrate1"):
        world.integrate2()
    world.integrate1()
    for call in (
        lambda: world.add_sphere(1, 1), lambda: world.add_ground(), lambda: world.remove(ground), world.integrate1,
        lambda: world.add_articulated_system(models.double_pendulum()), world.step, lambda: ball.set_pose((0, 0, 0)),
        lambda: ball.set_velocity((0, 0, 0)), lambda: robot.set_state(robot.q), lambda: robot.set_base_pose((0, 0, 0)),
        lambda: setattr(world, "time_step", 1.0), lambda: setattr(ball, "body_type", "static"),
    ):
        with pytest.raises(BusyError):
            call()
    assert len(world.contacts) == 5
    assert (np.array([c.impulse for c in world.contacts]) == 0).all()
    robot.set_generalized_force(np.zeros(18))
    ball.set_external_force(0, (0, 0, 2 * G))
    world.integrate2()
    assert ball.linear_velocity[2] == pytest.approx(G * 1e-3)
    assert sum(c.impulse[2] for c in world.contacts if robot in (c.object_a, c.object_b)) != 0
    world.step()
    assert world.steps == 2


def test_a_robot_that_is_edited_while_in_a_world_goes_on_as_it_is_now():
    world = World(1e-3)
    mechanism = world.add_articulated_system(models.double_pendulum()).mechanism
    world.step()
    mechanism.attach(mechanism.bodies[-1], rbdyn.RigidBody("extra", rbdyn.SpatialInertia(1, (0, 0, 0), np.eye(3))),
                     rbdyn.Joint("more", rbdyn.Revolute((0, 1, 0))))
    world.step()
    assert world.steps == 2 and world.objects[0].nv == 3


def test_divergence_keeps_the_last_good_state():
    world = World(1e-3)
    world.add_ground()
    ball, robot = world.add_sphere(0.1, 1, name="ball"), standing_quadruped(world)
    ball.set_pose((2, 0, 0.1 - 5e-6))
    twin = World(1e-3)
    twin.add_ground()
    twin.add_sphere(0.1, 1, name="ball").set_pose((2, 0, 0.1 - 5e-6))
    standing_quadruped(twin)
    world.step(20)
    twin.step(20)
    q, v, p = robot.q, robot.v, ball.position
    ball.set_external_force(0, (0, 0, 1e308))
    ball.set_external_force(0, (0, 0, 1e308))
    with pytest.raises(DivergenceError, match="ball"):
        world.step()
    robot.clear_external_forces()
    ball.clear_external_forces()
    robot.set_generalized_force(np.full(18, 1e308))
    with pytest.raises(DivergenceError, match="quadruped"):
        for _ in range(3):
            world.step()
    robot.set_generalized_force(np.zeros(18))
    assert world.steps == 20
    assert (robot.q == q).all()
    assert (robot.v == v).all()
    assert (ball.position == p).all()
    world.step(100)
    twin.step(100)
    assert robot.q == pytest.approx(twin.objects[2].q, abs=1e-8)
    assert ball.position == pytest.approx(twin.objects[1].position, abs=1e-8)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("push", ["set_external_force", "set_external_torque"])
def test_every_part_of_a_velocity_must_be_finite(push, axis):
    """With "euler" the pose follows the velocity a step later: the velocity alone, of one axis, is beyond numbers."""
    world = World(1e-3)
    world.integrator = "euler"
    ball = world.add_sphere(0.1, 1e-8, name="ball")
    getattr(ball, push)(0, 1e308 * np.eye(3)[axis])
    with pytest.raises(DivergenceError, match="ball"):
        world.step()
    assert world.steps == 0 and not ball.linear_velocity.any() and not ball.angular_velocity.any()


# ---- empty objects and crashes -----------------------------------------------------------------------------------


def test_an_object_cannot_be_made_by_hand():
    for kind in (WorldObject, SingleBody, ArticulatedSystem):
        try:
            thing = kind()
        except (Error, TypeError):
            continue
        with pytest.raises(Error):
            thing.world  # noqa: B018


HAMMER = """
import sys, numpy as np
from rbdyn.world import World, SingleBody, ArticulatedSystem, WorldObject
from rbdyn.errors import Error
KIND = {"World": World, "SingleBody": SingleBody, "ArticulatedSystem": ArticulatedSystem, "WorldObject": WorldObject}
thing = KIND[sys.argv[1]].__new__(KIND[sys.argv[1]])
x3 = (0.0, 0.0, 1.0)
ARGS = [(), (x3,), (x3, x3), (1.0, 1.0), ("base", x3), (1,), (0.1, 0.1, 1.0), ("a", "b", 0.5), (thing,)]
unkind = []
for name in sorted(dir(type(thing))):
    if name.startswith("__") and name not in ("__repr__", "__reduce__"):
        continue
    for args in ARGS:
        try:
            value = getattr(thing, name)
            if callable(value):
                value(*args)
            elif args:
                setattr(thing, name, args[0])
        except (Error, TypeError) as problem:
            pass
        except AttributeError as problem:
            if "NoneType" in str(problem):
                unkind.append(f"{name}{args}: {problem}")
repr(thing)
print("alive", *unkind, sep="\\n")
"""


@pytest.mark.parametrize("kind", ["World", "ArticulatedSystem", "SingleBody", "WorldObject"])
def test_an_empty_object_raises_and_does_not_crash(kind):
    done = subprocess.run([sys.executable, "-c", HAMMER, kind], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["alive"], done.stdout


def test_a_world_is_initialised_once():
    world = World(1e-3)
    world.add_sphere(0.1, 1)
    with pytest.raises(Error):
        world.__init__(1e-2)
    assert world.time_step == 1e-3
    assert len(world.objects) == 1


# ---- threads -----------------------------------------------------------------------------------------------------


def test_a_second_thread_gets_busy():
    solver = WaitingSolver()
    world = World(1e-3, contact=solver)
    ground, ball = world.add_ground(), world.add_sphere(0.1, 1)
    robot = standing_quadruped(world)
    ball.set_pose((1, 1, 0.0999))
    worker = threading.Thread(target=world.step)
    worker.start()
    try:
        assert solver.entered.wait(20)
        for call in (
            world.step, world.integrate1, world.integrate2, lambda: world.add_sphere(1, 1),
            lambda: world.remove(ground), lambda: ball.set_pose((0, 0, 0)), lambda: robot.set_state(robot.q),
            lambda: robot.set_pd_gains(1, 1), lambda: ball.set_external_force(0, (0, 0, 1)),
            lambda: setattr(world, "gravity", (0, 0, 0)), lambda: world.set_erp(0.1),
            lambda: world.set_default_material(0.1), lambda: robot.set_generalized_force(np.zeros(18)),
        ):
            with pytest.raises(BusyError):
                call()
    finally:
        solver.go_on.set()
        worker.join(20)
    assert not worker.is_alive()
    assert world.steps == 1
    world.step()
    assert world.steps == 2


def test_two_worlds_step_side_by_side():
    worlds = [World(1e-3) for _ in range(2)]
    for world in worlds:
        world.add_ground()
        standing_quadruped(world)
    threads = [threading.Thread(target=world.step, args=(300,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    alone = World(1e-3)
    alone.add_ground()
    robot = standing_quadruped(alone)
    alone.step(300)
    for world in worlds:
        assert (world.objects[1].q == robot.q).all()


def test_a_solver_may_not_edit_its_world():
    seen = []

    class Meddler(BisectionSolver):
        def solve(self, problem):
            for call in (world.step, lambda: world.add_sphere(1, 1), lambda: ball.set_pose((0, 0, 9))):
                with pytest.raises(BusyError):
                    call()
            seen.append(True)
            super().solve(problem)

    world = World(1e-3, contact=Meddler())
    world.add_ground()
    ball = world.add_sphere(0.1, 1)
    ball.set_pose((0, 0, 0.0999))
    world.step()
    assert seen
    assert len(world.objects) == 2
    assert StateError
