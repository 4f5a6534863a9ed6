"""What happens when two materials meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdyn.contact.options import between
from rbdyn.errors import ContactError
from rbdyn.held_signals import held_signals


@dataclass(frozen=True)
class MaterialPair:
    """The contact properties of a pair of materials.

    Parameters
    ----------
    friction : float
        Coefficient of sliding friction, >= 0.
    restitution : float
        Share of the approach speed that comes back, 0 to 1.
    threshold : float
        Approach speed below which nothing bounces [m/s]; ``bounce = restitution * max(0, v - threshold)``.
    static_friction : float, optional
        Coefficient at rest, >= friction; `friction` if left out.
    static_threshold : float
        Slip speed from which only sliding friction acts [m/s]; 0 switches static friction off.
    torsional_friction : float
        The moment about the normal that resists spinning is at most this length times the normal force [m].
    rolling_friction : float
        The moment across the normal that resists rolling is at most this length times the normal force [m].

    Raises
    ------
    ContactError
        If a value is out of range; the message names it.
    """

    friction: float = 0.8
    restitution: float = 0.0
    threshold: float = 0.0
    static_friction: float | None = None
    static_threshold: float = 0.0
    torsional_friction: float = 0.0
    rolling_friction: float = 0.0

    def __post_init__(self) -> None:
        friction = between(self.friction, 0.0, math.inf, "friction")
        static = friction if self.static_friction is None else self.static_friction
        static = between(static, 0.0, math.inf, "static_friction")
        if static < friction:
            raise ContactError(f"static_friction must be >= friction ({friction:g}), got {static:g}")
        object.__setattr__(self, "friction", friction)
        object.__setattr__(self, "restitution", between(self.restitution, 0.0, 1.0, "restitution"))
        object.__setattr__(self, "threshold", between(self.threshold, 0.0, math.inf, "threshold"))
        object.__setattr__(self, "static_friction", static)
        for name in ("static_threshold", "torsional_friction", "rolling_friction"):
            object.__setattr__(self, name, between(getattr(self, name), 0.0, math.inf, name))

    @property
    def numbers(self) -> tuple[float, ...]:
        """All properties, in the order of the parameters."""
        return (
            self.friction,
            self.restitution,
            self.threshold,
            self.friction if self.static_friction is None else self.static_friction,
            self.static_threshold,
            self.torsional_friction,
            self.rolling_friction,
        )


class MaterialTable:
    """Pair properties by material name, in either order; a pair never set has the default ones.

    Parameters
    ----------
    default : MaterialPair, optional
        Properties of every pair not set; ``MaterialPair()`` if left out.
    """

    def __init__(self, default: MaterialPair | None = None) -> None:
        self._revision = 0
        self._guard: Callable[[], object] | None = None  # of a World: called before a change, which it may refuse
        self._pairs: dict[tuple[str, str], MaterialPair] = {}
        self._default = _pair("default", MaterialPair() if default is None else default)

    @property
    def revision(self) -> int:
        """Grows with every change, so that copies of the properties can be renewed."""
        return self._revision

    @property
    def default(self) -> MaterialPair:
        """Properties of every pair not set."""
        return self._default

    @default.setter
    def default(self, pair: MaterialPair) -> None:
        checked = _pair("default", pair)
        self._check_settable()
        with held_signals:
            self._default = checked
            self._revision += 1

    def set(self, a: str, b: str, pair: MaterialPair) -> None:
        """Set the properties of materials `a` and `b`, in either order; they may be the same."""
        key, checked = _key(a, b), _pair("pair", pair)
        self._check_settable()
        with held_signals:
            self._pairs[key] = checked
            self._revision += 1

    def pair(self, a: str, b: str) -> MaterialPair:
        """Properties of materials `a` and `b`, in either order."""
        return self._pairs.get(_key(a, b), self._default)

    def pairs(self) -> dict[tuple[str, str], MaterialPair]:
        """A copy of all pairs set; names in alphabetical order."""
        return dict(self._pairs)

    def replace(self, default: MaterialPair, pairs: Mapping[tuple[str, str], MaterialPair]) -> None:
        """Forget all pairs, and set these and the default."""
        if not isinstance(pairs, Mapping):
            raise ContactError(f"pairs must be a dict, got {pairs!r:.200}")
        checked = {}
        for names, pair in pairs.items():
            if not isinstance(names, tuple) or len(names) != 2:
                raise ContactError(f"pairs must have two names of materials as each key, got {names!r:.200}")
            checked[_key(*names)] = _pair("pair", pair)
        new = _pair("default", default)
        self._check_settable()
        self._put(new, checked)

    def _put(self, default: MaterialPair, pairs: dict[tuple[str, str], MaterialPair]) -> None:
        with held_signals:
            self._default, self._pairs = default, pairs
            self._revision += 1

    def _check_settable(self) -> None:
        """BusyError for the table of a World that steps, or stands between half steps."""
        if self._guard is not None:
            self._guard()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_guard": None}  # a copy is no World's

    def table(self, names: list[str]) -> np.ndarray:
        """The properties of all pairs of `names`, for look-up by index in compiled code.

        Returns
        -------
        table : (k, k, 7) ndarray of float64
            friction, restitution, threshold [m/s], static_friction, static_threshold [m/s], torsional_friction and
            rolling_friction [m]; symmetric in a and b.
        """
        result = np.empty((len(names), len(names), 7))
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                result[i, j] = self.pair(a, b).numbers
        return result

    def __repr__(self) -> str:
        return f"MaterialTable(default={self._default!r}, {len(self._pairs)} pairs)"


DEFAULT = "default"  # which "" means too, as in RaiSim


def _key(a: str, b: str) -> tuple[str, str]:
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, str):
            raise ContactError(f"{name} must be the name of a material, got {value!r:.200}")
    a, b = a or DEFAULT, b or DEFAULT
    return (a, b) if a <= b else (b, a)


def _pair(name: str, value: MaterialPair) -> MaterialPair:
    if not isinstance(value, MaterialPair):
        raise ContactError(f"{name} must be a MaterialPair, got {value!r:.200}")
    return value
