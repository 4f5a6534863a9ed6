"""Many Worlds at once: standing ANYmals in a VectorWorld and in rollouts, beside mujoco.rollout; environments; sweeps.

Time is the processor's, of one thread, for each World and step; memory is what the process grows by.  What two threads
gain is measured by the clock, and means something on a quiet machine alone.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import table
from benchmarks.machine import optional
from benchmarks.scenes import in_mujoco, in_rbdyn
from benchmarks.scenes.contest import SCENES
from benchmarks.timing import by_turns
from rbdyn.parallel import Roller, VectorWorld, sweep
from rbdyn.world import World

mj: Any = optional("mujoco")
gymnasium: Any = optional("gymnasium")
COUNTS = (1, 64, 1024, 4096)
STEPS = (1, 4)  # for each action
OVERHEAD = 0.3  # [us] for each World and call, at most


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _standing(COUNTS[:2] if quick else COUNTS, quick)
    if mj is not None:
        _noisy(32 if quick else 256)
    if gymnasium is not None:
        _environments(64, quick)
    _sweeps(100 if quick else 1000)


def _resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _standing(counts: tuple[int, ...], quick: bool) -> None:
    """The scene "standing", a target for each action."""
    scene = next(one for one in SCENES if one.name == "standing")
    world = in_rbdyn.build(scene).world
    world.step(400)
    rows = []
    for n in counts:
        before = _resident()
        worlds = VectorWorld(world, n)
        worlds.step(1)
        memory = (_resident() - before) / n / 1e3
        robot = worlds.systems[0]
        targets = robot.pd_target[0]
        controls = np.repeat(targets[:, None, 7:], max(STEPS), axis=1)
        roller = Roller(world)
        start = np.concatenate([robot.q[0], robot.v[0]])

        def act(k: int, worlds: Any = worlds, robot: Any = robot, targets: Any = targets) -> None:
            robot.set_pd_target(targets)
            worlds.step(k)
            robot.q, robot.v  # noqa: B018  as an observation reads them

        loops = {f"worlds {k}": partial(act, k) for k in STEPS}
        loops["nothing"] = partial(worlds.step, 0)
        loops["rollout"] = partial(roller.rollout, start, controls, control="pd_target")
        if mj is not None:
            loops |= _mujoco(scene, n)
        repeats = max(1, (200 if quick else 2000) // n)
        loops = {name: partial(_repeated, loop, repeats) for name, loop in loops.items()}
        seconds = by_turns(loops, repeats * n, 3 if quick else 5)
        us = {name: 1e6 * x for name, x in seconds.items()}
        mine = [us["worlds 1"], us["worlds 4"] / 4, us["rollout"] / 4]
        peers = [us.get("mujoco 1"), us["mujoco 4"] / 4 if mj is not None else None]
        gain = _two_threads(worlds, repeats)
        ratios = [p / m if p else None for p, m in zip(peers, mine, strict=False)]
        rows.append([n, us["nothing"], *mine, *peers, *ratios, memory, gain])
        del worlds, roller, robot, loops
    head = ["Worlds", "overhead us", "1 step", "4 steps", "rollout", "mujoco 1", "mujoco 4", "ratio 1", "ratio 4",
            "kB a World", "2 threads"]  # fmt: skip
    table.show("Standing ANYmals, us for each World and step", head, [[_told(x) for x in row] for row in rows])
    print(f"Overhead is to be below {OVERHEAD} us; memory below 100 kB.")


def _dog() -> str:
    """A quadruped of 23 kg in MJCF, without a ground: feet alone touch."""
    no, legs, motors = 'contype="0" conaffinity="0"', "", ""
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        legs += f"""<body pos="{0.28 * x} {0.12 * y} 0"><joint name="a{k}" axis="1 0 0"/>
          <geom type="sphere" size=".04" mass="1" {no}/>
          <body pos="0 {0.05 * y} 0"><joint name="b{k}" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".03" mass="1.5" {no}/>
            <body pos="0 0 -.25"><joint name="c{k}" axis="0 1 0"/>
              <geom type="capsule" fromto="0 0 0 0 0 -.22" size=".02" mass=".4" {no}/>
              <geom type="sphere" pos="0 0 -.25" size=".03" mass=".1"/></body></body></body>"""
        motors += "".join(f'<position joint="{name}{k}" kp="100" kv="4"/>' for name in "abc")
    trunk = f'<body pos="0 0 .53"><freejoint/><geom type="box" size=".3 .13 .08" mass="15"/>{legs}</body>'
    bodies = f'<worldbody><geom type="plane" size="5 5 1"/>{trunk}</worldbody>'
    return f'<mujoco><option timestep="0.002"/>{bodies}<actuator>{motors}</actuator></mujoco>'


def _noisy(n: int) -> None:
    """Rollouts under targets that jump with each step, as samples of a controller do: feet lift, slip and land."""
    from mujoco import rollout  # noqa: PLC0415  a part of its own

    model = mj.MjModel.from_xml_string(_dog())
    data = mj.MjData(model)
    world = World(time_step=0.002)
    robot = world.add_articulated_system(_dog(), name="dog")
    gains = np.r_[np.zeros(6), np.ones(12)]
    robot.set_pd_gains(100.0 * gains, 4.0 * gains)
    robot.set_pd_target(robot.q)
    world.step(200)
    for _ in range(200):
        mj.mj_step(model, data)
    state = np.empty(mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS))
    mj.mj_getState(model, data, state, mj.mjtState.mjSTATE_FULLPHYSICS)
    roller, rows = Roller(world), []
    for spread in (0.0, 0.05, 0.2):
        u = np.random.default_rng(0).normal(0.0, spread, (n, 40, 12))
        loops = {
            "rbdyn": partial(roller.rollout, None, u, control="pd_target"),
            "mujoco": partial(rollout.rollout, model, data, np.tile(state, (n, 1)), u),
        }
        us = {name: 1e6 * x / 40 for name, x in by_turns(loops, n, 3).items()}
        rows.append([spread, us["rbdyn"], us["mujoco"], us["mujoco"] / us["rbdyn"]])
    head = ["noise rad", "rbdyn us", "mujoco us", "mujoco/ours"]
    table.show(f"{n} rollouts of 40 steps of a quadruped under noisy targets, us a step, MuJoCo at its defaults", head,
               [[_told(x) for x in row] for row in rows])  # fmt: skip


def _told(x: Any) -> str:
    return "-" if x is None else f"{x:.3g}" if isinstance(x, float) else str(x)


def _repeated(loop: Any, repeats: int) -> None:
    for _ in range(repeats):
        loop()


def _mujoco(scene: Any, n: int) -> dict[str, Any]:
    """mujoco.rollout of as many, at its hard settings, in this thread."""
    from mujoco import rollout  # noqa: PLC0415  a part of its own

    simulation = in_mujoco.build(scene, hard=True)
    simulation.step(400)
    model, data = simulation.model, simulation.data
    state = np.empty(mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS))
    mj.mj_getState(model, data, state, mj.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state, (n, 1))
    return {
        f"mujoco {k}": partial(
            rollout.rollout, model, data, states, np.tile(data.ctrl, (n, k, 1)),
            initial_warmstart=np.tile(data.qacc_warmstart, (n, 1)),
        )
        for k in STEPS
    }  # fmt: skip


def _two_threads(worlds: VectorWorld, repeats: int) -> float:
    """How many times faster two threads are, by the clock."""
    best, allowed = [], os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    for threads in (1, 2):
        worlds.threads = threads
        times = []
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(repeats):
                worlds.step(4)
            times.append(time.perf_counter() - began)
        best.append(min(times))
    worlds.threads = 1
    os.sched_setaffinity(0, allowed)
    return best[0] / best[1]


def _environments(n: int, quick: bool) -> None:
    """Steps of environments, actions by chance, with one thread: ours, and Gymnasium's Ant where it installs."""
    import rbdyn.gym  # noqa: F401, PLC0415  registers them

    rows = []
    names = [("rbdyn/CartPole-v0", "vector_entry_point"), ("rbdyn/QuadrupedWalk-v0", "vector_entry_point"),
             ("CartPole-v1", "vector_entry_point"), ("Ant-v5", "sync")]  # fmt: skip
    for name, mode in names:
        try:
            envs = gymnasium.make_vec(name, n, mode)
        except Exception:  # MuJoCo or something that it wants is not there
            continue
        envs.reset(seed=0)
        envs.action_space.seed(0)
        actions = [envs.action_space.sample() for _ in range(20)]

        def play(envs: Any = envs, actions: Any = actions) -> None:
            for action in actions:
                envs.step(action)

        seconds = by_turns({name: play}, len(actions) * n, 2 if quick else 5)[name]
        rows.append([name, mode, f"{1e6 * seconds:.3g}"])
    table.show(f"{n} environments, us for each and action", ["environment", "how", "us"], rows)


def _sweeps(n: int) -> None:
    """Small tasks, by the clock."""
    rows = []
    ways: dict[str, dict[str, Any]] = {"caller": {"workers": 0}, "2 processes": {"workers": 2}}
    with ThreadPoolExecutor(2) as threads:
        for name, way in {**ways, "2 threads": {"executor": threads}}.items():
            began = time.perf_counter()
            sweep(_small, range(n), **way)
            rows.append([name, f"{time.perf_counter() - began:.3g}"])
    distributed = optional("distributed")
    if distributed is not None:
        with distributed.Client(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as client:
            began = time.perf_counter()
            sweep(_small, range(n), client.get_executor())
            rows.append(["Dask, 2 workers", f"{time.perf_counter() - began:.3g}"])
    table.show(f"A sweep of {n} tasks of 1 ms, starting workers included but Dask's", ["who", "s"], rows)


def _small(item: Any, rng: np.random.Generator) -> float:
    """About a millisecond."""
    end = time.perf_counter() + 1e-3
    while time.perf_counter() < end:
        pass
    return float(rng.normal())
