"""World's settings of materials and of the contact solver; they are methods of World, written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rbdyn.contact import MaterialPair
from rbdyn.errors import Error

if TYPE_CHECKING:
    from rbdyn.world.world import World


def set_contact_solver_param(
    world: World,
    alpha_init: float = 1.0,
    alpha_min: float = 1.0,
    alpha_decay: float = 1.0,
    max_iterations: int = 150,
    threshold: float = 1e-8,
) -> None:
    """Parameters of the contact solver's sweep; for solvers that have them.

    Parameters
    ----------
    alpha_init, alpha_min, alpha_decay : float
        Under-relaxation of the sweeps, 1 for none.
    max_iterations : int
        Largest number of sweeps.
    threshold : float
        A sweep that changes no contact velocity by more ends the solve [m/s].
    """
    world._check_settable()
    wanted: dict[str, Any] = {
        "alpha_init": alpha_init,
        "alpha_min": alpha_min,
        "alpha_decay": alpha_decay,
        "max_iterations": max_iterations,
        "threshold": threshold,
    }
    known = getattr(world.contact, "parameters", {})
    if "max_iterations" not in known:
        raise Error(f"{type(world.contact).__name__} has no sweeps to set parameters of")
    foreign = [name for name in ("alpha_init", "alpha_min", "alpha_decay") if name not in known]
    for name in foreign:
        if wanted.pop(name) != 1.0:
            raise Error(f"{type(world.contact).__name__} has no parameter {name}; known: {', '.join(known)}")
    world.contact.configure(**wanted)
    world._check_editable()


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
