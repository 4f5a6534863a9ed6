"""A joint type that a table of joint types does not know, or knows wrongly, is refused when the package is imported."""

import dataclasses

import numpy as np
import pytest

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints import TYPES, Planar, Revolute, Spherical, Universal
from rbdyn.mechanism.joints.tables import check_table
from rbdyn.model.joints.completeness import check_kernels


def test_every_type_is_known_to_every_kernel():
    check_kernels()
    numbers = [(t.kernel_kind, t.representation) for t in TYPES]
    assert len(set(numbers)) == len(TYPES) == len({t.kind for t in TYPES})


@dataclasses.dataclass(frozen=True)
class Unknown(Revolute):
    """Its kind stands in no function, so that all fall to their general case."""

    kernel_kind = 99


@dataclasses.dataclass(frozen=True)
class Turned(Universal):
    """Kernels of Universal with the motion subspace of two axes that are both fixed in the successor."""

    def _motion_subspace(self, q):
        S = super()._motion_subspace(q)
        S[:3, 0] = self.axis1
        return S


@dataclasses.dataclass(frozen=True)
class Slow(Planar):
    """A pose that does not move as the motion subspace says."""

    def _motion_subspace(self, q):
        return 0.5 * super()._motion_subspace(q)


@dataclasses.dataclass(frozen=True)
class Counted(Planar):
    """Another number of translations."""

    num_translations = 1


@dataclasses.dataclass(frozen=True)
class Askew(Spherical):
    """Another rotation at every q."""

    def _pose(self, q):
        return super()._pose(q).inverse()


@pytest.mark.parametrize(
    ("cls", "function"),
    [
        (Unknown, "integrate_joint|joint_transform"),
        (Turned, "integrate_joint"),
        (Slow, "integrate_joint"),
        (Counted, "joint_columns_from"),
        (Askew, "integrate_joint|joint_transform"),
    ],
)
def test_what_does_not_agree_is_named(cls, function):
    with pytest.raises(MechanismError, match=f"joint type {cls.__name__}: ({function}) of .*dispatch.pxd"):
        check_kernels([cls])


def test_columns_that_kernels_take_for_constant(monkeypatch):
    """Everything of Universal is right but the rates of its columns: that one function is named."""
    from rbdyn.model.joints import completeness

    class Still(completeness.JointBench):
        def column_rates(self, E):
            return np.zeros((6, 2))

    monkeypatch.setattr(completeness, "JointBench", Still)
    with pytest.raises(MechanismError, match="joint type Universal: joint_column_rates"):
        check_kernels([Universal])


def test_a_table_without_a_type():
    check_table("WORDS", TYPES, TYPES)
    with pytest.raises(MechanismError, match="joint type Universal is missing in WORDS of words.py"):
        check_table("WORDS of words.py", TYPES[:-1], TYPES)
