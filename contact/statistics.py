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
        Islands, over all steps, whose laws no velocities meet, or whose impulses would have made energy or were not
        finite, and were replaced by admissible ones.
    iterations : int
        Sweeps and steps of Newton's method in all.
    worst_error : float
        Largest residual of a step [m/s]: the velocity change of the last sweep, or what Newton's method left.

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
