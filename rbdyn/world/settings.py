"""World's settings of materials and of the contact solver; they are methods of World, written in Python."""

from __future__ import annotations

from rbdyn.contact import MaterialPair
from rbdyn.errors import Error


def set_contact_solver_param(
    world, alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0, max_iterations=150, threshold=1e-8
):
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
    world._check_idle()
    wanted = {"alpha_init": alpha_init, "alpha_min": alpha_min, "alpha_decay": alpha_decay,
              "max_iterations": max_iterations, "threshold": threshold}
    known = getattr(world.contact, "parameters", {})
    if "max_iterations" not in known:
        raise Error(f"{type(world.contact).__name__} has no sweeps to set parameters of")
    foreign = [name for name in ("alpha_init", "alpha_min", "alpha_decay") if name not in known]
    for name in foreign:
        if wanted.pop(name) != 1.0:
            raise Error(f"{type(world.contact).__name__} has no parameter {name}; known: {', '.join(known)}")
    world.contact.configure(**wanted)


def set_material_pair(
    world, a, b, friction, restitution=0.0, threshold=0.0, static_friction=None, static_threshold=0.0
):
    """What happens when materials `a` and `b` meet, in either order.

    Parameters
    ----------
    a, b : str
        Material names.
    friction, restitution, threshold, static_friction, static_threshold : float
        As in `rbdyn.contact.MaterialPair`.

    Raises
    ------
    ContactError
        If a name or a value is refused.
    """
    pair = MaterialPair(friction, restitution, threshold, static_friction, static_threshold)
    world._check_idle()
    world.materials.set(a, b, pair)


def set_default_material(world, friction=0.8, restitution=0.0, threshold=0.0):
    """Properties of every pair of materials that `set_material_pair` was not told about.

    Parameters
    ----------
    friction, restitution, threshold : float
        As in `rbdyn.contact.MaterialPair`.

    Raises
    ------
    ContactError
        If a value is out of range.
    """
    world._check_idle()
    world.materials.default = MaterialPair(friction, restitution, threshold)
