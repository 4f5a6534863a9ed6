"""Materials and contact targets."""

import dataclasses

import numpy as np
import pytest

from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.contact.targets import correction, friction_at, target
from rbdyn.errors import ContactError, Error


def test_defaults():
    assert dataclasses.astuple(MaterialPair()) == (0.8, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0)
    assert MaterialTable().pair("steel", "ice") == MaterialPair()


def test_pairs_work_in_either_order():
    table = MaterialTable(default=MaterialPair(friction=0.5))
    ice = MaterialPair(friction=0.02, restitution=0.1)
    table.set("steel", "ice", ice)
    table.set("ice", "ice", MaterialPair(0.01))
    assert table.pair("ice", "steel") == table.pair("steel", "ice") == ice
    assert table.pair("ice", "ice").friction == 0.01 and table.pair("steel", "steel").friction == 0.5
    assert table.pairs() == {("ice", "steel"): ice, ("ice", "ice"): MaterialPair(0.01)}
    revision = table.revision
    table.default = MaterialPair(0.7)
    assert table.pair("steel", "steel").friction == 0.7 and table.revision > revision
    numbers = table.table(["steel", "ice"])
    assert numbers.shape == (2, 2, 7)
    np.testing.assert_array_equal(numbers[0, 1], [0.02, 0.1, 0.0, 0.02, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(numbers, numbers.transpose(1, 0, 2))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"friction": -0.1}, "^friction must be a finite number >= 0"),
        ({"friction": np.nan}, "^friction must be"),
        ({"friction": "rough"}, "^friction must be"),
        ({"friction": True}, "^friction must be"),
        ({"restitution": 1.01}, "^restitution must be a finite number from 0 to 1"),
        ({"restitution": -0.01}, "^restitution must be"),
        ({"threshold": np.inf}, "^threshold must be"),
        ({"static_friction": 0.5}, r"^static_friction must be >= friction \(0.8\)"),
        ({"static_threshold": -1}, "^static_threshold must be"),
        ({"torsional_friction": -1e-3}, "^torsional_friction must be a finite number >= 0"),
        ({"rolling_friction": np.inf}, "^rolling_friction must be a finite number >= 0"),
    ],
)
def test_pair_names_the_bad_argument(options, message):
    with pytest.raises(ContactError, match=message):
        MaterialPair(**options)


def test_table_names_the_bad_argument():
    table = MaterialTable()
    for a, b, pair, message in (
        (None, "b", MaterialPair(), "^a must be the name"),
        ("a", 3, MaterialPair(), "^b must be the name"),
        ("a", "b", 0.5, "^pair must be a MaterialPair, got 0.5"),
    ):
        with pytest.raises(Error, match=message):
            table.set(a, b, pair)
    with pytest.raises(ContactError, match="^default must be a MaterialPair"):
        table.default = None
    with pytest.raises(ContactError, match="^default must be a MaterialPair"):
        MaterialTable(0.8)
    assert table.revision == 0 and table.pairs() == {}


P = MaterialPair()


@pytest.mark.parametrize("pairs", [None, [1], {"ice": P}, {("a", "b", "c"): P}, {("a", "b"): 0.5}])
def test_a_table_that_cannot_be_replaced_stays(pairs):
    table = MaterialTable()
    table.set("ice", "steel", MaterialPair(0.1))
    before = table.pairs(), table.default, table.revision
    with pytest.raises(ContactError, match="pair"):
        table.replace(MaterialPair(0.7), pairs)
    assert (table.pairs(), table.default, table.revision) == before
    table.replace(MaterialPair(0.7), {("b", "a"): MaterialPair(0.2)})
    assert (table.pair("a", "b").friction, table.default.friction, table.revision) == (0.2, 0.7, before[2] + 1)
    with pytest.raises(AttributeError):
        table.revision = 0


def test_no_name_is_that_of_the_default_material():
    table = MaterialTable()
    table.set("", "ice", MaterialPair(0.1))
    assert table.pair("ice", "default") == table.pair("", "ice") == MaterialPair(0.1)
    assert table.pairs() == {("default", "ice"): MaterialPair(0.1)}


@pytest.mark.parametrize("speed, expected", [(1.0, 0.4), (0.21, 0.005), (0.19, 0.0)])
def test_bounce(speed, expected):
    """Newton's impact law beyond a threshold of 0.2 m/s."""
    assert target(speed, 0.0, 1e-3, restitution=0.5, threshold=0.2) == pytest.approx(expected, abs=1e-14)


def test_what_parts_may_turn_round_by_its_share():
    """Moreau's law v+ + e v- >= 0, beyond the threshold."""
    assert target(-1.0, 0.0, 1e-3, restitution=0.5) == -0.5
    assert target(-0.3, 0.0, 1e-3, restitution=0.5, threshold=0.2) == pytest.approx(-0.05, rel=1e-14)
    assert target(-0.1, 0.0, 1e-3, restitution=0.5, threshold=0.2) == 0.0
    assert target(-1.0, 0.1, 1e-3) == 0.0


def test_position_correction():
    """erp of the depth beyond the slop, no faster than a bound; a gap may close.  No velocity is asked for."""
    assert correction(1e-5, 1e-3, erp=0.2, slop=1e-5) == 0.0
    assert correction(3e-4 + 1e-5, 1e-3, erp=0.2) == pytest.approx(0.06, rel=1e-12)
    assert correction(0.1, 1e-3, erp=0.2, fastest=0.5) == 0.5
    assert correction(-1e-3, 1e-2) == pytest.approx(-0.1, rel=1e-15)
    assert target(0.0, 0.1, 1e-3) == 0.0


def test_gap():
    """A gap may close within the step; a pair that can bounce has no bound until it meets."""
    assert target(0.5, -1e-3, 1e-2) == pytest.approx(-0.1, rel=1e-15)
    assert target(0.5, -1e-3, 1e-2, restitution=0.5) == 0.25
    assert target(0.5, -9e-6, 1e-2, slop=1e-5) == 0.0 != target(0.5, -9e-6, 1e-2)
    assert target(0.5, -2e-5, 1e-2, slop=1e-5) == pytest.approx(-2e-3, rel=1e-15)
    assert target(0.0, -9e-6, 1e-2, restitution=0.5, slop=1e-5) == -1e6
    assert target(0.5, -1e-2, 1e-2, restitution=0.5) == target(0.0, -1e-9, 1e-2, restitution=0.5) == -1e6


def test_static_friction():
    assert friction_at(0.4, 0.8, 0.1, 0.0) == 0.8
    assert friction_at(0.4, 0.8, 0.1, 0.025) == pytest.approx(0.7, rel=1e-15)
    assert friction_at(0.4, 0.8, 0.1, 0.1) == friction_at(0.4, 0.8, 0.1, 5.0) == 0.4
    assert friction_at(0.4, 0.8, 0.0, 0.0) == 0.4
