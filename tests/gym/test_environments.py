"""Environments: Gymnasium's own checks, and its slow vector environment as the oracle of ours."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra [rl] is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import rbdyn  # noqa: E402
import rbdyn.gym  # noqa: E402
from rbdyn.gym import ENVIRONMENTS, CartPole, TaskEnv, TaskVectorEnv  # noqa: E402

NAMES = [name for name in ENVIRONMENTS if name != "rbdyn/PandaReach-v0"]
MODES = list(AutoresetMode)


def skip_without_panda():
    try:
        ENVIRONMENTS["rbdyn/PandaReach-v0"][0](**ENVIRONMENTS["rbdyn/PandaReach-v0"][1])
    except rbdyn.MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasiums_own_check_has_nothing_to_say(name):
    if "Panda" in name:
        skip_without_panda()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name)
        check_env(env.unwrapped, skip_render_check=True)
        env.close()


def equal_info(ours, theirs):
    """The same keys, types and numbers; Gymnasium's array of final observations holds arrays."""
    if set(ours) != set(theirs):
        return False
    for key, value in ours.items():
        other = theirs[key]
        if isinstance(value, dict):
            same = equal_info(value, other)
        elif value.dtype == object:
            same = all(a is b is None or np.array_equal(a, b) for a, b in zip(value, other, strict=True))
        else:
            same = value.dtype == other.dtype and np.array_equal(value, other)
        if not same:
            return False
    return True


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_many_are_what_gymnasium_makes_of_single_ones(name, mode):
    if "Panda" in name:
        skip_without_panda()
    n, most = 3, 7
    single = [lambda: gymnasium.make(name, max_episode_steps=most, disable_env_checker=True) for _ in range(n)]
    theirs = SyncVectorEnv(single, autoreset_mode=mode)
    ours = gymnasium.make_vec(name, n, "vector_entry_point", max_episode_steps=most, autoreset_mode=mode, threads=2)
    assert isinstance(ours, TaskVectorEnv) and ours.spec.id == name
    assert ours.metadata["autoreset_mode"] is mode and ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen, ended = [ours.reset(seed=11), theirs.reset(seed=11)], 0
    rng = np.random.default_rng(0)
    for t in range(20):
        assert np.array_equal(seen[0][0], seen[1][0]) and equal_info(seen[0][-1], seen[1][-1])
        assert seen[0][0].dtype == np.float32 and seen[0][0] in ours.observation_space
        if t and mode is AutoresetMode.DISABLED and (done := seen[0][2] | seen[0][3]).any():
            seen = [env.reset(options={"reset_mask": done.copy()}) for env in (ours, theirs)]
            assert np.array_equal(seen[0][0], seen[1][0])
        action = rng.uniform(-1.0, 1.0, ours.action_space.shape).astype(np.float32)
        seen = [env.step(action) for env in (ours, theirs)]
        for a, b in zip(seen[0][1:4], seen[1][1:4], strict=True):
            assert a.dtype == b.dtype and np.array_equal(a, b)
        ended += (seen[0][2] | seen[0][3]).sum()
    assert ended >= 2 * n
    assert [rng.bit_generator.state for rng in ours.np_random] == [
        rng.bit_generator.state for rng in theirs.np_random
    ]
    for env in (ours, theirs):
        env.close()


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_fresh_and_do_not_depend_on_how_many_there_are(name):
    if "Panda" in name:
        skip_without_panda()
    few, many = (gymnasium.make_vec(name, n, "vector_entry_point", threads=n // 2) for n in (2, 5))
    first, _ = few.reset(seed=3)
    assert np.array_equal(first, many.reset(seed=3)[0][:2])
    kept = first.copy()
    actions = np.full(many.action_space.shape, 0.7, np.float32)
    for _ in range(4):
        a, b = few.step(actions[:2]), many.step(actions)
        assert all(np.array_equal(x, y[:2]) for x, y in zip(a[:4], b[:4], strict=True))
    assert np.array_equal(first, kept) and not np.array_equal(first, a[0])


def test_seeds():
    env = TaskVectorEnv(CartPole, 3)
    a, b, c = (env.reset(seed=seed)[0] for seed in (5, [5, 6, 7], [5, 9, None]))
    assert np.array_equal(a, b) and np.array_equal(a[0], c[0]) and not np.array_equal(a[1], c[1])
    assert env.np_random_seed[:2] == (5, 9)
    assert not np.array_equal(env.reset()[0], env.reset()[0])
    with pytest.raises(rbdyn.Error, match="seed must be one number, or 3"):
        env.reset(seed=[1, 2])
    fresh = TaskVectorEnv(CartPole, 2)
    assert len(fresh.np_random) == 2 and len(set(fresh.np_random_seed)) == 2


def test_seeds_of_any_kind():
    env = TaskVectorEnv(CartPole, 2)
    a, b, c = (env.reset(seed=seed)[0] for seed in (np.int64(5), np.array([5, 6]), (5, 6)))
    assert np.array_equal(a, b) and np.array_equal(a, c)
    for wrong in (1.5, "12", [1.5, 2], [True, 2], {}):
        with pytest.raises(rbdyn.Error, match="^seed"):
            env.reset(seed=wrong)


def test_no_step_before_the_first_reset():
    for env in (TaskVectorEnv(CartPole, 2), TaskEnv(CartPole)):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            env.step(np.zeros(env.action_space.shape))
    half = TaskVectorEnv(CartPole, 2)
    half.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(gymnasium.error.ResetNeeded):
        half.step(np.zeros((2, 1)))


def test_options_that_a_task_does_not_have():
    for make in (TaskEnv, TaskVectorEnv):
        with pytest.raises(rbdyn.Error, match=r"CartPole .*'mass'.*its options are \[\]"):
            make(CartPole, mass=3.0)
        with pytest.raises(rbdyn.Error, match=r"its options are \['rough', 'speed'\]"):
            make(rbdyn.gym.QuadrupedWalk, hills=True)


WRONG_TASKS = [
    ({"observe": lambda self: np.full((2, 4), [[0.0], [np.nan]])}, "observe must return finite observ.* World 1"),
    ({"judge": lambda self, u: (np.array([np.inf, 0]), np.zeros(2, bool))}, "judge must return finite .*World 0"),
    ({"inform": lambda self: {"height": 3.0}}, r"inform must return 'height' of shape \(2,\), got \(\)"),
    ({"inform": lambda self: {"height": np.zeros(3)}}, "inform must return 'height' of shape"),
    ({"inform": lambda self: {"diverged": np.zeros(2, bool)}}, "inform must not say 'diverged'"),
    ({"frame_skip": 0}, "frame_skip must be a whole number, 1 or more"),
]


@pytest.mark.parametrize("changed, match", WRONG_TASKS)
def test_tasks_that_say_what_is_none(changed, match):
    task = type("Wrong", (CartPole,), changed)
    with pytest.raises(rbdyn.Error, match=match):
        env = TaskVectorEnv(task, 2)
        env.reset(seed=0)
        env.step(np.zeros((2, 1)))


BAD_ACTIONS = [
    (np.zeros((3, 2)), r"actions must be numbers of shape \(3, 1\), got float64 of shape \(3, 2\)"),
    (np.array([[0.0], [np.nan], [0.0]]), r"actions must be finite, got nan at index \(1, 0\)"),
    (np.array([["a"], ["b"], ["c"]]), "actions must be numbers"),
    (None, "actions must be numbers"),
]


@pytest.mark.parametrize("actions, match", BAD_ACTIONS)
def test_bad_actions_change_nothing(actions, match):
    env = TaskVectorEnv(CartPole, 3)
    env.reset(seed=0)
    before = [world.state_hash() for world in env.worlds]
    with pytest.raises(rbdyn.Error, match=match):
        env.step(actions)
    assert before == [world.state_hash() for world in env.worlds]


@pytest.mark.parametrize(
    ("action", "match"),
    [
        (np.zeros(2), r"^action must be numbers of shape \(1,\), got float64 of shape \(2,\)"),
        (0.5, r"^action must be numbers of shape \(1,\), got float64 of shape \(\)"),
        (np.array([np.nan]), "^action must be finite, got nan at index 0$"),
    ],
)
def test_a_bad_action_of_one_environment(action, match):
    env = gymnasium.make("rbdyn/CartPole-v0").unwrapped
    before, _ = env.reset(seed=0)
    with pytest.raises(rbdyn.Error, match=match):
        env.step(action)
    np.testing.assert_array_equal(env._batch.observe()[0], before)


def test_actions_outside_the_space_are_cut_off():
    a, b = TaskVectorEnv(CartPole, 2), TaskVectorEnv(CartPole, 2)
    for env in (a, b):
        env.reset(seed=0)
    assert np.array_equal(a.step(np.array([[3.0], [-7.0]]))[0], b.step(np.array([[1.0], [-1.0]]))[0])


class Explosive(CartPole):
    """One that is pushed without measure where its action is above 0.9."""

    def act(self, actions):
        force = np.where(actions > 0.9, 1e308, actions)
        self.machine.set_generalized_force(np.hstack([force, force]))


@pytest.mark.parametrize("mode", MODES)
def test_who_diverges_ends_its_episode_alone(mode):
    env = TaskVectorEnv(Explosive, 3, autoreset_mode=mode)
    env.reset(seed=0)
    _, _, terminated, _, info = env.step(np.array([[0.0], [1.0], [0.0]]))
    assert terminated.tolist() == [False, True, False]
    if mode is AutoresetMode.SAME_STEP:
        assert info["final_info"]["diverged"].tolist() == [False, True, False]
        assert np.isfinite(info["final_obs"][1]).all() and not env.worlds.diverged.any()
    else:
        assert info["diverged"].tolist() == [False, True, False]
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(rbdyn.Error, match=r"episodes \[1\] have ended"):
            env.step(np.zeros((3, 1)))
        env.reset(options={"reset_mask": terminated})
    observations, rewards, terminated, _, _ = env.step(np.zeros((3, 1)))
    assert not terminated.any() and not env.worlds.diverged.any() and np.isfinite(observations).all()
    assert rewards[1] == (0.0 if mode is AutoresetMode.NEXT_STEP else 1.0)


@pytest.mark.parametrize("mask", [np.zeros(3, bool), np.ones(2, bool), [True] * 3, np.ones(3), 3])
def test_bad_masks(mask):
    env = TaskVectorEnv(CartPole, 3)
    env.reset(seed=0)
    with pytest.raises(rbdyn.Error, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


class NoLength(CartPole):
    num_observations = None


class ShortReward(CartPole):
    def judge(self, actions):
        return np.ones(2), np.zeros(2, bool)


class WideObservation(CartPole):
    def observe(self):
        return self.machine.q


def test_tasks_that_are_wrong_are_told_so():
    with pytest.raises(rbdyn.Error, match=r"NoLength\.num_observations must be an int, got None"):
        TaskEnv(NoLength)
    with pytest.raises(rbdyn.Error, match="task must be a Task"):
        TaskEnv(lambda: 3)
    with pytest.raises(NotImplementedError, match="must define build"):
        TaskEnv(type("Empty", (rbdyn.gym.Task,), {"num_actions": 1, "num_observations": 1}))
    one = CartPole()
    TaskEnv(lambda: one)
    with pytest.raises(rbdyn.Error, match="at work in another environment"):
        TaskEnv(lambda: one)
    env = TaskVectorEnv(ShortReward, 3)
    env.reset(seed=0)
    with pytest.raises(rbdyn.Error, match=r"ShortReward\.judge must return rewards of shape \(3,\), got \(2,\)"):
        env.step(np.zeros((3, 1)))
    with pytest.raises(rbdyn.Error, match=r"WideObservation\.observe must return an array of shape \(3, 4\)"):
        TaskVectorEnv(WideObservation, 3).reset(seed=0)
    with pytest.raises(rbdyn.Error, match="autoreset_mode must be one of"):
        TaskVectorEnv(CartPole, 2, autoreset_mode="never")
    with pytest.raises(rbdyn.Error, match="render_mode must be None or one of"):
        TaskEnv(CartPole, render_mode="human")


def test_an_own_environment_under_a_name():
    rbdyn.gym.register("rbdyn_test/Own-v0", CartPole)
    try:
        assert gymnasium.make("rbdyn_test/Own-v0").spec.max_episode_steps == 500
        env = gymnasium.make_vec("rbdyn_test/Own-v0", 2, "vector_entry_point", max_episode_steps=3)
        env.reset(seed=0)
        assert [env.step(np.zeros((2, 1)))[3].all() for _ in range(3)] == [False, False, True]
    finally:
        gymnasium.registry.pop("rbdyn_test/Own-v0")
    with pytest.raises(TypeError, match="needs the task"):
        rbdyn.gym.register("rbdyn_test/None-v0")
    for task in (int, 3, CartPole()):
        with pytest.raises(rbdyn.Error, match=r"task must be a subclass of rbdyn\.gym\.Task"):
            rbdyn.gym.register("rbdyn_test/None-v0", task)
    assert "rbdyn_test/None-v0" not in gymnasium.registry


# ---- what the ready ones are about -----------------------------------------------------------------


def test_a_cart_balances_its_pole_under_a_controller():
    env = TaskVectorEnv(CartPole, 4)
    x, _ = env.reset(seed=0)
    gains = np.array([0.1, 2.6, 0.2, 0.7])
    for _ in range(300):
        x, reward, terminated, _, _ = env.step((x @ gains)[:, None])
        assert (reward == 1).all() and not terminated.any()
    assert np.abs(x).max() < 0.5
    for _ in range(200):
        x, _, terminated, _, _ = env.step(np.ones((4, 1)))
        if terminated.any():
            break
    assert terminated.all()


def test_a_quadruped_that_stands_is_better_off_than_one_that_falls():
    env = gymnasium.make_vec("rbdyn/QuadrupedWalk-v0", 2, "vector_entry_point")
    env.reset(seed=0)
    limp = np.array([np.zeros(12), np.tile([1.0, 1.0, -1.0], 4)])
    rewards, fallen = np.zeros(2), np.zeros(2, bool)
    for _ in range(60):
        _, reward, terminated, _, info = env.step(limp)
        rewards += reward * ~fallen
        fallen |= terminated
    assert fallen.tolist() == [False, True] and rewards[0] > 20 > rewards[1]
    assert abs(info["distance"][0]) < 0.1


def test_episodes_on_rough_ground_begin_on_it():
    env = gymnasium.make_vec("rbdyn/QuadrupedWalkRough-v0", 4, "vector_entry_point")
    env.reset(seed=0)
    ground = env.unwrapped.task.ground
    q = env.unwrapped.task.robot.q
    assert len({tuple(x) for x in q[:, :2]}) == 4 and np.ptp([ground.height(*x) for x in q[:, :2]]) > 0.05
    for _ in range(40):
        _, _, terminated, _, info = env.step(np.zeros((4, 12)))
        assert not terminated.any()
    assert (np.abs(info["distance"]) < 0.3).all()
    feet = env.unwrapped.task.robot.contact_forces([f"{leg}_FOOT" for leg in ("LF", "RF", "LH", "RH")])
    assert (feet[:, :, 2].sum(axis=1) > 200).all()  # 35.8 kg


@pytest.mark.parametrize("name, hand", [("rbdyn/ArmReach-v0", "tool"), ("rbdyn/PandaReach-v0", "panda_hand")])
def test_an_arm_reaches_what_it_is_shown(name, hand):
    if "Panda" in name:
        skip_without_panda()
    env = gymnasium.make_vec(name, 8, "vector_entry_point")
    x, _ = env.reset(seed=0)
    task, n = env.unwrapped.task, env.single_action_space.shape[0]
    assert x.shape == (8, 3 * n + 6) and (task.points[:, 2] >= 0.05).all() and n in (6, 7)
    far = np.linalg.norm(x[:, -3:], axis=1)
    for _ in range(99):
        J = np.array([rbdyn.point_jacobian(robot, hand)[:, :n] for robot in task.robot])
        u = np.array([np.linalg.lstsq(j, 3.0 * w, rcond=1e-2)[0] for j, w in zip(J, x[:, -3:], strict=True)]) / 2.0
        x, reward, _, _, info = env.step(u)
    assert (np.linalg.norm(x[:, -3:], axis=1) < 0.3 * far).all() and info["reached"].sum() >= 6
    assert np.allclose(-reward, np.linalg.norm(x[:, -3:], axis=1), atol=0.02)
    for robot, row in zip(task.robot, x, strict=True):
        assert np.allclose(row[:n], robot.q[:n], atol=1e-6)
        assert np.allclose(row[n : 2 * n], 0.2 * robot.v[:n], atol=1e-6)
        assert np.allclose(row[-6:-3], robot.body_pose(hand)[:3, 3], atol=1e-6)
        assert np.allclose(row[2 * n : 3 * n] + row[:n], robot.pd_target[0][:n], atol=1e-5)


@pytest.mark.parametrize("name", ["rbdyn/ArmReach-v0", "rbdyn/PandaReach-v0"])
def test_nothing_sags_where_no_action_is(name):
    if "Panda" in name:
        skip_without_panda()
    env = gymnasium.make(name)
    x, _ = env.reset(seed=4)
    n = env.action_space.shape[0]
    for _ in range(30):
        y, *_ = env.step(np.zeros(n))
    assert np.abs(y[:n] - x[:n]).max() < 1e-3 and np.abs(y[n : 3 * n]).max() < 1e-3


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_pictures_show_what_it_is_about(name):
    if "Panda" in name:
        skip_without_panda()
    camera = rbdyn.Camera(width=60, height=40, position=(2.5, -2.5, 1.5), target=(0.0, 0.0, 0.4))
    env = gymnasium.make_vec(name, 2, "vector_entry_point", render_mode="rgb_array", camera=camera)
    env.reset(seed=0)
    first = env.render()
    assert len(first) == 2 and all(picture.shape == (40, 60, 3) and len(np.unique(picture)) > 1 for picture in first)
    world = env.unwrapped.worlds[0]
    seen = np.unique(world.render(rbdyn.Camera.looking_at(world, width=120, height=80), "bodies"))
    assert len(seen) >= {"Panda": 7, "ArmRe": 6, "CartP": 3}.get(name.removeprefix("rbdyn/")[:5], 4)


def test_a_panda_picks_what_lies_before_it():
    """By the Jacobian of its finger tips: above the box, down, closed, up."""
    skip_without_panda()
    env = gymnasium.make_vec("rbdyn/PandaPick-v0", 3, "vector_entry_point")
    env.reset(seed=0)
    task, rewards = env.unwrapped.task, []
    for k in range(190):
        tips, way = task.way()
        goal = np.tile((0.0, 0.0, 0.2), (3, 1)) if k >= 120 else way + (0.0, 0.0, 0.12 if k < 60 else 0.0)
        u = np.zeros((3, 8))
        for arm, box, to, row in zip(task.arm, task.box, goal, u, strict=True):
            hand, sides = arm.body_pose("panda_hand"), [s * box.rotation[:, k] for k in (0, 1) for s in (1, -1)]
            nearest = max(sides, key=lambda side: side @ hand[:3, 1])
            turn = np.cross(hand[:3, 2], (0, 0, -1.0)) + np.cross(hand[:3, 1], nearest)
            J = rbdyn.point_jacobian_6d(arm, "panda_hand", (0, 0, 0.1034))[:, :7]
            row[:7] = np.linalg.lstsq(J, np.append(2 * turn, np.clip(4 * to, -0.25, 0.25)), rcond=1e-2)[0] / 1.5
        u[:, 7] = 1.0 if k < 100 else -1.0
        x, reward, terminated, _, info = env.step(u)
        rewards.append(reward)
    assert info["lifted"].all() and not terminated.any()
    assert np.allclose(np.linalg.norm(x[:, 21:24], axis=1), np.linalg.norm(task.way()[1], axis=1))
    assert (rewards[-1] > 4.9).all() and (np.abs(rewards[90]) < 0.02).all() and (rewards[0] < -0.1).all()
    task.box.set_pose((1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert task.judge(u)[1].all()                                            # it lies beside the table


def test_modules_that_meet_dock():
    env = gymnasium.make_vec("rbdyn/SelfAssembly-v0", 3, "vector_entry_point")
    x, _ = env.reset(seed=0)
    total, slots = np.zeros(3), 0.101 * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    for _ in range(200):
        place = x.reshape(3, 4, 8)
        u = np.zeros((3, 4, 3))
        u[:, :, :2] = 4.0 * (slots - place[:, :, :2]) - 2.0 * place[:, :, 4:6]
        u[:, :, 2] = -5.0 * place[:, :, 2] - 2.0 * place[:, :, 6]
        x, reward, terminated, _, info = env.step(u.reshape(3, 12))
        total += reward
        if terminated.any():
            break
    k = int(np.flatnonzero(terminated)[0])
    assert info["docked"][k] == 3 and total[k] > 3.0
    world = env.unwrapped.worlds[k]
    assert len(world.constraints) == 3
    env.step(np.zeros((3, 12)))  # it begins anew
    assert len(world.constraints) == 0


def test_worlds_are_there_to_look_at():
    env = gymnasium.make("rbdyn/CartPole-v0")
    env.reset(seed=0)
    assert isinstance(env.unwrapped.world, rbdyn.World) and env.unwrapped.metadata["render_fps"] == 50
    assert env.unwrapped.render() is None
    twin = pickle.loads(pickle.dumps(env.unwrapped.world))
    assert twin.state_hash() == env.unwrapped.world.state_hash()


def test_without_gymnasium_it_says_what_to_install():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import rbdyn\n"
        "try:\n    rbdyn.gym\nexcept rbdyn.MissingExtraError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == 'rbdyn.gym needs gymnasium. Install it with: pip install "rbdyn[rl]"\n'


def test_pictures():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("rbdyn/CartPole-v0", render_mode="rgb_array")
        check_env(env.unwrapped)
    env.reset(seed=0)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    many = gymnasium.make_vec("rbdyn/CartPole-v0", 2, "vector_entry_point", render_mode="rgb_array")
    many.reset(seed=0)
    pictures = many.render()
    assert len(pictures) == 2 and np.array_equal(pictures[0], picture)
    for _ in range(20):
        many.step(np.ones((2, 1)))
    assert not np.array_equal(many.render()[0], picture)
