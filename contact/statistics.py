"""How a contact solver did over many steps."""

from __future__ import annotations

from typing import NamedTuple


class ContactStatistics(NamedTuple):
    """Counts over the steps of the latest ``world.step(n)``: `ContactSolver.statistics`.

    Attributes
    ----------
    steps : int
        Solved, with or without contacts.
    unconverged : int
        Of them, how many ended with a residual above the tolerance.
    rescued : int
        Islands, over all steps, that are ``compliant`` or ``replaced``.
    iterations : int
        Sweeps and steps of Newton's method in all.
    worst_error : float
        Largest residual of a step [m/s]: the velocity change of the last sweep, or what Newton's method left.
    worst_object : str or None
        Robot or body with that residual: one of its island.  None: there is no residual, or no World.
    swept, refined : int
        Islands, over all steps, that sweeps solved, and that Newton's method solved.
    given_up : int
        Islands that took all iterations that they may, and were not solved.
    compliant : int
        Islands whose laws no velocities meet: they have those that miss them least.
    replaced : int
        Islands whose impulses would have made energy, or were not finite.

    Examples
    --------
    >>> world = World()
    >>> _ = world.add_ground(), world.add_sphere(0.1, 1.0)
    >>> world.step(100)
    >>> world.contact.statistics.unconverged
    0
    """

    steps: int
    unconverged: int
    rescued: int
    iterations: int
    worst_error: float
    worst_object: str | None
    swept: int
    refined: int
    given_up: int
    compliant: int
    replaced: int
