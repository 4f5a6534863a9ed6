"""SimBenchmark's scenes, shortened: no worse than what was published for RaiSim at the same time steps."""

import pytest

pytest.importorskip("benchmarks", reason="run from the root of the repository")

from benchmarks.simbenchmark import anymal, bodies, scenes
from benchmarks.simbenchmark.published import RAISIM_ERROR
from benchmarks.simbenchmark.trial import judge

pytestmark = pytest.mark.filterwarnings("ignore::rbdyn.errors.InactiveFeatureWarning")


def with_robot():
    """Skip without the package that has ANYmal's file."""
    try:
        return scenes.ANYMAL_B.path
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_a_box_under_rolling_balls_slides_as_the_closed_form_says():
    """The exact law: to the precision of the solver.  RaiSim's law: its own error, by the same cause."""
    assert judge(lambda: bodies.Rolling(1e-3), 1e-3, 0.3, timed=1).error < 0.02 * RAISIM_ERROR["rolling", 1e-3]
    assert judge(lambda: bodies.Rolling(1e-3, threshold=1e-8), 1e-3, 0.1, timed=1).error < 1e-15
    trial = bodies.Rolling(1e-3, friction_law="raisim")
    trial.step(300)
    assert 1e-9 < trial.error(0.3) < RAISIM_ERROR["rolling", 1e-3]


@pytest.mark.parametrize("dt", [1e-2, 4e-3])
def test_bouncing_balls_keep_their_energy(dt):
    trial = bodies.Elastic(dt, scenes.bouncers()[:7])
    for _ in range(10):
        trial.step(round(0.5 / dt))
        assert trial.error(0.0) < 1e-12 * RAISIM_ERROR["bouncing", dt]


def test_216_balls_overlap_less():
    """Over the seconds in which they fall apart."""
    trial, seen = bodies.Piled(1e-2), []
    for _ in range(30):
        trial.step(5)
        seen.append(trial.error(0.0))
    assert 0.0 < max(seen) < 0.1 * RAISIM_ERROR["216 balls", 1e-2]


@pytest.mark.parametrize("dt", [4e-3, 1e-3])
def test_216_elastic_balls_keep_their_energy(dt):
    """Through the first hits, of whole columns at once: balls are hit by way of others, and must not lose by that."""
    trial = bodies.Elastic(dt, scenes.balls())
    trial.step(round(0.6 / dt))
    assert max(ball.linear_velocity[2] for ball in trial.balls) > 1.0
    assert trial.error(0.0) < 1e-9 * RAISIM_ERROR["elastic 216", dt]


def test_anymal_stands_under_pd_control():
    with_robot()
    trial = anymal.Standing(5e-3)
    trial.step(400)
    low = trial.error(0.0)
    trial.step(100)
    assert 0.0 < low < 0.15 and trial.error(0.0) == pytest.approx(low, abs=1e-3)


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_anymal_thrown_keeps_its_energy(dt):
    with_robot()
    trial = anymal.Thrown(dt)
    assert judge(lambda: trial, dt, 0.5, timed=1).error < 1e-5 * RAISIM_ERROR["anymal energy", dt]


@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_anymal_and_a_ball_keep_their_momentum(dt):
    """Before, through and after the hit."""
    with_robot()
    trial = anymal.Hit(dt)
    for _ in range(8):
        trial.step(round(0.25 / dt))
        assert trial.error(0.0) < 1e-9 * RAISIM_ERROR["anymal momentum", dt]
    assert trial.ball.linear_velocity[1] < 4.9
