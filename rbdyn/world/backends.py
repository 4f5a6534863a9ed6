"""The backends of a World, from objects, names, or nothing for the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rbdyn.arguments import shown
from rbdyn.collision import NativeBackend
from rbdyn.collision.backend import CollisionBackend
from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver
from rbdyn.errors import Error
from rbdyn.world.arguments import option

CONTACT_MARGIN = 1e-4  # [m] nearer than this counts as a contact; it may close, no further (docs/decisions.md)

_B = TypeVar("_B")


def chosen(collision: Any, contact: Any, position_solver: Any) -> tuple[CollisionBackend, ContactSolver, ContactSolver]:
    """The three of a World, from its arguments of these names."""
    solvers = _contact_solver(contact), _position_solver(position_solver)
    if solvers[0] is solvers[1]:
        raise Error("contact and position_solver must be two objects: each remembers the impulses of its own problems")
    return _collision_backend(collision), *solvers


def _collision_backend(value: Any) -> CollisionBackend:
    """Of a World's argument `collision`."""

    def native() -> CollisionBackend:
        return NativeBackend(margin=CONTACT_MARGIN)

    def fcl() -> CollisionBackend:
        from rbdyn.collision import FCLBackend  # loads the library

        return FCLBackend(margin=CONTACT_MARGIN)

    def coal() -> CollisionBackend:
        from rbdyn.collision import CoalBackend  # likewise

        return CoalBackend(margin=CONTACT_MARGIN)

    kinds = {"native": native, "fcl": fcl, "coal": coal}
    return _backend(value, kinds, CollisionBackend, "collision")


def _contact_solver(value: Any) -> ContactSolver:
    """Return the solver that a World's argument `contact` names."""
    return _backend(value, {"bisection": BisectionSolver, "pgs": PGSSolver}, ContactSolver, "contact")


def _position_solver(value: Any) -> ContactSolver:
    """Return the solver that a World's argument `position_solver` names."""

    def bisection() -> ContactSolver:
        return BisectionSolver(max_iterations=30)

    def pgs() -> ContactSolver:
        return PGSSolver(max_iterations=30)

    return _backend(value, {"bisection": bisection, "pgs": pgs}, ContactSolver, "position_solver")


def _backend(value: Any, kinds: dict[str, Callable[[], _B]], base: type[_B], name: str) -> _B:
    if value is None:
        value = next(iter(kinds))
    if isinstance(value, str):
        return kinds[option(value, f"{name} backend", kinds)]()
    if not isinstance(value, base):
        raise Error(f"{name} must be a {base.__name__} or one of {', '.join(kinds)}, got {shown(value)}")
    return value
