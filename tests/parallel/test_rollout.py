"""Rollouts: each sample is, bit for bit, the World itself from that state under these controls."""

import threading

import numpy as np
import pytest
from parallel.fleets import crowded, walker

import rbdyn
from rbdyn import Geometry, models
from rbdyn.collision import Sphere
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.parallel import Roller, rollout


def pendulum():
    world = rbdyn.World(time_step=0.005)
    world.add_articulated_system(models.double_pendulum(), name="pendulum")
    return world


def by_hand(world, robot, state, controls, control, steps):
    """The same trajectory by World's own methods."""
    if state is not None:
        robot.set_state(state[: robot.nq], state[robot.nq :])
    q, v = [], []
    for u in controls:
        if control == "force":
            robot.set_generalized_force(np.concatenate([np.zeros(robot.nv - len(u)), u]))
        else:
            robot.set_pd_target(np.concatenate([robot.pd_target[0][: robot.nq - len(u)], u]))
        world.step(steps)
        q.append(robot.q)
        v.append(robot.v)
    return np.array(q), np.array(v)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("control", ["force", "pd_target"])
@pytest.mark.parametrize("given", [True, False])
def test_samples_are_what_the_world_does(control, given, threads):
    rng = np.random.default_rng(0)
    world = crowded(3)
    robot = world.find("quadruped")
    world.step(200)
    start = world.snapshot()
    around = 0.0 if control == "force" else QUADRUPED_STANCE.q[7:]
    controls = around + rng.normal(0, 10.0 if control == "force" else 0.2, (9, 8, 12))
    states = np.concatenate([robot.q, robot.v]) + rng.normal(0, 0.02, (9, 37)) if given else None
    if given:
        states[:, 3:7] = robot.q[3:7]
    many = rollout(world, states, controls, robot="quadruped", control=control, steps=3, threads=threads)
    assert world.state_hash() == start.hash and not many.diverged.any()
    assert many.q.shape == (9, 8, 19) and many.v.shape == (9, 8, 18)
    for i in range(9):
        world.restore(start)
        q, v = by_hand(world, robot, states[i] if given else None, controls[i], control, 3)
        assert (many.q[i] == q).all() and (many.v[i] == v).all()
    assert len({x.tobytes() for x in many.q[:, -1]}) == 9


def test_wide_controls_and_one_state_for_all():
    world = walker()
    state = np.concatenate([QUADRUPED_STANCE.q, np.zeros(18)])
    targets = np.tile(QUADRUPED_STANCE.q, (3, 4, 1))
    targets[..., 3] = 1.0005  # within what is taken for unit length
    wide, narrow = (rollout(world, state, u, control="pd_target") for u in (targets, targets[..., 7:]))
    assert (wide.q == narrow.q).all() and (wide.q[0] == wide.q[2]).all()
    forces = rollout(world, state, np.zeros((1, 4, 18))), rollout(world, state, np.zeros((1, 4, 12)))
    assert (forces[0].v == forces[1].v).all()


def test_a_roller_begins_where_its_world_is_now():
    world = pendulum()
    robot = world.find("pendulum")
    roller, zero = Roller(world, threads=2), np.zeros((20, 10, 2))
    assert not roller.rollout(None, zero).q.any()  # it hangs
    robot.set_state((1.0, 0.0))
    robot.joint("elbow").set(damping=2.0)
    q, _, _ = roller.rollout(None, zero)
    world.step(10)
    assert (q[:, -1] == robot.q).all() and robot.q[0] < 1.0


@pytest.mark.parametrize("control", ["force", "pd_target"])
@pytest.mark.parametrize("slow", [False, True])
def test_controls_wake_what_sleeps(control, slow):
    """They left it asleep, so that all samples were equal."""
    world = walker()
    world.sleeping = True
    robot = world.find("quadruped")
    if slow:
        world.schedule(lambda w: None, rate=100.0)
    world.step(300)
    while not robot.asleep:
        world.step()
    rng = np.random.default_rng(0)
    around = QUADRUPED_STANCE.q[7:] if control == "pd_target" else np.zeros(12)
    controls = around + rng.normal(0, 0.3 if control == "pd_target" else 10.0, (2, 3, 12))
    start, q = world.snapshot(), rollout(world, None, controls, control=control, steps=20).q
    for i in range(2):
        world.restore(start)
        assert (by_hand(world, robot, None, controls[i], control, 20)[0] == q[i]).all()
    assert np.abs(q[0] - q[1]).max() > 1e-3


def add_ball(world):
    world.add_sphere(0.1, 5.0, name="late").set_pose(position=(0.1, 0.0, 0.7))


def shove(world):
    world.find("quadruped").set_external_force("base", (0.0, 50.0, 0.0))


def add_shape(world):
    foot = world.find("quadruped").mechanism.find_body("LF_FOOT")
    foot.collision = [Geometry(Sphere(0.05))]
    world.find("quadruped").update()


OTHERS = {
    "solver": lambda world: world.set_contact_solver_param(threshold=1e-2, max_iterations=3),
    "object": add_ball,
    "filter": lambda world: world.find("quadruped").ignore_collision("LF_FOOT", "RF_FOOT"),
    "shape": add_shape,
    "schedule": lambda world: world.schedule(shove, rate=100.0),
    "mass": lambda world: setattr(world.find("quadruped").body("base"), "mass", 30.0),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_roller_takes_in_whatever_was_edited(what):
    world = walker()
    world.step(50)
    roller = Roller(world)
    controls = QUADRUPED_STANCE.q[7:] + np.random.default_rng(0).normal(0, 0.2, (2, 4, 12))
    before = roller.rollout(None, controls, control="pd_target", steps=10).q
    OTHERS[what](world)
    after = roller.rollout(None, controls, control="pd_target", steps=10).q
    assert (rollout(world, None, controls, control="pd_target", steps=10).q == after).all()
    assert what == "filter" or not (before == after).all()


def test_a_roller_after_surgery():
    world = walker()
    roller, robot = Roller(world), world.find("quadruped")
    robot.remove_subtree("RH_HAA")
    assert roller.rollout(None, np.zeros((1, 2, robot.nv))).q.shape == (1, 2, 16)
    world.remove(robot)
    with pytest.raises(rbdyn.Error, match="quadruped"):
        roller.rollout(None, np.zeros((1, 2, 15)))


def test_samples_that_diverge_end_in_nan_alone():
    world = pendulum()
    controls = np.zeros((5, 6, 2))
    controls[3, 2] = 1e308
    many = rollout(world, (0.3, 0, 0, 0), controls, threads=2)
    assert many.diverged.tolist() == [False, False, False, True, False]
    assert np.isnan(many.q[3, 2:]).all() and np.isfinite(many.q[3, :2]).all()
    assert np.isfinite(np.delete(many.q, 3, axis=0)).all() and (many.q[3, 1] == many.q[0, 1]).all()


def test_worlds_with_python_in_their_steps():
    world, plain = pendulum(), pendulum()
    for one in (world, plain):
        one.find("pendulum").set_state((1.0, 0.0))
    world.schedule(push, rate=100.0)
    controls = np.zeros((4, 5, 2))
    pushed, free = rollout(world, None, controls, threads=2), rollout(plain, None, controls)
    assert (pushed.q != free.q).any() and (pushed.q[0] == pushed.q[3]).all()
    for t in range(5):
        world.step()
        assert (pushed.q[0, t] == world.find("pendulum").q).all()


def push(world):
    world.find("pendulum").set_external_force("upper_rod", (10.0, 0.0, 0.0))


def test_nothing_to_do():
    assert rollout(pendulum(), None, np.zeros((0, 5, 2))).q.shape == (0, 5, 2)
    assert rollout(pendulum(), None, np.zeros((3, 0, 2))).q.shape == (3, 0, 2)


BAD = [
    ({"controls": np.zeros((2, 3))}, r"controls must have shape \(n, T, 18 or 12\), got shape \(2, 3\)"),
    ({"controls": np.zeros((2, 3, 13))}, r"\(n, T, 18 or 12\)"),
    ({"controls": np.full((2, 3, 12), np.nan)}, "controls must be finite"),
    ({"states": np.zeros((3, 37))}, r"states must have shape \(2, 37\)"),
    ({"states": np.zeros(37)}, "q holds a quaternion"),
    ({"states": np.zeros(36)}, r"states must have shape \(37,\)"),
    ({"control": "torque"}, "control must be one of 'force', 'pd_target'"),
    ({"steps": 0}, "steps must be a whole number"),
    ({"threads": 0}, "threads must be a whole number"),
    ({"robot": "arm"}, "no object named 'arm'"),
    ({"robot": "ground_0"}, "must be an articulated system"),
    ({"world": 3}, "world must be a World"),
    ({"world": rbdyn.World()}, "which of 0 robots"),
    ({"controls": np.zeros((2, 3, 19)), "control": "pd_target"}, "row 0 of controls holds a quaternion"),
]


@pytest.mark.parametrize("changed, match", BAD)
def test_bad_arguments(changed, match):
    given = {"world": walker(), "states": None, "controls": np.zeros((2, 3, 12)), **changed}
    with pytest.raises(rbdyn.Error, match=match):
        rollout(**given)


def test_one_roller_serves_one_thread():
    world = pendulum()
    inside, go = threading.Event(), threading.Event()
    roller = Roller(world)
    roller._follower.worlds[0].schedule(lambda w: (inside.set(), go.wait(10)), rate=200.0, name="wait")
    world.schedule(lambda w: None, rate=200.0, name="wait")
    thread = threading.Thread(target=roller.rollout, args=(None, np.zeros((1, 1, 2))))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(rbdyn.BusyError, match="another thread"):
        roller.rollout(None, np.zeros((1, 1, 2)))
    go.set()
    thread.join()
