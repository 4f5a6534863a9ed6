"""Joint: a joint type with a name, limits and passive elements."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_vector, number, shown
from rbdyn.arguments import name as checked_name
from rbdyn.errors import MechanismError
from rbdyn.mechanism._parameter import Edited, Parameter
from rbdyn.mechanism._revision import put
from rbdyn.mechanism.joints import TYPES, JointType, Spherical
from rbdyn.mechanism.joints.one_axis import OneAxis, unit_axis
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.rotations import Array

LIMITED = "Revolute, SinCosRevolute, Prismatic, Spherical, Planar, Helical and Universal joints have position limits"


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier * q_leader + offset.

    Parameters
    ----------
    joint : str
        Name of the joint that it follows.
    multiplier, offset : float
        [-], [rad or m].
    softness : float
        How far it gives way to what it bears, in a World: of its own coordinate for a unit of its force [rad/(N m) or
        m/N].  0: not at all.
    damping : float
        Beside it [N m s/rad or N s/m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    softness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", checked_name(self.joint, "joint of a Mimic", error=MechanismError))
        for name in ("multiplier", "offset"):
            value = number(getattr(self, name), f"{name} of a Mimic", error=MechanismError)
            object.__setattr__(self, name, value)
        soft, damped = _softness((self.softness, self.damping), "softness of a Mimic")
        object.__setattr__(self, "softness", soft)
        object.__setattr__(self, "damping", damped)


def _softness(value: Any, what: str) -> tuple[float, float]:
    """(softness, damping) of what gives way, each 0 or more; one number is a softness."""
    pair = (value, 0.0) if isinstance(value, (int, float, np.number)) else value
    if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise MechanismError(f"{what} must be a number or (softness, damping), got {shown(value)}")
    soft = number(pair[0], what, low=0.0, error=MechanismError)
    damped = number(pair[1], f"damping beside {what}", low=0.0, error=MechanismError)
    if damped > 0.0 and soft == 0.0:
        raise MechanismError(f"{what}: damping {damped:g} needs a softness above 0: what holds hard is not damped")
    return soft, damped


def _real(value: object, name: str, low: float = -math.inf) -> float:
    """A number, `low` or more, which may be infinite."""
    if isinstance(value, (float, np.floating)) and math.isinf(value) and value >= low:
        return float(value)
    return number(value, name, low=low, error=MechanismError)


def _limits(joint: Joint, value: Any) -> Any:
    """(lower, upper) with lower < upper, or as many of them as there are degrees of freedom; None for no limit."""
    if value is None:
        return None
    what = f"position_limits of joint {joint.name!r}"
    kind, n = joint.joint_type, joint.num_velocities
    if n == 1 or not kind.has_limits:
        return _pair(joint, value, what)
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) != n:
        raise MechanismError(f"{what} must be {n} times (lower, upper) or None, one for each degree of freedom of a "
                             f"{type(kind).__name__} joint, got {shown(value)}")  # fmt: skip
    pairs = tuple(_pair(joint, one, f"{what}[{k}]") or (-math.inf, math.inf) for k, one in enumerate(value))
    return pairs if any(map(math.isfinite, (x for pair in pairs for x in pair))) else None


def _pair(joint: Joint, value: Any, what: str) -> tuple[float, float] | None:
    """(lower, upper) with lower < upper; None for no limit."""
    if value is None:
        return None
    some = isinstance(value, (tuple, list)) or (isinstance(value, Sequence) and not isinstance(value, (str, bytes)))
    if not (some and len(value) == 2) and not (isinstance(value, np.ndarray) and value.shape == (2,)):
        raise MechanismError(f"{what} must be (lower, upper), got {shown(value)}")
    lower, upper = _real(value[0], what), _real(value[1], what)
    if lower > upper:
        raise MechanismError(f"{what} must be (lower, upper) with lower <= upper, got ({lower:g}, {upper:g})")
    if lower == upper:
        return None
    needed = joint.joint_type.limits_needed((lower, upper))
    if needed:
        kind = type(joint.joint_type).__name__
        limited = f"; choices: {LIMITED}" if needed == "None" else ""
        raise MechanismError(f"{what} must be {needed} for a {kind} joint, got ({lower:g}, {upper:g}){limited}")
    return lower, upper


def _ball(joint: Joint, what: str) -> str:
    """The name of a parameter that Spherical joints alone have."""
    name = f"{what} of joint {joint.name!r}"
    if not isinstance(joint.joint_type, Spherical):
        raise MechanismError(f"{name}: a {type(joint.joint_type).__name__} joint has none, Spherical ones do")
    return name


def _cone(joint: Joint, value: object, what: str) -> float | None:
    """An angle above 0, pi at most, or None."""
    if value is None:
        return None
    return number(value, _ball(joint, what), above=0.0, high=math.pi, unit="[rad]", error=MechanismError)


def _twist(joint: Joint, value: Any, what: str) -> tuple[float, float] | None:
    """(lower, upper) within a turn, or None."""
    if value is None:
        return None
    name = _ball(joint, what)
    lower, upper = as_vector(value, 2, name, error=MechanismError)
    if not -math.pi <= lower < upper <= math.pi:
        raise MechanismError(f"{name} must be (lower, upper), -pi <= lower < upper <= pi, got ({lower:g}, {upper:g})")
    return float(lower), float(upper)


def _axis(joint: Joint, value: ArrayLike, what: str) -> Array:
    """A unit vector, read-only."""
    name = f"{what} of joint {joint.name!r}"
    axis = as_vector(value, 3, name, error=MechanismError)
    size = math.sqrt(axis @ axis)
    if not 1e-6 < size < 1e100:
        raise MechanismError(f"{name} must be a direction, got {shown(value)}")
    axis = axis / size
    axis.flags.writeable = False
    return axis


def _passive(joint: Joint, value: object, what: str) -> float:
    """A finite number, 0 or more."""
    return number(value, f"{what} of joint {joint.name!r}", low=0.0, error=MechanismError)


def _friction(joint: Joint, value: object, what: str) -> float:
    """A finite number, 0 or more, and no more than the static one."""
    force = _passive(joint, value, what)
    static = joint.__dict__.get("static_friction")
    if static is not None and force > static:
        raise MechanismError(f"{what} of joint {joint.name!r} must be <= its static_friction {static:g}, got {force:g}")
    return force


def _static(joint: Joint, value: object, what: str) -> float | None:
    """A finite number, not less than the sliding friction, or None."""
    if value is None:
        return None
    return number(value, f"{what} of joint {joint.name!r}", low=joint.friction, error=MechanismError)


def _share(joint: Joint, value: object, what: str) -> float:
    """A number from 0 to 1; 0 where stops give way."""
    share = number(value, f"{what} of joint {joint.name!r}", low=0.0, high=1.0, error=MechanismError)
    if share > 0.0 and joint.__dict__.get("limit_softness", (0.0, 0.0))[0] > 0.0:
        raise MechanismError(f"{what} of joint {joint.name!r} must be 0, got {share:g}: its stops give way "
                             "(limit_softness), and bounce as springs do")  # fmt: skip
    return share


def _stops(joint: Joint, value: Any, what: str) -> tuple[float, float]:
    """(softness, damping) of hard stops, which have no restitution then."""
    name = f"{what} of joint {joint.name!r}"
    soft, damped = _softness(value, name)
    kind = joint.joint_type
    if soft > 0.0 and not isinstance(kind, Spherical) and not kind.has_limits:
        raise MechanismError(f"{name}: a {type(kind).__name__} joint has no position limits")
    if soft > 0.0 and joint.limit_restitution > 0.0:
        raise MechanismError(f"{name}: stops that give way bounce as springs do; its limit_restitution must be 0, "
                             f"not {joint.limit_restitution:g}")  # fmt: skip
    return soft, damped


def _speed(joint: Joint, value: object, what: str) -> float | None:
    """A number above 0, or None for none."""
    return None if value is None else number(value, f"{what} of joint {joint.name!r}", above=0.0, error=MechanismError)


def _bound(joint: Joint, value: object, what: str) -> float | None:
    """A number, 0 or more, or None for no limit."""
    return None if value is None else _real(value, f"{what} of joint {joint.name!r}", 0.0)


def _reference(joint: Joint, value: ArrayLike | None, what: str) -> Array:
    """A configuration of the joint, read-only; the neutral one for None."""
    if value is None:
        rest = joint.joint_type.neutral()
    else:
        name = f"{what} of joint {joint.name!r}"
        rest = joint.joint_type.normalise(as_vector(value, joint.num_positions, name, error=MechanismError), name)
    rest.setflags(write=False)
    return rest


def _mimic(joint: Joint, value: object, what: str) -> Mimic | None:
    """A Mimic, or None."""
    if value is None:
        return None
    if not isinstance(value, Mimic):
        raise MechanismError(f"{what} of joint {joint.name!r} must be a Mimic or None, got {shown(value)}")
    if value.joint == joint.name:
        raise MechanismError(f"{what} of joint {joint.name!r} follows that joint itself; name another one")
    return value


def _annotations(joint: Joint, value: Any, what: str) -> dict[str, dict[str, str]]:
    """A copy of name -> {attribute: text}."""
    named = f"{what} of joint {joint.name!r}"
    if not isinstance(value, Mapping):
        raise MechanismError(f"{named} must be a mapping of names to attributes, got {shown(value)}")
    kept: dict[str, dict[str, str]] = {}
    for tag, attributes in value.items():
        plain = isinstance(attributes, Mapping) and all(isinstance(t, str) for a in attributes.items() for t in a)
        if not (isinstance(tag, str) and plain):
            raise MechanismError(f"{named} must be names with attributes and texts, got {shown({tag: attributes})}")
        kept[tag] = dict(attributes)
    return kept


UP = np.array([0.0, 0.0, 1.0])
UP.flags.writeable = False
DEFAULTS: dict[str, Any] = {  # of a joint's parameters, as they are kept
    **dict.fromkeys(("position_limits", "velocity_limit", "effort_limit", "mimic", "static_friction"), None),
    **dict.fromkeys(("no_load_speed", "cone_limit", "twist_limits"), None),
    **dict.fromkeys(("rotor_inertia", "damping", "friction", "stiffness", "limit_restitution"), 0.0),
    "static_threshold": 1e-3,
    "limit_softness": (0.0, 0.0),
    "twist_axis": UP,
}


class Joint(Edited):
    """A joint between two bodies; `Mechanism.attach` puts it in place.

    Parameters
    ----------
    name : str
        Unique within a mechanism.
    joint_type : JointType
        What it allows: one of the types in rbdyn.mechanism.joints, such as Revolute(axis).
    position_limits : (lower, upper), or a sequence of them, optional
        Hard stops of a one-dof joint [rad or m]; for Planar and Universal a pair, or None, for each degree of freedom;
        for Spherical (0, angle): the largest rotation angle [rad].  None, or lower == upper, means no limit.
        those of SinCosRevolute are finite and less than a turn apart.  Fixed, Floating and SPQuatFloating have none.
    velocity_limit, effort_limit : float, optional
        Largest speed [rad/s or m/s] and force [N m or N] per degree of freedom.  None means no limit.
    rotor_inertia : float
        Reflected inertia of the motor (gear ratio squared already in it), added to the mass matrix's diagonal
        [kg m^2 or kg].
    damping : float
        Viscous damping [N m s/rad or N s/m].
    friction : float
        Dry friction while the joint slides, per degree of freedom [N m or N].
    static_friction : float, optional
        Dry friction at rest, `friction` or more; the same if left out.
    static_threshold : float
        Speed from which the joint slides [rad/s or m/s]; below it friction lies between the two in proportion.  0
        switches static friction off.
    limit_restitution : float
        Share of the speed that comes back from the hard stops, 0 to 1.
    limit_softness : float or (float, float)
        How far position limits, those of Spherical joints too, give way for a unit of force [rad/(N m) or m/N], and
        what damps that [N m s/rad or N s/m]; 0: not at all.  Instead of `limit_restitution`.
    cone_limit : float, optional
        Of a Spherical joint: the largest angle between the twist axis before and after it [rad].
    twist_limits : (lower, upper), optional
        Of a Spherical joint: the least and largest turn about the twist axis, after the shortest turn that brings the
        axis to where it is [rad], from -pi to pi.
    twist_axis : (3,) array_like
        Of a Spherical joint, the same in both joint frames; normalised.
    no_load_speed : float, optional
        Speed at which the motor gives nothing more in its direction [rad/s or m/s]: what it can give falls from the
        effort limit, at rest, in proportion to the speed.  None: the effort limit holds at any speed.
    stiffness : float
        Spring stiffness [N m/rad or N/m].
    spring_reference : (num_positions,) array_like, optional
        Configuration at which the spring is at rest; the neutral one by default.  Normalised as `State.set` does.
    mimic : Mimic, optional
        The joint that this one follows, in a World; both have one coordinate.

    Attributes
    ----------
    frame_before, frame_after : CartesianFrame
        The joint frames on the parent's and on the child's side.

    Raises
    ------
    MechanismError
        If a number is out of range or NaN, or the limits are in the wrong order or on a Floating joint; if a
        quaternion or a pair [sine, cosine] of `spring_reference` is not of unit length; if `mimic` is no Mimic.
    """

    def __init__(
        self,
        name: str,
        joint_type: JointType,
        position_limits: Any = None,
        velocity_limit: float | None = None,
        effort_limit: float | None = None,
        rotor_inertia: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
        stiffness: float = 0.0,
        spring_reference: ArrayLike | None = None,
        mimic: Mimic | None = None,
        static_friction: float | None = None,
        static_threshold: float = 1e-3,
        limit_restitution: float = 0.0,
        no_load_speed: float | None = None,
        cone_limit: float | None = None,
        twist_limits: tuple[float, float] | None = None,
        twist_axis: ArrayLike = (0.0, 0.0, 1.0),
        limit_softness: float | tuple[float, float] = 0.0,
    ) -> None:
        self._name = checked_name(name, "a joint's name", error=MechanismError)
        if type(joint_type) not in TYPES:
            choices = ", ".join(f"{t.__name__}({', '.join(f.name for f in fields(t))})" for t in TYPES)
            raise MechanismError(f"joint_type of joint {name!r} must be one of {choices}; got {shown(joint_type)}")
        self._joint_type: JointType = joint_type
        self.__dict__ |= DEFAULTS  # most joints of most robots have most of them: checking these is half the cost
        for parameter, value in (
            ("position_limits", position_limits),
            ("velocity_limit", velocity_limit),
            ("effort_limit", effort_limit),
            ("rotor_inertia", rotor_inertia),
            ("damping", damping),
            ("friction", friction),
            ("stiffness", stiffness),
            ("mimic", mimic),
            ("static_friction", static_friction),
            ("static_threshold", static_threshold),
            ("limit_restitution", limit_restitution),
            ("limit_softness", limit_softness),
            ("no_load_speed", no_load_speed),
            ("cone_limit", cone_limit),
            ("twist_limits", twist_limits),
            ("twist_axis", twist_axis),
        ):
            if value is not GIVEN[parameter] and not (type(value) is float and value == GIVEN[parameter]):
                setattr(self, parameter, value)
        self.spring_reference = spring_reference
        self.__dict__["annotations"] = {}
        self.frame_before = CartesianFrame(f"before_{name}")
        self.frame_after = CartesianFrame(f"after_{name}")

    _constant = frozenset({"_name", "_joint_type", "spring_reference", *DEFAULTS})

    position_limits = Parameter(
        lambda joint, value, _: _limits(joint, value),
        "Hard stops (lower, upper) [rad or m], of several degrees of freedom a tuple of such; None for no limit.",
    )
    velocity_limit = Parameter(_bound, "Largest speed [rad/s or m/s]; None for no limit.")
    effort_limit = Parameter(_bound, "Largest force [N m or N]; None for no limit.")
    rotor_inertia = Parameter(_passive, "Reflected inertia of the motor [kg m^2 or kg].")
    damping = Parameter(_passive, "Viscous damping [N m s/rad or N s/m].")
    friction = Parameter(_friction, "Dry friction while the joint slides [N m or N].")
    static_friction = Parameter(_static, "Dry friction at rest [N m or N]; None: as while it slides.")
    static_threshold = Parameter(_passive, "Speed from which the joint slides [rad/s or m/s].")
    limit_restitution = Parameter(_share, "Share of the speed that comes back from the hard stops, 0 to 1.")
    limit_softness = Parameter(_stops, "How hard stops give way, (softness [rad/(N m) or m/N], damping).")
    no_load_speed = Parameter(_speed, "Speed at which the motor gives nothing more [rad/s or m/s]; None: at none.")
    stiffness = Parameter(_passive, "Spring stiffness [N m/rad or N/m].")
    cone_limit = Parameter(_cone, "Largest angle between the twist axis before and after the joint [rad], or None.")
    twist_limits = Parameter(_twist, "Least and largest turn about the twist axis [rad]; None for no limit.")
    twist_axis = Parameter(_axis, "Axis of the twist, (3,) of unit length, in both joint frames.")
    mimic = Parameter(_mimic, "The joint that this one follows, or None.")
    annotations = Parameter(
        _annotations,
        "What its file says of it for other programs, element -> {attribute: text}, such as safety_controller and "
        "calibration: without effect, and written back.",
    )
    spring_reference = Parameter(_reference, "Configuration at which the spring is at rest, (num_positions,).")

    @property
    def joint_type(self) -> JointType:
        """What the joint allows; its kind is fixed, since it decides how q and v are laid out."""
        return self._joint_type

    @property
    def axis(self) -> tuple[float, float, float]:
        """Axis of a joint with one degree of freedom, in its frames, of unit length; assign to change it.

        Raises
        ------
        MechanismError
            If the joint has no axis, or it is set to no direction.
        """
        return self._one_axis().axis

    @axis.setter
    def axis(self, value: ArrayLike) -> None:
        kind = self._one_axis()
        what = f"axis of joint {self.name!r}"
        turned = replace(kind, axis=unit_axis(as_vector(value, 3, what, error=MechanismError), what))
        put(self.__dict__, "_joint_type", turned, self._revision)

    def _one_axis(self) -> OneAxis:
        """Its type, which has an axis; MechanismError for others."""
        if not isinstance(self.joint_type, OneAxis):
            kind = type(self.joint_type).__name__
            raise MechanismError(f"joint {self.name!r} has no axis: it is a {kind} joint, and not of one axis")
        return self.joint_type

    @property
    def name(self) -> str:
        """Unique within a mechanism; fixed, since others look joints up by it."""
        return self._name

    @property
    def limits_of_each(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) of each degree of freedom, infinite where there is no limit [rad or m].

        Limits of a ball are of no degree of freedom, and not among them.
        """
        limits, n = self.position_limits, self.num_velocities
        if limits is None or not self.joint_type.has_limits:
            return n * ((-math.inf, math.inf),)
        return (limits,) if n == 1 else limits

    @property
    def num_positions(self) -> int:
        """Number of configuration variables."""
        return self.joint_type.num_positions

    @property
    def num_velocities(self) -> int:
        """Number of degrees of freedom."""
        return self.joint_type.num_velocities

    def copy(self, name: str | None = None) -> Joint:
        """A copy with fresh frames, and another name if given."""
        twin = Joint.__new__(type(self))
        twin.__dict__.update(self.__getstate__())
        twin._name = checked_name(self.name if name is None else name, "a joint's name", error=MechanismError)
        twin.annotations = self.annotations
        twin.frame_before = CartesianFrame(f"before_{twin.name}")
        twin.frame_after = CartesianFrame(f"after_{twin.name}")
        return twin

    def flipped(self) -> Joint:
        """The reversed joint, from the successor to the predecessor: a new one of the same name, with fresh frames.

        With one degree of freedom the axis is negated, so that q and v keep their values, and with them the position
        limits and the spring's reference.  A Universal joint has its axes negated and exchanged, and with them its two
        coordinates.  The others keep their type and their limits; q, v and the spring's reference are then those of the
        inverse motion.

        Raises
        ------
        MechanismError
            If the joint mixes translations and rotations (Planar, Floating, SPQuatFloating) and has a rotor, damping,
            friction, position limits or a spring that does not rest with both origins in one place: they act along the
            axes of the before-frame at the origin of the after-frame, and no number of theirs means the same the other
            way round.
        """
        self._check_reversible()
        twin = self.copy()
        twin.position_limits = None
        twin._joint_type = self.joint_type.flipped()
        twin.position_limits = self.joint_type.flipped_limits(self.position_limits)
        if self.num_velocities > 1:
            twin.spring_reference = self.joint_type.flipped_configuration(self.spring_reference)
        if self.twist_limits is not None:
            twin.twist_limits = (-self.twist_limits[1], -self.twist_limits[0])
        return twin

    def _check_reversible(self) -> None:
        """MechanismError if the reversed joint cannot have the same passive forces and rotors."""
        translations = self.joint_type.num_translations
        if translations in (0, self.num_velocities):
            return
        passive = [name for name in ("rotor_inertia", "damping", "friction") if getattr(self, name)]
        if self.stiffness and self.spring_reference[:translations].any():
            passive.append("stiffness")
        if self.position_limits is not None:
            passive.append("position_limits")
        if passive:
            raise MechanismError(
                f"joint {self.name!r} ({self.joint_type.kind}) cannot be reversed: its {' and '.join(passive)} would "
                "act along other axes; set them to 0, or choose a tree (next_edge) that keeps the joint as it is"
            )

    def __copy__(self) -> Joint:
        return self.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for array in (self.spring_reference, self.twist_axis):  # copies of arrays are writeable
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.joint_type!r})"


GIVEN = {name: parameter.default for name, parameter in inspect.signature(Joint).parameters.items()}
