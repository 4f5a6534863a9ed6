"""Many Worlds in one call: each is, bit for bit, the same World stepped alone."""

import copy
import os
import pickle
import signal
import threading

import numpy as np
import pytest
from parallel.fleets import crowded, walker

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.parallel import VectorWorld

N = 5


def hashes(worlds):
    return [world.state_hash() for world in worlds]


# ---- the law ---------------------------------------------------------------------------------------


class Script:
    """A thousand steps: targets, forces, parameters, pushes, subsets, resets and ways back, told to both kinds."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def run(self, many, alone):
        robot, ball = many.find("quadruped"), many.find("ball_0")
        robots = [world.find("quadruped") for world in alone]
        balls = [world.find("ball_0") for world in alone]
        kept, each = None, range(len(alone))
        for t in range(100):
            targets = QUADRUPED_STANCE.q[7:] + self.rng.normal(0, 0.3, (N, 12))
            tau = self.rng.normal(0, 5, (N, 12))
            robot.set_pd_target(targets)
            robot.set_generalized_force(tau)
            for k in each:
                robots[k].set_pd_target(np.concatenate([QUADRUPED_STANCE.q[:7], targets[k]]))
                robots[k].set_generalized_force(np.concatenate([np.zeros(6), tau[k]]))
            some = np.flatnonzero(self.rng.uniform(size=N) < 0.3)
            if t % 10 == 3:
                self.randomise(many, robot, alone, robots, some)
            if t % 10 == 5:
                push = self.rng.normal(0, 40, (len(some), 3))
                robot.set_external_force("base", push, where=some)
                ball.set_velocity(linear=0.1 * push, where=some)
                for k, f in zip(some, push, strict=True):
                    robots[k].set_external_force("base", f)
                    balls[k].set_velocity(linear=0.1 * f)
            if t % 25 == 20:
                many.reset(some)
                for k in some:
                    alone[k].reset()
            if t % 25 == 10:
                kept = many.snapshot()
            if t % 25 == 22:
                back = some[::-1]
                many.restore([kept[k] for k in back], where=back)
                for k in back:
                    alone[k].restore(kept[k])
            where = None if t % 4 else some
            many.step(10, where=where)
            for k in each if where is None else some:
                alone[k].step(10)
            assert (robot.q == [r.q for r in robots]).all()

    def randomise(self, many, robot, alone, robots, some):
        mass, com = self.rng.uniform(10, 20, len(some)), self.rng.uniform(-0.02, 0.02, (len(some), 3))
        damping, p = self.rng.uniform(0, 0.3, (len(some), robot.nv)), self.rng.uniform(60, 160, (len(some), robot.nv))
        g, mu = self.rng.normal((0, 0, -9.8), 0.5, (len(some), 3)), self.rng.uniform(0.3, 1, len(some))
        damping[:, :6] = p[:, :6] = 0
        robot.set_body("base", mass, com, where=some)
        robot.set("joint_damping", where=some, damping=damping)
        robot.set("pd_gains", where=some, p=p, d=2.0)
        robot.set("joint_limits", where=some, upper=2.0)
        many.set_gravity(g, where=some)
        many.set_material_pair("default", "default", where=some, friction=mu)
        for i, k in enumerate(some):
            alone[k].find("quadruped").body("base").set_inertia(mass=mass[i], com=com[i])
            robots[k].set_joint_damping(damping[i])
            robots[k].set_pd_gains(p[i], 2.0)
            robots[k].set_joint_limits(upper=2.0)
            alone[k].gravity = g[i]
            alone[k].set_material_pair("default", "default", friction=mu[i])


@pytest.mark.parametrize("threads", [1, 2])
def test_each_world_is_the_same_as_alone(threads):
    many = VectorWorld(crowded, N, threads=threads)
    alone = [crowded(k) for k in range(N)]
    touched = many.find("quadruped").contact_forces(["LF_FOOT"]).any()
    Script(threads).run(many, alone)
    assert hashes(many) == hashes(alone)
    assert not touched and many.find("quadruped").contact_forces().any()
    assert [w.steps for w in many] == [w.steps for w in alone] and min(w.steps for w in many) > 0


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 17])
def test_any_number_of_worlds_and_threads(n, threads):
    many, one = VectorWorld(walker(), n, threads=threads), walker()
    assert not many.step(7).any()
    one.step(7)
    assert set(hashes(many)) == {one.state_hash()}


def test_substeps_and_islands_on_threads():
    def build(k):
        world = rbdyn.World(time_step=0.01, substeps=3, contact=BisectionSolver(threads=2))
        world.add_ground()
        for i in range(4):
            world.add_box(0.2, 0.2, 0.2, 1.0).set_pose(position=(0.5 * (i % 2), 0.0, 0.11 + 0.25 * (i // 2) + 0.01 * k))
        return world

    many, alone = VectorWorld(build, 3, threads=2), [build(k) for k in range(3)]
    many.step(100)
    for world in alone:
        world.step(100)
    assert hashes(many) == hashes(alone)


def test_what_is_read_is_what_each_robot_says():
    many = VectorWorld(walker, 3)
    robot = many.find("quadruped")
    robot.set_pd_target(QUADRUPED_STANCE.q[7:] + 0.1 * np.arange(3)[:, None])
    many.step(40)
    each = [world.find("quadruped") for world in many]
    assert (robot.v == [r.v for r in each]).all() and robot.v.any()
    assert (robot.body_poses() == [r.body_poses for r in each]).all()
    assert (robot.body_velocities() == [r.body_velocities for r in each]).all()
    assert (robot.body_poses(["LF_FOOT"])[:, 0] == [r.body_pose("LF_FOOT") for r in each]).all()
    feet = ["LF_FOOT", "RH_FOOT"]
    forces = robot.contact_forces(feet)
    assert (forces == [[r.contact_force(foot) for foot in feet] for r in each]).all() and (forces[:, :, 2] > 10).any()
    assert (robot.pd_target[0] == [r.pd_target[0] for r in each]).all()
    assert (robot.applied_force == [r.applied_force for r in each]).all() and robot.applied_force.any()
    assert (robot.pd_gains[0] == [r.pd_gains[0] for r in each]).all()
    assert (many.time == 0.08).all() and many.gravity.shape == (3, 3)
    before = robot.q
    many.step(1)
    assert (before != robot.q).any()  # arrays keep their values


def test_contact_forces_of_what_was_moved_are_gone():
    many = VectorWorld(walker, 2)
    robot = many.find("quadruped")
    many.step(20)
    assert robot.contact_forces()[0].any() or robot.contact_forces(["LF_FOOT"])[0].any()
    robot.set_state(QUADRUPED_STANCE.q, where=[0])
    assert not robot.contact_forces(["LF_FOOT"])[0].any() and robot.contact_forces(["LF_FOOT"])[1].any()


# ---- who diverges ----------------------------------------------------------------------------------


def blow_up(many, k):
    many.find("quadruped").set_external_force("base", (1e200, 1e200, 1e200), where=[k])


@pytest.mark.parametrize("threads", [1, 2])
def test_who_diverges_stands_still_alone(threads):
    many, alone = VectorWorld(walker, 20, threads=threads), walker()
    many.step(10)
    blow_up(many, 7)
    assert np.flatnonzero(many.step(10)).tolist() == [7]
    assert many[7].steps == 10 and all(world.steps == 20 for k, world in enumerate(many) if k != 7)
    assert isinstance(many.errors[7], rbdyn.DivergenceError) and "quadruped" in str(many.errors[7])
    alone.step(20)
    assert {h for k, h in enumerate(hashes(many)) if k != 7} == {alone.state_hash()}
    many.step(5)
    assert many[7].steps == 10 and "1 diverged" in repr(many)
    many.reset(many.diverged)
    assert not many.diverged.any() and many.errors == {} and many[7].steps == 0
    assert not many.step(3).any() and many[7].steps == 3


@pytest.mark.parametrize("way", ["restore", "set_state"])
def test_other_ways_on(way):
    many = VectorWorld(walker, 3)
    kept = many.snapshot()
    blow_up(many, 1)
    assert many.step().tolist() == [False, True, False]
    if way == "restore":
        many.restore(kept[1], where=1)
    else:
        many.find("quadruped").set_state(QUADRUPED_STANCE.q, where=[1])
    assert not many.step().any() and not many.diverged.any()


# ---- Python in the steps ---------------------------------------------------------------------------


class Damped(BisectionSolver):
    def solve(self, problem):
        super().solve(problem)
        problem.impulse[:] *= 0.99


def test_worlds_with_python_in_their_steps_are_stepped_too():
    seen = []

    def build(k):
        world = rbdyn.World(time_step=0.002, contact=Damped() if k == 1 else None)
        world.add_ground()
        world.add_sphere(0.1, 1.0, name="ball").set_pose(position=(0, 0, 0.11))
        if k == 2:
            world.schedule(lambda w: w.find("ball").set_velocity((0.1, 0, 0)), rate=100.0)
        if k == 3:
            world.add_observer(lambda w: seen.append(float(w.find("ball").position[2])))
        return world

    many, alone = VectorWorld(build, 4, threads=2), [build(k) for k in range(4)]
    many.step(50)
    assert len(seen) == 50
    for world in alone:
        world.step(50)
    assert hashes(many) == hashes(alone) and len(set(hashes(alone))) == 3


def test_an_observer_that_raises_stops_the_call_and_no_other_world():
    many = VectorWorld(walker, 3, threads=2)

    def fail(world):
        raise RuntimeError("no more")

    many[1].add_observer(fail)
    with pytest.raises(RuntimeError, match="no more"):
        many.step(3)
    assert many[0].steps == many[2].steps == 3 and many[1].steps == 1
    many[1].remove_observer(fail)
    many.step()
    assert many[1].steps == 2


# ---- choices, arrays, edits ------------------------------------------------------------------------


def test_where_takes_masks_and_numbers():
    many = VectorWorld(walker, 4)
    many.step(1, where=np.array([True, False, False, True]))
    many.step(2, where=[1, -1])
    many.step(3, where=2)
    many.step(4, where=[])
    assert [world.steps for world in many] == [1, 2, 3, 3]


@pytest.mark.parametrize(
    "where, match",
    [
        ([0, 0], "each World once"),
        ([4], "from -4 to 3"),
        (7, "from -4 to 3"),
        (np.ones(3, bool), r"mask of shape \(4,\)"),
        ([0.5], "numbers of Worlds"),
        ("all", "numbers of Worlds"),
    ],
)
def test_bad_choices(where, match):
    many = VectorWorld(walker, 4)
    with pytest.raises(rbdyn.Error, match=match):
        many.step(1, where=where)
    assert [world.steps for world in many] == [0] * 4


BAD_ROWS = [
    ("set_pd_target", {"q": np.zeros((3, 11))}, r"q must have shape \(3, 19\) or \(3, 12\)"),
    ("set_pd_target", {"q": np.zeros((2, 12))}, r"q must have shape \(3, 12\)"),
    ("set_pd_target", {"q": np.zeros((3, 19))}, "row 0 of q holds a quaternion"),
    ("set_pd_target", {"q": np.diag([0, np.nan, 0])[:, [1] * 12]}, r"q must be finite, got nan at index \(1, 0\)"),
    ("set_generalized_force", {"tau": np.full((3, 18), np.inf)}, "tau must be finite"),
    ("set_generalized_force", {"tau": [["a"] * 18] * 3}, "tau must hold real numbers"),
    ("set_state", {"q": np.ones((3, 19))}, "World 0: q holds a quaternion"),
    ("set_state", {"v": np.ones((3, 19))}, r"v must have shape \(3, 18\)"),
    ("set_external_force", {"body": "nose", "force": (0, 0, 1)}, "nose"),
    ("set_body", {"body": "base", "mass": [1.0, -1.0, 1.0]}, "World 1: mass of body 'base' must be a number"),
    ("set_body", {"body": "base", "mass": [1.0, 1.0]}, r"mass must have shape \(3,\)"),
    ("set", {"setting": "weight", "p": 1.0}, "no setting named 'weight'"),
    ("set", {"setting": "joint_damping", "damping": np.ones((2, 18))}, "a row for each of 3 Worlds"),
    ("set", {"setting": "pd_gains", "p": [[1.0] * 18, [1.0] * 18, [-1.0] * 18]}, "World 2: "),
    ("contact_forces", {"bodies": ["nose"]}, "no link named 'nose'"),
    ("contact_forces", {"bodies": "base"}, "sequence of names"),
    ("body_poses", {"bodies": ["nose"]}, "nose"),
]


@pytest.mark.parametrize("method, arguments, match", BAD_ROWS, ids=lambda x: x if isinstance(x, str) else "")
def test_bad_rows_are_named_and_change_nothing(method, arguments, match):
    many = VectorWorld(walker, 3)
    many.step(2)
    before = hashes(many)
    with pytest.raises(rbdyn.Error, match=match):
        getattr(many.find("quadruped"), method)(**arguments)
    assert hashes(many) == before


def test_apply_edits_anything_wholly_or_not_at_all():
    many = VectorWorld(walker, 3)
    radii = [0.025, 0.03, 0.035]

    def other_feet(world, radius):
        world.find("quadruped").geometry("LF_FOOT/0").shape = rbdyn.collision.Sphere(radius)
        return radius

    assert many.apply(other_feet, radius=radii) == radii
    assert [world.find("quadruped").geometry("LF_FOOT/0").shape.radius for world in many] == radii
    before = hashes(many)
    with pytest.raises(rbdyn.Error, match="World 2: "):
        many.apply(other_feet, radius=[0.1, 0.1, -1.0])
    assert hashes(many) == before
    with pytest.raises(rbdyn.Error, match="an item for each of 3 Worlds"):
        many.apply(other_feet, radius=[0.1])


def test_random_states_do_not_depend_on_how_many_there_are():
    few, many = VectorWorld(walker, 2), VectorWorld(walker, 5)
    for worlds in (few, many):
        worlds.seed(3)
    q, v = many.find("quadruped").random_states(0.3, 0.5)
    assert (few.find("quadruped").random_states(0.3, 0.5)[0] == q[:2]).all()
    assert (q[:, :7] == QUADRUPED_STANCE.q[:7]).all() and 0.1 < np.abs(q - QUADRUPED_STANCE.q).max() <= 0.3
    assert not v[:, :6].any() and 0.2 < np.abs(v).max() <= 0.5
    assert not np.array_equal(q[0], q[1])


def test_set_reset_state():
    many = VectorWorld(walker, 3)
    many.step(5)
    many.set_reset_state(where=[1])
    then = many.find("quadruped").q
    many.step(5)
    many.reset()
    assert (many.find("quadruped").q[1] == then[1]).all() and [w.steps for w in many] == [0, 5, 0]


def test_bodies_in_rows():
    many = VectorWorld(crowded, 3)
    ball = many.find("ball_1")
    ball.set_pose(position=[[0, 0, 3], [0, 0, 4], [0, 0, 5]], orientation=(0, 1, 0, 0))
    ball.set_velocity(angular=(0, 0, 1))
    assert ball.position[:, 2].tolist() == [3, 4, 5] and (ball.orientation == (0, 1, 0, 0)).all()
    assert (ball.angular_velocity == (0, 0, 1)).all() and not ball.linear_velocity.any()
    ball.set_external_force((0, 0, 1e3))
    many.step()
    assert (ball.linear_velocity[:, 2] > 0.5).all()
    assert [one.name for one in many.bodies] == ["height_map_0", "ball_0", "ball_1"]
    assert [one.name for one in many.systems] == ["quadruped", "linkage"]


# ---- making them -----------------------------------------------------------------------------------


def other(k):
    world = walker()
    if k == 2:
        world.add_sphere(0.1, 1.0)
    return world


def renamed(k):
    world = rbdyn.World()
    world.add_articulated_system(models.double_pendulum(), name=f"pendulum_{k}")
    return world


def grown(k):
    world = rbdyn.World()
    world.add_articulated_system(models.double_pendulum() if k == 0 else models.six_axis_arm(), name="arm")
    return world


ONE = walker()
BAD_BUILDS = [
    (walker, 0, "n must be a whole number, from 1 to 100000"),
    (walker, 1.5, "n must be a whole number"),
    (lambda: walker(), 2, "build must take one argument"),
    (3, 2, "build must be a World, or a function"),
    (lambda k: None, 2, r"build\(0\) must return a World, got None"),
    (lambda k: ONE, 3, "World 1 is World 0 once more"),
    (other, 3, "World 2 is not like World 0: it has 3 objects, not 2"),
    (renamed, 2, "World 1 is not like World 0: it has the articulated system 'pendulum_1' where"),
    (grown, 2, "World 1 is not like World 0: 'arm' has nq 6"),
]


@pytest.mark.parametrize("build, n, match", BAD_BUILDS)
def test_bad_builds(build, n, match):
    with pytest.raises(rbdyn.Error, match=match):
        VectorWorld(build, n)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, 10**6])
def test_bad_threads(threads):
    with pytest.raises(rbdyn.Error, match="threads must be a whole number"):
        VectorWorld(walker, 1, threads=threads)


def test_surgery_on_one_is_said():
    many = VectorWorld(walker, 2)
    many[1].find("quadruped").remove_subtree("LF_HAA")
    with pytest.raises(rbdyn.Error, match="make a new VectorWorld after surgery"):
        many.find("quadruped").q  # noqa: B018


def test_a_world_that_another_thread_steps():
    many = VectorWorld(walker, 3)
    inside, go = threading.Event(), threading.Event()

    def wait(world):
        inside.set()
        go.wait(10)

    many[1].add_observer(wait)
    thread = threading.Thread(target=many[1].step)
    thread.start()
    inside.wait(10)
    with pytest.raises(rbdyn.BusyError):
        many.step()
    with pytest.raises(rbdyn.BusyError):
        many.find("quadruped").set_pd_target(QUADRUPED_STANCE.q)
    go.set()
    thread.join()
    assert [world.steps for world in many] == [0, 1, 0]


def test_between_half_steps_nothing_goes():
    many = VectorWorld(walker, 3)
    many[2].integrate1()
    with pytest.raises(rbdyn.BusyError, match="integrate2"):
        many.step()
    many[2].integrate2()
    many.step()
    assert [world.steps for world in many] == [1, 1, 2]


def test_copies_and_pickles():
    many = VectorWorld(walker, 3, threads=2)
    many.step(20)
    blow_up(many, 0)
    many.step(20)
    twins = [copy.deepcopy(many), pickle.loads(pickle.dumps(many))]
    for twin in twins:
        assert hashes(twin) == hashes(many) and twin.threads == 2 and twin.diverged.tolist() == [True, False, False]
    for worlds in (many, *twins):
        worlds.step(10)
    assert hashes(twins[0]) == hashes(many) == hashes(twins[1])


def test_worlds_that_are_there_already():
    worlds = [walker(), walker()]
    many = VectorWorld.of(worlds, threads=1)
    assert many.worlds == tuple(worlds) and list(many) == worlds and len(many) == 2 and many[1] is worlds[1]
    many.threads = 2
    many.step(3)
    assert many.threads == 2 and worlds[0].steps == 3
    with pytest.raises(rbdyn.Error, match="one World or more"):
        VectorWorld.of([])
    with pytest.raises(rbdyn.Error, match="no object named 'robot'"):
        many.find("robot")


# ---- the system around -----------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_after_threads_does_not_hang():
    many, twin = VectorWorld(walker, 40, threads=2), VectorWorld(walker, 40)
    many.step(5)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        many.step(5)
        twin.step(10)
        os._exit(0 if hashes(many) == hashes(twin) else 1)
    assert os.waitpid(child, 0)[1] == 0
    many.step(5)
    twin.step(10)
    assert hashes(many) == hashes(twin)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_an_interrupt_leaves_all_of_them_level():
    many = VectorWorld(walker(), 8, threads=2)

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            many.step(10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert len({world.steps for world in many}) == 1 and many[0].steps > 0
    many.step(1)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_an_interrupt_ends_worlds_with_python_in_their_steps_at_once():
    many, calls = VectorWorld(walker(), 4), []

    def look(world):
        calls.append(world.steps)
        if len(calls) == 1000:
            raise KeyboardInterrupt

    for world in many:
        world.add_observer(look)
    with pytest.raises(KeyboardInterrupt):
        many.step(10**6)
    assert len(calls) == 1000  # none went on
    steps = [world.steps for world in many]
    assert max(steps) - min(steps) <= 64 and sum(steps) in (999, 1000)


# ---- from outside ----------------------------------------------------------------------------------

TOLD = {
    "set_pd_target": lambda robot, q: robot.set_pd_target(q),
    "v": lambda robot, q: robot.set_pd_target(v=np.full(18, 0.2)),
    "set_generalized_force": lambda robot, q: robot.set_generalized_force(np.r_[np.zeros(6), np.full(12, 3.0)]),
    "nothing new": lambda robot, q: robot.set_pd_target(QUADRUPED_STANCE.q),
}


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("asleep", [True, False])
def test_control_wakes_what_sleeps_as_it_does_alone(told, asleep):
    """Targets and forces of rows left robots asleep, which then stood still under any control."""

    def build(k=0):
        world = walker()
        world.sleeping = True
        return world

    many, alone = VectorWorld(build, 3), build()
    robots, robot = many.find("quadruped"), alone.find("quadruped")
    for worlds in (many, alone):
        worlds.step(300)
    while not robot.asleep:
        alone.step()
        many.step()
    if not asleep:  # nearly: it fell asleep after 250 calm steps
        for worlds, its in ((many, robots), (alone, robot)):
            its.set_pd_target(QUADRUPED_STANCE.q)
            worlds.step(200)
        assert not robot.asleep
    q = QUADRUPED_STANCE.q + np.r_[np.zeros(7), np.full(12, 0.1)]
    TOLD[told](robots, q)
    TOLD[told](robot, q)
    for worlds in (many, alone):
        worlds.step(100)
    assert not robot.asleep and not any(one.asleep for one in robots)
    assert set(hashes(many)) == {alone.state_hash()}


def test_a_call_within_a_call_is_refused_before_anybody_steps():
    many, refused = VectorWorld(walker, 3), []

    def again(world):
        try:
            many.step()
        except rbdyn.BusyError as error:
            refused.append(str(error))

    many[1].schedule(again, rate=500.0)
    many.step()
    assert [world.steps for world in many] == [1, 1, 1] and "are being stepped" in refused[0]
    many.step()


WAYS_ON = {
    "reset": lambda many: many[1].reset(),
    "set_state": lambda many: many.find("quadruped")[1].set_state(QUADRUPED_STANCE.q),
    "apply": lambda many: many.apply(lambda w: w.find("quadruped").set_state(v=np.full(18, 0.1)), where=1),
    "step": lambda many: many[1].step(),
}


@pytest.mark.parametrize("way", WAYS_ON)
def test_a_world_that_diverged_goes_on_whoever_changed_it(way):
    many = VectorWorld(walker, 3)
    many.step(5)
    blow_up(many, 1)
    assert many.step().tolist() == [False, True, False]
    assert many.step().tolist() == [False, True, False] and many[1].steps == 5
    WAYS_ON[way](many)
    assert not many.diverged.any() and not many.errors
    before = many[1].steps
    assert not many.step(2).any() and many[1].steps == before + 2


def test_names_that_only_each_of_them_has():
    many = VectorWorld(walker, 2)
    robot, ball = many.find("quadruped"), VectorWorld(crowded, 2).find("ball_0")
    for thing, name, match in [
        (robot, "control_mode", r"each ArticulatedSystem has its own; system\[k\] are those, and worlds.apply"),
        (robot, "pd_tagret", "did you mean 'pd_target'"),
        (robot, "q", "'q' of VectorSystem cannot be set"),
        (many, "time_step", r"each World has its own; worlds\[k\] are those"),
        (many, "thread", "did you mean 'threads'"),
        (ball, "mass", r"each SingleBody has its own; body\[k\] are those"),
    ]:
        with pytest.raises(AttributeError, match=match):
            setattr(thing, name, 1.0)
    with pytest.raises(AttributeError, match=r"write set\('pd_gains', ...\)"):
        robot.set_pd_gains(1.0, 2.0)
    with pytest.raises(AttributeError, match="VectorWorld has no 'time_step': each World has its own"):
        many.time_step  # noqa: B018
    with pytest.raises(rbdyn.StateError, match=r"set\('pd_gains'\) must be given what to set"):
        robot.set("pd_gains")
    with pytest.raises(rbdyn.Error, match="n must be a whole number"):
        many.step(2**63)
