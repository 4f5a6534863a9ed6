"""Friction of MuJoCo's geoms in the names of materials, and the pairs of these by MuJoCo's rule.

MuJoCo gives friction to each geom, and makes that of a contact out of two: the larger of each coefficient, or all of
the geom of higher priority.  Here friction belongs to pairs of materials: a geom's material is named by what it says.
"""

from __future__ import annotations

import math
import re
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, NamedTuple

from rbdyn.arguments import shown
from rbdyn.errors import Error

if TYPE_CHECKING:
    from rbdyn.contact import MaterialPair, MaterialTable
    from rbdyn.mechanism.mechanism import Mechanism

NUMBER = r"[0-9.e+-]{1,25}"
_name = re.compile(
    rf"friction=({NUMBER})(?: spin=({NUMBER}))?(?: roll=({NUMBER}))?"
    r"(?: condim=([1346]))?(?: priority=(-?[0-9]{1,9}))?"
)


class Friction(NamedTuple):
    """What a geom says; MuJoCo's defaults."""

    slide: float = 1.0  # [-]
    spin: float = 0.005  # [m]
    roll: float = 0.0001  # [m]
    condim: int = 3  # 1 slips, 3 has sliding friction, 4 spinning friction too, 6 rolling friction too
    priority: int = 0

    @property
    def material(self) -> str:
        """The name of the material that says this: "default", "friction=0.6", "friction=1 condim=6"."""
        if self == USUAL:
            return "default"
        words = [f"friction={self.slide:.9g}"]
        for word, value, usual in zip(("spin", "roll", "condim", "priority"), self[1:], USUAL[1:], strict=True):
            if value != usual:
                words.append(f"{word}={value:.9g}")
        return " ".join(words)


USUAL = Friction()


def of_geom(model: Any, k: int) -> Friction:
    """What geom k of a compiled model says; its three numbers to nine digits, as they are in names."""
    slide, spin, roll = (float(f"{x:.9g}") for x in model.geom_friction[k].tolist())
    return Friction(slide, spin, roll, int(model.geom_condim[k]), int(model.geom_priority[k]))


def of_material(name: str) -> Friction | None:
    """What a material's name says; None if it is not one of those."""
    if name == "default":
        return USUAL
    match = _name.fullmatch(name)
    if match is None:
        return None
    slide, spin, roll, condim, priority = match.groups()
    try:
        numbers = float(slide), float(spin or USUAL.spin), float(roll or USUAL.roll)
    except ValueError:  # "1e+e"
        return None
    if not all(math.isfinite(x) and x >= 0.0 for x in numbers):
        return None
    return Friction(*numbers, int(condim or USUAL.condim), int(priority or USUAL.priority))


def mjcf_materials(*mechanisms: Mechanism) -> MaterialTable:
    """Friction of the materials of robots read from MJCF, pair by pair as MuJoCo has it.

    Parameters
    ----------
    *mechanisms : Mechanism
        Whose shapes are looked at.  `load_mjcf` names the material of a geom by what the geom says of friction, such as
        "friction=0.6"; "default" is MuJoCo's friction 1.

    Returns
    -------
    table : MaterialTable
        ``world.materials.replace(table.default, table.pairs())`` gives it to a World, whose other pairs are forgotten.
        A pair has the larger of the two values of each kind of friction; if their priorities differ, those of the
        higher one.  Without it all these materials are to a World as any other: its default friction holds.

    Raises
    ------
    Error
        If one is no Mechanism.

    Examples
    --------
    >>> m = load_mjcf('<mujoco><worldbody><body><freejoint/><geom size="1" friction="2"/></body></worldbody></mujoco>')
    >>> mjcf_materials(m).pair("friction=2", "default").friction
    2.0
    """
    from rbdyn.contact import MaterialTable
    from rbdyn.mechanism.mechanism import Mechanism

    known = {"default": USUAL}
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise Error(f"mechanisms must be Mechanisms, such as load_mjcf reads, got {shown(mechanism)}")
        for material in {shape.material for body in mechanism.bodies for shape in body.collision}:
            friction = of_material(material)
            if friction is not None:
                known[material] = friction
    pairs = {
        (a, b) if a <= b else (b, a): _pair(known[a], known[b]) for a, b in combinations_with_replacement(known, 2)
    }
    table = MaterialTable(pairs.pop(("default", "default")))
    table.replace(table.default, pairs)
    return table


def _pair(a: Friction, b: Friction) -> MaterialPair:
    """MuJoCo's rule."""
    from rbdyn.contact import MaterialPair

    if a.priority != b.priority:
        both = a if a.priority > b.priority else b
    else:
        both = Friction(max(a.slide, b.slide), max(a.spin, b.spin), max(a.roll, b.roll), max(a.condim, b.condim))
    return MaterialPair(
        friction=both.slide if both.condim >= 3 else 0.0,
        torsional_friction=both.spin if both.condim >= 4 else 0.0,
        rolling_friction=both.roll if both.condim >= 6 else 0.0,
    )
