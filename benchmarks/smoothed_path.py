"""Solve contact problems of robots along a smoothed path, an experiment, beside Newton's method of rbdyn.

    python -m benchmarks.smoothed_path [--robots Talos G1] [--scenes limp "noise 0.1"] [--seconds 1]

Laws hold where each impulse is the admissible one nearest to itself less its velocity in units of impulse,

    lam = Q(y),   y = lam - (v + C lam) / w,   v = c + G lam

with w the mobility of a block and C its compliance.  Q clamps to bounds; of a contact it takes a push that is no pull,
and friction within the rim of that push (Alart and Curnier 1991).  In Q max(0, x) is replaced by
phi(x) = (x + sqrt(x^2 + 4 (t / w)^2)) / 2.  The solutions for t from large to 0 are a path to the laws, and Newton's
method follows it (Chen and Harker 1993, Burke and Xu 1998): one matrix gives the step to the path, and the one along
it to a smaller t.  The smallest t counts at which rows miss lam = Q(y) by less than WIDE t; where there is none,
the step to the path is halved until the error falls, and t is doubled where that takes a share below SHORT.

The table has the steps of a run that took rbdyn more than MANY iterations, from the impulses of the step before, and
how many Newton steps the path takes for the same problems from no impulses.  The method is in NumPy, with matrices of
all rows: its steps are to be counted, not timed.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from benchmarks import table
from benchmarks.robots_people_use import BILATERAL, BOX, CONE, HELD, ROBOTS, SCENES, UNILATERAL, Ours, residual
from benchmarks.samples import Array
from rbdyn.contact import Problem
from rbdyn.errors import InactiveFeatureWarning, SetupWarning

MANY = 40  # iterations of rbdyn beyond which a step is looked at
MOST = 100  # Newton steps of the path
START = 0.3  # t at first, as a share of the error without impulses
WIDE = 10.0  # times t: error up to which impulses count as on the path
SHORT = 0.1  # share of a step below which the path is too sharp
LEAST = 1e-3  # share of a step below which it is not halved any more
GAIN = 0.01  # of the share of a step: part of the error that it takes away at least
SHARES = (0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 0.85, 0.95)  # of t that are tried for the next one
PROXIMAL = 1e-9  # compliance to changes, of a block's mobility: rows that depend on one another have a matrix
TOLERANCE = 1e-2  # [m/s^2] residual at the end, over the time step


def positive(x: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return phi(x), and its derivatives by x and t."""
    root = np.sqrt(x * x + 4.0 * t * t)
    value = np.where(x > 0.0, 0.5 * (x + root), 2.0 * t * t / np.maximum(root - x, 1e-300))
    return value, np.where(root > 0.0, value / np.maximum(root, 1e-300), 0.5), 2.0 * t / np.maximum(root, 1e-300)


class Smoothed:
    """Hold the laws of a problem, smoothed.  Rolling and torsional friction are left out.

    Parameters
    ----------
    problem : Problem
        What rbdyn solved in a step.
    """

    def __init__(self, problem: Problem) -> None:
        self.G, self.c, n = problem.delassus, problem.v_free.ravel(), len(problem.v_free.ravel())
        self.w, self.C, self.kind = np.zeros(n), np.zeros(n), np.zeros(n, dtype=int)
        self.low, self.high, self.cones = np.full(n, -np.inf), np.full(n, np.inf), []
        p = problem
        for law, first, rows, a, b, compliance in zip(p.law, p.first_row, p.rows, p.a, p.b, p.compliance, strict=True):
            at = slice(first, first + rows)
            self.C[at], self.kind[at] = compliance, law
            mobility = np.diag(self.G)[at] + compliance
            self.w[at] = np.maximum(mobility.mean() if law == CONE else mobility, 1e-12)
            if law == CONE:
                self.cones.append((first, a))
            elif law == BOX:
                self.low[at], self.high[at] = a, b

    def misses(self, lam: Array, t: float) -> tuple[Array, Array, Array]:
        """Return by what rows miss the laws smoothed by t [m/s]: impulses [N s], dQ / dy and dQ / dt [N s / (m/s)]."""
        y = lam - (self.c + self.G @ lam + self.C * lam) / self.w
        s = t / self.w
        x, D, e = y.copy(), np.zeros((len(y), len(y))), np.zeros(len(y))
        by = (self.kind == BILATERAL).astype(float)
        k = self.kind == UNILATERAL
        x[k], by[k], e[k] = positive(y[k], s[k])
        k = self.kind == BOX
        (p, dp, tp), (q, dq, tq) = positive(y[k] - self.low[k], s[k]), positive(y[k] - self.high[k], s[k])
        x[k], by[k], e[k] = self.low[k] + p - q, dp - dq, tp - tq
        D[np.diag_indices(len(y))] = by
        for f, mu in self.cones:
            self._cone(y[f : f + 3], mu, s[f], x[f : f + 3], D[f : f + 3, f : f + 3], e[f : f + 3])
        return x - lam, D, e / self.w

    @staticmethod
    def _cone(y: Array, mu: float, s: float, x: Array, D: Array, e: Array) -> None:
        """Write the impulses x of a contact, smoothed by s [N s], and their derivatives by y and s."""
        n, dn, tn = positive(y[2], s)
        size, R = np.hypot(y[0], y[1]), mu * n
        p, dp, tp = positive(size - R, s)
        m = max(R + p, 1e-300)
        by_R = (m - R * (1.0 - dp)) / m**2
        x[:2], x[2] = y[:2] * R / m, n
        D[:2, :2] = R / m * np.eye(2) - np.outer(y[:2], y[:2]) * R / m**2 * dp / max(size, 1e-300)
        D[:2, 2], D[2, 2] = by_R * mu * dn * y[:2], dn
        e[:2], e[2] = y[:2] * (by_R * mu * tn - R / m**2 * tp), tn

    def steps(self, lam: Array, t: float) -> tuple[Array, Array, Array]:
        """Return Newton's step to the path of t, how impulses follow t, and by what rows miss the path [m/s]."""
        f, D, e = self.misses(lam, t)
        inverse = np.diag(1.0 / self.w) @ (self.G + np.diag(self.C))
        J = np.eye(len(lam)) - D @ ((1.0 - PROXIMAL) * np.eye(len(lam)) - inverse)
        to_path, with_t = np.linalg.solve(J, np.stack([f, e], axis=1)).T
        return to_path, with_t, self.w * f

    def error(self, lam: Array, t: float, order: float = np.inf) -> float:
        """Return the norm of what rows miss [m/s]."""
        return float(np.linalg.norm(self.w * self.misses(lam, t)[0], order))


def follow(laws: Smoothed, tolerance: float) -> tuple[int, float]:
    """Return the Newton steps from no impulses, and the least error of the laws on the way [m/s]."""
    lam = np.zeros(len(laws.c))
    best = laws.error(lam, 0.0)
    t = START * best
    for taken in range(1, MOST + 1):
        to_path, with_t, missed = laws.steps(lam, t)
        best = min(best, laws.error(lam + to_path - t * with_t, 0.0))
        if best < tolerance:
            return taken, best
        for share in SHARES:
            trial = lam + to_path + (share - 1.0) * t * with_t
            if laws.error(trial, share * t) < WIDE * share * t:
                lam, t = trial, share * t
                break
        else:
            share, before = 1.0, float(np.linalg.norm(missed))
            while share > LEAST and laws.error(lam + share * to_path, t, 2) > (1.0 - GAIN * share) * before:
                share *= 0.5
            lam = lam + share * to_path
            t = 2.0 * t if share < SHORT else t
    return MOST, best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--robots", nargs="+", default=["Talos", "G1"])
    parser.add_argument("--scenes", nargs="+", default=["limp", "noise 0.1"], choices=list(SCENES))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--dt", type=float, default=1e-3)
    args = parser.parse_args()
    warnings.simplefilter("ignore", SetupWarning)
    warnings.simplefilter("ignore", InactiveFeatureWarning)
    rows = []
    for used in [used for used in ROBOTS if used.name in args.robots]:
        mechanism = used.mechanism()
        for scene in args.scenes:
            offset = SCENES[scene]
            ours, rng = Ours(used, mechanism, args.dt, offset is None), np.random.default_rng(0)
            took, path_took, left = [], [], []
            for step in range(round(args.seconds / args.dt)):
                if offset is not None and step % round(HELD / args.dt) == 0:
                    ours.aim(rng.normal(0.0, offset, len(ours.driven)))
                ours.world.step()
                if ours.world.contact.iterations > MANY:
                    taken, error = follow(Smoothed(ours.world.problem), TOLERANCE * args.dt)
                    took.append(ours.world.contact.iterations)
                    path_took.append(taken)
                    left.append((residual(ours.world.problem), error))
            if took:
                unsolved = np.mean(np.array(left) > TOLERANCE * args.dt, axis=0)
                rbdyn, path = (
                    [f"{np.mean(steps):.0f}", f"{np.quantile(steps, 0.9):.0f}"] for steps in (took, path_took)
                )
                ours_left, path_left = (f"{100.0 * share:.0f}" for share in unsolved)
                rows.append([used.name, scene, str(len(took)), *rbdyn, ours_left, *path, path_left])
    head = ["robot", "scene", "steps", "rbdyn", "90 %", "unsolved %", "path", "90 %", "unsolved %"]
    table.show("steps that took rbdyn long, and the path from no impulses", head, rows)


if __name__ == "__main__":
    main()
