"""Random mechanisms under random constraints, some of the thousand of `python -m benchmarks.mechanisms`."""

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="run from the root of the repository")

from benchmarks.mechanisms import rows
from benchmarks.mechanisms.drawing import FEATURES, MORE, draw
from benchmarks.mechanisms.laws import Ledger, judge

pytestmark = pytest.mark.filterwarnings("ignore::rbdyn.errors.InactiveFeatureWarning")


@pytest.mark.parametrize("number", range(6000, 6016))
def test_the_laws_hold(number):
    verdict = judge(number, seconds=0.5)
    assert not verdict.error
    assert verdict.broken == []


# a link that turns at 94 rad/s goes 9 cm in a step, and meets a box 8 cm deep
FAST = pytest.param(237, marks=pytest.mark.xfail(strict=True, reason="links of robots turn into bodies within a step"))


@pytest.mark.parametrize("number", [120, 145, 160, 173, FAST, 355, 478, 545, 562, 720, 762, 856, 880, 900, 925, 984])
def test_the_laws_hold_where_they_did_not(number):
    """Stops passed by the mean velocity or by what others did; forces of actuators in fast motion that rows changed.

    Fast robots with gains that joints hold to other bodies (720: 9,600 J of 12,200 from nothing).  Contacts with two
    answers, between which sweeps went to and fro for ever (237, 545, 562, 856).  A motor against its stop, which moved
    the base of a robot that lay on the ground (355: 97 J).  Ties of which loops leave next to no freedom (478, 880).
    """
    verdict = judge(number)
    assert not verdict.error
    assert verdict.broken == []


@pytest.mark.parametrize(("number", "dt", "seconds"), [(121, 2.5e-4, 0.01), (986, 1e-3, 1.0)])
def test_links_that_depend_on_one_another(number, dt, seconds):
    """They made 2 x 10^6 rad/s in the fourth step, and 4 to 12 times the energy that steps may err by."""
    verdict = judge(number, dt, seconds=seconds)
    assert "links" in verdict.features
    assert verdict.error == ""
    assert verdict.broken == []


def test_every_feature_is_drawn():
    drawn = [draw(number).features for number in range(6000, 6016)]
    assert {feature.name for feature in FEATURES} == set().union(*drawn)


def test_a_feature_left_out_leaves_the_rest_as_it_was():
    whole, less = draw(5004), draw(5004, without=["limits"])
    assert "limits" in whole.features
    assert less.features == [name for name in whole.features if name != "limits"]
    np.testing.assert_array_equal(whole.robot.v, less.robot.v)
    assert [j.velocity_limit for j in whole.joints] == [j.velocity_limit for j in less.joints]
    assert not any(j.position_limits for j in less.joints)


def test_energy_from_nothing_is_seen():
    drawn = draw(5001)
    ledger = Ledger(drawn)
    for _ in range(100):
        drawn.world.step()
        assert ledger.enter() < 0.02
    drawn.robot.set_state(v=1.2 * drawn.robot.v)
    assert ledger.enter() > 0.1


@pytest.mark.parametrize("number", [6000, 6001, 6002, 6003, 6006, 6008])
def test_the_laws_hold_with_couplings_weights_welds_and_soft_rows(number):
    verdict = judge(number, seconds=0.5, more=True)
    assert not verdict.error
    assert verdict.broken == []


def test_more_features_leave_a_seed_as_it_was():
    plain, more = draw(6002), draw(6002, more=True)
    assert more.features[:len(plain.features)] == plain.features
    assert {feature.name for feature in MORE} >= set(more.features[len(plain.features):])
    np.testing.assert_array_equal(plain.robot.v, more.robot.v)
    assert {feature.name for feature in MORE} == set().union(
        *(draw(number, more=True).features for number in range(6000, 6010))) - {feature.name for feature in FEATURES}


def test_rows_that_do_not_obey_their_laws_are_seen():
    """The state is set anew after a step: stops that push are left, what slid stands, or goes the other way."""
    drawn = next(d for d in map(draw, range(6000, 6100)) if {"friction", "limits"} <= set(d.features) and _slides(d))
    robot = drawn.robot
    assert rows.friction(drawn) < 1e-9
    force = robot.friction_force
    assert np.abs(force).max() > 0.0
    robot.set_state(v=np.where(force > 0.0, 1.0, -1.0))
    assert rows.friction(drawn) == pytest.approx(2.0)


def _slides(drawn):
    drawn.world.step()
    return np.abs(drawn.robot.friction_force).max() > 0.0


def test_the_first_step_of_a_joint_between_links_makes_no_energy():
    """Velocities do not fit it, and it hardly lets its links move in one direction: 345 J came of 400 J."""
    drawn = draw(397, without=["shapes", "bounce", "ground", "wires", "elastic"])
    ledger = Ledger(drawn)
    start = ledger.kinetic() + ledger.potential()
    drawn.world.step()
    assert ledger.kinetic() + ledger.potential() < start
