"""Which scenes are run at which time steps, and the table of what they came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from benchmarks import table
from benchmarks.simbenchmark import anymal, bodies, peer, scenes
from benchmarks.simbenchmark.published import RAISIM_ERROR, RAISIM_STEP
from benchmarks.simbenchmark.trial import Outcome, Trial, judge

Build = Callable[[float], Trial]

DURATION = {
    "rolling": scenes.ROLLING_TIME,
    "bouncing": scenes.BOUNCING_TIME,
    "216 balls": scenes.BALLS_TIME,
    "elastic 216": scenes.BALLS_TIME,
    "anymal pd": scenes.STAND_TIME,
    "anymal momentum": scenes.HIT_TIME,
    "anymal energy": scenes.FALL_TIME,
}
QUICK, FULL = (1e-2, 4e-3, 1e-3), (1e-2, 4e-3, 1e-3, 1e-4)  # [s]
STEPS = {"rolling": (1e-3,), "anymal pd": (5e-3,)}  # scenes of one time step [s]
UNIT = {
    "rolling": "m2/s2",
    "bouncing": "J2",
    "216 balls": "m2",
    "elastic 216": "J2",
    "anymal pd": "m sunk",
    "anymal momentum": "N2s2",
    "anymal energy": "J2",
}


def bouncing(dt: float) -> Trial:
    """49 balls."""
    return bodies.Elastic(dt, scenes.bouncers())


def elastic(dt: float) -> Trial:
    """216 balls."""
    return bodies.Elastic(dt, scenes.balls())


def engines(name: str) -> dict[str, Build]:
    """Who takes part in a scene."""
    ours: dict[str, dict[str, Build]] = {
        "rolling": {
            "rbdyn": bodies.Rolling,
            "rbdyn, threshold 1e-8": partial(bodies.Rolling, threshold=1e-8),
            "rbdyn, raisim's law": partial(bodies.Rolling, friction_law="raisim"),
        },
        "bouncing": {"rbdyn": bouncing},
        "216 balls": {"rbdyn": bodies.Piled},
        "elastic 216": {"rbdyn": elastic},
        "anymal pd": {"rbdyn": anymal.Standing},
        "anymal momentum": {"rbdyn": anymal.Hit},
        "anymal energy": {"rbdyn": anymal.Thrown, "rbdyn rk4": partial(anymal.Thrown, integrator="rk4")},
    }
    theirs: dict[str, dict[str, Build]] = {
        "rolling": {"mujoco": peer.Rolling},
        "216 balls": {"mujoco": peer.Piled},
        "anymal momentum": {"mujoco Euler": peer.Hit, "mujoco RK4": partial(peer.Hit, integrator="RK4")},
        "anymal energy": {"mujoco Euler": peer.Thrown, "mujoco RK4": partial(peer.Thrown, integrator="RK4")},
    }
    return ours[name] | (theirs.get(name, {}) if peer.mj is not None else {})


def outcomes(name: str, full: bool) -> Iterator[tuple[float, str, Outcome]]:
    """Time step, engine and what it came to."""
    for dt in STEPS.get(name, FULL if full else QUICK):
        for engine, build in engines(name).items():
            yield dt, engine, judge(partial(build, dt), dt, DURATION[name])


def row(name: str, dt: float, engine: str, found: Outcome) -> list[str]:
    """One line of the table."""
    theirs, step = RAISIM_ERROR.get((name, dt)), RAISIM_STEP.get((name, dt))
    verdict = "-"
    if theirs is not None and engine == "rbdyn":
        verdict = "met" if found.error <= theirs else "MISSED"
    cells = [found.error, theirs]
    times = [1e6 * found.step, step]
    return [
        f"{name} [{UNIT[name]}]",
        engine,
        f"{1e3 * dt:g}",
        *map(table.number, cells),
        verdict,
        *map(table.number, times),
    ]


def show(names: Iterable[str], full: bool) -> None:
    """Print a table for each scene, when it is done."""
    header = ["scene", "engine", "dt ms", "error", "RaiSim", "no worse", "us a step", "RaiSim's us"]
    for name in names:
        table.show(name, header, [row(name, *found) for found in outcomes(name, full)])
