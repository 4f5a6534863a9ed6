"""What limits, loops and grips hold over the whole of long runs: numbers of each, at several time steps."""

from __future__ import annotations

import numpy as np

from benchmarks import table
from benchmarks.mechanisms.carrying import HALF, TOP, carry
from benchmarks.mechanisms.panda import Grasp, limp
from benchmarks.mechanisms.walking import walk, walker

STEPS = (1e-3, 2e-3, 5e-3)  # [s]


def _limp(seconds: float, steps: tuple[float, ...]) -> None:
    rows = []
    for dt in steps:
        moments = list(limp(seconds, dt))
        energy = np.array([m.energy for m in moments])
        most = np.max([(m.passed, m.speed - 1.0, m.fingers) for m in moments], axis=0)
        told = [f"{max(0.0, x):.0e}" for x in most]
        rise = np.maximum(np.diff(energy), 0.0)
        rows.append([f"{1e3 * dt:g}", *told, table.number(energy[0]), table.number(energy[-1]), f"{rise.sum():.0e}"])
    header = ["dt ms", "passed [rad]", "too fast", "fingers [m]", "first J", "last J", "all rises J"]
    table.show(f"a limp Panda with its limits, friction 0.1 N m, {seconds:g} s", header, rows)


def _grasp(seconds: float, steps: tuple[float, ...]) -> None:
    rows = []
    for dt in steps:
        grasp = Grasp(dt)
        grasp.close()
        grasp.lift()
        first, told = grasp.held(), []
        for length in (1.0, seconds - 1.0):
            grasp.shake(length)
            now = grasp.held()
            told += [f"{np.abs(now.place - first.place).max():.0e}", f"{np.abs(now.turn - first.turn).max():.0e}"]
        rows.append([f"{1e3 * dt:g}", f"{first.height:.3f}", *told, f"{now.fingers:.0e}"])
    header = ["dt ms", "lifted to [m]", "moved, 1 s [m]", "turned, 1 s", "moved [m]", "turned", "fingers [m]"]
    table.show(f"a Panda grasps a box, lifts it, shakes it at 2 Hz and 8 m/s^2 for {seconds:g} s", header, rows)


def _legs(seconds: float) -> None:
    """Stands for a second, then walks in place, once with eliminated loops and once with rows, step by step."""
    pair = {how: walker(how, 1e-3) for how in ("eliminate", "inloop")}
    opened, apart, feet = dict.fromkeys(pair, 0.0), [], set()
    for k in range(-1000, round(seconds / 1e-3)):
        for how, one in pair.items():
            if k < 0:
                one.world.step()
            else:
                walk(one, k)
            opened[how] = max(opened[how], float(np.abs(one.robot.loop_error).max()))
        a, b = (one.robot for one in pair.values())
        apart.append(float(np.abs(a.q - b.q).max()))
        feet.add(len(pair["eliminate"].world.contacts))
    rows = []
    for how, one in pair.items():
        q = one.robot.q
        rows.append([how, f"{opened[how]:.0e}", f"{q[2]:.3f}", f"{np.abs(q[:2]).max():.3f}"])
    title = f"four closed legs stand for 1 s, then walk for {seconds:g} s on {min(feet)} to {max(feet)} feet, 1 ms"
    table.show(title, ["loops", "open [m]", "height [m]", "astray [m]"], rows)
    print(f"apart by at most {max(apart[:1000]):.0e} rad or m while they stand, {max(apart):.0e} while they walk")


def _carry(seconds: float) -> None:
    rows = []
    for how in ("eliminate", "inloop"):
        moments = list(carry(how, seconds))
        where = np.array([m.box for m in moments])
        told = [f"{max(m.open for m in moments):.0e}", table.number(max(m.spin for m in moments))]
        aside, least = np.abs(where[:, :2]).max() / HALF, where[:, 2].min() - TOP
        rows.append([how, *told, f"{aside:.2f}", f"{1e3 * least:.1f}", table.number(max(m.moved for m in moments))])
    header = ["loops", "open [m]", "spin [rad/s]", "aside, of half a side", "centre above table [mm]", "legs move [m]"]
    table.show(f"a Stewart platform carries a box that tumbles, {seconds:g} s, 1 ms", header, rows)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    steps = STEPS[:1] if quick else STEPS
    try:
        _limp(6.0 if quick else 60.0, steps)
        _grasp(3.0 if quick else 20.0, steps)
    except FileNotFoundError as error:
        print(f"\nPanda: skipped, {error}")
    _legs(2.0 if quick else 20.0)
    _carry(2.0 if quick else 20.0)
