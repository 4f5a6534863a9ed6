"""Joints and wires beside closed forms at .5, 1, 2 and 5 ms: errors, and their order; benchmarks/closed_forms.py.

Of first order are events whose moment a step does not resolve, and what comes after them: blows with restitution,
friction that turns round, ropes that get slack or taut; and the places of what a rope or a contact holds.
"""

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="run from the root of the repository")

from scipy.integrate import solve_ivp

from benchmarks.closed_forms import MOTIONS, measure, order
from benchmarks.motions.compared import Compared
from benchmarks.motions.swing import Swing
from benchmarks.motions.wires import thrown

EXACT = None
ALLOWED = {  # the order, None for exact; the largest error at 1 ms, as a share of the quantity
    "pendulum on its stop": {"angle at rest": (EXACT, 0), "torque at rest": (EXACT, 0), "impulse so far": (2, 2e-7)},
    "pendulum off its stop": {"angle it turns at": (1, 2e-3), "angle later": (1, 2e-3)},
    "stick-slip oscillator": {"period": (1, 2e-4), "amplitude": (1, 5e-4)},
    "torque-limited motor": {"speed after 0.4 s": (2, 1e-7), "speed in the end": (EXACT, 0), "force": (EXACT, 0)},
    "the same with a curve": {"speed after 0.4 s": (2, 3e-7), "speed in the end": (EXACT, 0), "force": (EXACT, 0)},
    "geared flywheels": {"speed": (EXACT, 0), "angle": (EXACT, 0), "torque": (EXACT, 0)},
    "screw that holds": {"angle at rest": (2, 3e-5), "speed": (EXACT, 0), "torque": (EXACT, 0)},
    "screw that returns": {"angle": (1, 6e-3), "speed": (1, 2e-3)},
    "screw that turns down": {"angle": (EXACT, 0), "speed": (EXACT, 0)},
    "rope pendulum, taut": {"half a period": (2, 2e-6)},
    "rope pendulum, slack": {
        "slack at": (1, 1e-3),
        "taut at": (1, 5e-4),
        "impulse across the rope": (EXACT, 0),
        "energy it keeps": (1, 2e-2),
        "angle later": (1, 2e-2),
    },
    "rope between two balls": {
        "momentum handed on": (EXACT, 0),
        "momentum kept": (EXACT, 0),
        "place of the pulled one": (1, 3e-3),
    },
    "Atwood's machine": {"acceleration": (EXACT, 0), "tension": (EXACT, 0), "length": (EXACT, 0), "way": (1, 3e-3)},
}


def test_every_motion_has_its_bounds():
    assert list(ALLOWED) == list(MOTIONS)


@pytest.mark.parametrize("name", ALLOWED)
def test_errors_are_small_and_fall_with_their_order(name):
    found = measure(MOTIONS[name])
    assert len(found) == len(ALLOWED[name])
    for (quantity, compared), (begins, (right, most)) in zip(found.items(), ALLOWED[name].items(), strict=True):
        assert quantity.startswith(begins)
        slope = order(compared)
        if right is EXACT:
            assert slope is None, f"{quantity}: {compared}"
        else:
            assert slope == pytest.approx(right, abs=0.15), f"{quantity}: {compared}"
            assert compared[1].error <= most * abs(compared[1].exact), f"{quantity}: {compared[1]}"


def test_orders_are_told_from_rounding():
    assert order([Compared(2.0, 3.0 * dt**2) for dt in (5e-4, 1e-3, 2e-3, 5e-3)]) == pytest.approx(2.0)
    assert order([Compared(0.0, 1e-12)] * 4) is None
    assert order([Compared(0.0, 1e-6)] * 4) == pytest.approx(0.0)


@pytest.mark.parametrize("fastest", [1.3, 4.9, 7.0, 11.0])
def test_the_closed_form_of_a_pendulum(fastest):
    """Beside its differential equation, to and fro and round and round."""
    n, end = 3.0, 0.45
    swing = Swing(n, fastest)
    found = solve_ivp(
        lambda t, y: [y[1], -(n**2) * np.sin(y[0])], (0.0, end), [0.0, fastest], rtol=1e-12, atol=1e-12
    ).y[:, -1]
    assert swing.angle(end) == pytest.approx(found[0], rel=1e-9)
    assert swing.rate(found[0]) == pytest.approx(abs(found[1]), rel=1e-8)
    assert swing.k > 1.0 or swing.turn() > found[0]
    assert Swing.through(n, *found).fastest == pytest.approx(fastest, rel=1e-9)
    if found[1] > 0.0:
        assert swing.time(found[0]) == pytest.approx(end, rel=1e-9)


def test_the_closed_form_of_a_ball_that_leaves_its_circle():
    """Beside the differential equation of a circle up to no tension, and of a throw up to a rope that is straight."""
    exact, g = thrown(4.5), 9.81

    def tension(t, y):
        return y[1] ** 2 + g * np.cos(y[0])

    tension.terminal = True
    circle = solve_ivp(
        lambda t, y: [y[1], -g * np.sin(y[0])], (0, 2), [0.0, np.sqrt(4.5 * g)], events=tension, rtol=1e-12, atol=1e-12
    )
    (slack,), ((a, w),) = circle.t_events[0], circle.y_events[0]
    assert exact.slack == pytest.approx(slack, rel=1e-9)
    times = np.linspace(0.1, 1.0, 900_001)
    x = np.sin(a) + w * np.cos(a) * times
    z = -np.cos(a) + w * np.sin(a) * times - 0.5 * g * times**2
    k = int(np.argmax(np.hypot(x, z) > 1.0))
    assert exact.taut - exact.slack == pytest.approx(times[k], abs=2e-6)
    across = (w * np.cos(a) * -z[k] + (w * np.sin(a) - g * times[k]) * x[k])
    assert exact.second.fastest**2 == pytest.approx(across**2 + 2 * g * (1.0 + z[k]), rel=1e-4)
    assert exact.second.angle(exact.taut - exact.below) == pytest.approx(np.arctan2(x[k], -z[k]), abs=1e-5)
