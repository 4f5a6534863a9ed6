"""Order in time of free flight, and of bouncing, sliding and rolling against closed forms: benchmarks/order.py."""

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="run from the root of the repository")

from benchmarks.order import bounce_errors, bounced, roll_errors, tumbled, tumbling_errors


def test_the_closed_form_of_a_bounce():
    """A drop of 1 m without spin ends, after one bounce of 0.5, at its apex of 0.25 m."""
    fall = np.sqrt(2.0 / 9.81)
    x, v, _ = bounced(1.0, 0.5, 1.5 * fall)
    assert x[2] == pytest.approx(0.1 + 0.25, rel=1e-12) and v[2] == pytest.approx(0.0, abs=1e-12)


def test_errors_of_a_bouncing_run_halve_with_the_time_step():
    """Three halvings, 200 phases: energy, momentum and position at least by 2 each, but for the scatter of phases."""
    coarse, fine = (bounce_errors(dt, 0.8, 200) for dt in (4e-3, 5e-4))
    assert (coarse > [1e-4, 1e-4, 1e-5]).all()  # each far above rounding, so that ratios mean something
    assert (coarse / fine > 0.95 * 2.0**3).all()


def test_bounces_without_loss_keep_the_energy_at_any_time_step():
    assert bounce_errors(2e-3, 1.0, 20)[0] < 1e-10


def test_a_rolling_run_is_exact_but_for_its_place():
    """Sliding, then rolling: the velocity to rounding, the place to first order."""
    coarse, fine = (roll_errors(dt, 16) for dt in (4e-3, 1e-3))
    assert (coarse[:2] < 1e-12).all() and (fine[:2] < 1e-12).all()
    assert coarse[2] / fine[2] > 0.99 * 2.0**2


def test_halving_the_step_divides_errors_of_free_flight_by_four():
    """Energy and joint angles of tumbling quadrupeds, beside Runge-Kutta; the angular momentum is exact at any step."""
    exact = [tumbled(5e-4, seed, "rk4") for seed in range(12)]
    errors = [tumbling_errors(dt, exact) for dt in (4e-3, 2e-3, 1e-3)]
    assert np.max([e[:, 1] for e in errors]) < 2e-9  # of Runge-Kutta's: of 0.5 N m s and more
    for coarse, fine in zip(errors[:-1], errors[1:], strict=True):
        ratios = coarse[:, ::2] / fine[:, ::2]
        assert np.median(ratios, axis=0) == pytest.approx([4.0, 4.0], abs=0.15)
