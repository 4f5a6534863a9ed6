"""Control that looks ahead: the planner of the examples beside crocoddyl, and a thousand samples for the Panda.

crocoddyl (`pip install crocoddyl`) must be compiled for the Pinocchio that is installed: if it is not, its dynamics are
others, and so is the least cost that the table shows.
"""

from __future__ import annotations

import runpy
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import table
from benchmarks.libraries import Pinocchio, Rbdyn
from benchmarks.machine import optional
from benchmarks.robots import PANDA
from benchmarks.timing import by_turns

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SOLVED = 1e-6  # of the cost: as near to the least that was found
PERIOD = 20.0  # of a control at 50 Hz [ms]
STANCE = (0.0, -0.4, 0.0, -1.8, 0.0, 1.5, 0.7)
BENT = np.array([0.4, 0.0, -0.3, -1.5, 0.3, 1.8, 0.4])  # the goal of a plan
GOAL = np.array([0.4, 0.3, 0.4])  # that of the hand


def run(quick: bool) -> None:
    """Print the tables of this section."""
    try:
        ours = Rbdyn(PANDA)
    except FileNotFoundError as error:
        print(f"\n{PANDA.name}: skipped, {error}")
        return
    q = np.zeros(ours.model.nv)
    q[: len(STANCE)] = STANCE
    _plans(ours, q, 3 if quick else 9)
    _samples(ours, q, 20 if quick else 100)


def _plans(ours: Rbdyn, q: np.ndarray, rounds: int) -> None:
    """One problem by both: to joint angles, in 100 knots of 10 ms, semi-implicit Euler."""
    example = runpy.run_path(str(EXAMPLES / "ilqr.py"))
    goal = np.append(BENT, q[len(BENT) :])

    class ToAngles(example["Planner"]):  # type: ignore[misc]
        def off(self, q: np.ndarray) -> np.ndarray:
            return q - self.goal

        def jacobian(self, q: np.ndarray) -> np.ndarray:
            return np.broadcast_to(np.eye(self.n), (len(q), self.n, self.n))

    plan = partial(ToAngles, ours.model, PANDA.tip, goal, q)
    costs = {"rbdyn": _costs_of(plan())}
    loops: dict[str, Any] = {"rbdyn": lambda: _costs_of(plan(), len(costs["rbdyn"]))}
    crocoddyl = optional("crocoddyl")
    if crocoddyl is not None:
        peer = partial(_crocoddyl, crocoddyl, Pinocchio(PANDA, ours.model), example, plan())
        costs["crocoddyl"] = peer(100)
        loops["crocoddyl"] = lambda: peer(len(costs["crocoddyl"]))
    seconds = by_turns(loops, 1, rounds)
    least = min(min(found) for found in costs.values())
    rows = []
    for name, found in costs.items():
        needed = next((k + 1 for k, cost in enumerate(found) if cost <= least * (1.0 + SOLVED)), None)
        each = 1e3 * seconds[name] / len(found)
        whole = table.number(each * (needed or np.nan))
        rows.append([name, f"{min(found):.8f}", str(needed), table.number(each), whole])
    header = ["who", "least cost", "iterations", "ms each", "ms in all"]
    table.show(f"A motion of the Panda, 100 knots; iterations until the cost is least to {SOLVED:.0e}", header, rows)


def _costs_of(planner: Any, iterations: int = 100) -> list[float]:
    """After each iteration, until steps are of no length."""
    costs: list[float] = []
    while len(costs) < iterations and planner.mu < 1e3:
        costs.append(float(planner.improve()))
    return costs


def _crocoddyl(croc: Any, peer: Pinocchio, example: dict[str, Any], ours: Any, iterations: int) -> list[float]:
    """Costs after each iteration of its DDP, from the same start; its running costs are rates."""
    n, dt, knots = peer.model.nv, ours.dt, len(ours.u)
    state = croc.StateMultibody(peer.model)
    actuation = croc.ActuationModelFull(state)
    angles, speeds = (
        croc.ActivationModelWeightedQuad(np.repeat(which, n)) for which in ((1.0, 0.0), (0.0, 1.0))
    )

    def action(way: float, speed: float, effort: float, scale: float) -> Any:
        costs = croc.CostModelSum(state, n)
        off = croc.ResidualModelState(state, np.append(ours.goal, np.zeros(n)), n)
        costs.addCost("way", croc.CostModelResidual(state, angles, off), way * scale)
        costs.addCost("speed", croc.CostModelResidual(state, speeds, off), speed * scale)
        if effort:
            costs.addCost("effort", croc.CostModelResidual(state, croc.ResidualModelControl(state, n)), effort * scale)
        return croc.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)

    weights = [example[name] for name in ("WAY", "SPEED", "EFFORT")]
    running = croc.IntegratedActionModelEuler(action(*weights, 1.0 / dt), dt)
    last = croc.IntegratedActionModelEuler(action(example["END"], example["REST"], 0.0, 1.0), 0.0)
    solver = croc.SolverDDP(croc.ShootingProblem(ours.start, [running] * knots, last))
    solver.th_stop = 1e-16
    logger = croc.CallbackLogger()
    solver.setCallbacks([logger])
    solver.solve(list(ours.x), list(ours.u), iterations, True)
    return [float(cost) for cost in logger.costs]


def _samples(ours: Rbdyn, q: np.ndarray, count: int) -> None:
    """Milliseconds for a control out of 1,000 samples."""
    example = runpy.run_path(str(EXAMPLES / "mppi_arm.py"))
    controller = example["PathIntegral"](ours.model, PANDA.tip, np.random.default_rng(0))
    goal, v, spent = np.repeat(GOAL[None], example["HORIZON"], axis=0), np.zeros(ours.model.nv), []
    for _ in range(count):
        start = time.thread_time()
        controller.control(q, v, goal)
        spent.append(1e3 * (time.thread_time() - start))
    ms = float(np.median(spent))
    rows = [[str(example["SAMPLES"]), str(example["HORIZON"]), table.number(ms), table.verdict(PERIOD / ms, 1.0)]]
    table.show("Sampling control of the Panda, one thread", ["samples", "knots", "ms a control", "50 Hz"], rows)
