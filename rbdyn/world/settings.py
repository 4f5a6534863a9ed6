"""World's settings of materials and of the contact solver; they are methods of World, written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rbdyn.contact import MaterialPair
from rbdyn.errors import Error

if TYPE_CHECKING:
    from rbdyn.world.world import World


def set_contact_solver_param(
    world: World,
    alpha_init: float | None = None,
    alpha_min: float | None = None,
    alpha_decay: float | None = None,
    max_iterations: int | None = None,
    threshold: float | Literal["auto"] | None = None,
) -> None:
    """Set parameters of the contact solver's sweeps; those left out keep their values.

    Parameters
    ----------
    alpha_init, alpha_min, alpha_decay : float, optional
        Under-relaxation of the sweeps, 1 for none.
    max_iterations : int, optional
        Largest number of sweeps.
    threshold : float or "auto", optional
        A sweep that changes no contact velocity by more ends the solve [m/s].

    Raises
    ------
    Error
        If the solver has no such parameter, or the value is out of range; the solver is then unchanged.
    """
    world._check_settable()
    given: dict[str, Any] = {
        "alpha_init": alpha_init,
        "alpha_min": alpha_min,
        "alpha_decay": alpha_decay,
        "max_iterations": max_iterations,
        "threshold": threshold,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    known = getattr(world.contact, "parameters", {})
    if "max_iterations" not in known:
        raise Error(f"{type(world.contact).__name__} has no sweeps to set parameters of")
    foreign = [name for name in ("alpha_init", "alpha_min", "alpha_decay") if name not in known]
    for name in foreign:
        if wanted.pop(name, 1.0) != 1.0:
            raise Error(f"{type(world.contact).__name__} has no parameter {name}; known: {', '.join(known)}")

    def configure() -> None:
        world.contact.configure(**wanted)
        world._check_editable()

    world._as_one(configure)


def ignore_collision(world: World, a: Any, b: Any) -> None:
    """Two objects, or bodies of robots, never collide with one another from now on; `allow_collision` undoes it.

    Parameters
    ----------
    a, b : WorldObject, str, (robot, "body name") or BodyRef
        A robot alone stands for all of its bodies.  Bodies that fixed joints hold to one another are one here.

    Raises
    ------
    Error
        If they are on one body, which never collides with itself.
    RemovedError
        If one of them is not in this World.
    BusyError
        While the World steps, or between the halves of a step.

    Examples
    --------
    >>> world.ignore_collision((robot, "LF_SHANK"), ground)  # doctest: +SKIP
    """
    world._check_settable()
    world._edits.ignore_collision(a, b, True)


def allow_collision(world: World, a: Any, b: Any) -> None:
    """Undo `ignore_collision`: they collide if their groups and masks let them.

    Parameters
    ----------
    a, b : WorldObject, str, (robot, "body name") or BodyRef
        As for `ignore_collision`; also of a part of what was ignored.
    """
    world._check_settable()
    world._edits.ignore_collision(a, b, False)


def set_material_pair(
    world: World,
    a: str,
    b: str,
    friction: float,
    restitution: float = 0.0,
    threshold: float = 0.0,
    static_friction: float | None = None,
    static_threshold: float = 0.0,
    torsional_friction: float = 0.0,
    rolling_friction: float = 0.0,
) -> None:
    """What happens when materials `a` and `b` meet, in either order.

    Parameters
    ----------
    a, b : str
        Material names.
    friction, restitution, threshold, static_friction, static_threshold, torsional_friction, rolling_friction : float
        As in `rbdyn.contact.MaterialPair`.

    Raises
    ------
    ContactError
        If a name or a value is refused.
    """
    pair = MaterialPair(
        friction, restitution, threshold, static_friction, static_threshold, torsional_friction, rolling_friction
    )
    world._check_editable()
    world.materials.set(a, b, pair)


def set_default_material(
    world: World,
    friction: float = 0.8,
    restitution: float = 0.0,
    threshold: float = 0.0,
    torsional_friction: float = 0.0,
    rolling_friction: float = 0.0,
) -> None:
    """Properties of every pair of materials that `set_material_pair` was not told about.

    Parameters
    ----------
    friction, restitution, threshold, torsional_friction, rolling_friction : float
        As in `rbdyn.contact.MaterialPair`.

    Raises
    ------
    ContactError
        If a value is out of range.
    """
    pair = MaterialPair(
        friction,
        restitution,
        threshold,
        torsional_friction=torsional_friction,
        rolling_friction=rolling_friction,
    )
    world._check_editable()
    world.materials.default = pair
