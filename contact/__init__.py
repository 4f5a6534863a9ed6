"""Hard contact: solvers for one step's contact impulses, and material pairs.

Usable without a World: make a `Problem`, give it to ``solver.solve``, read ``problem.impulse``.
"""

from rbdyn.contact.bisection import BisectionSolver
from rbdyn.contact.materials import MaterialPair, MaterialTable
from rbdyn.contact.pgs import PGSSolver
from rbdyn.contact.solver import ContactSolver
from rbdyn.contact.view import ContactView, Problem

__all__ = [
    "BisectionSolver",
    "ContactSolver",
    "ContactView",
    "MaterialPair",
    "MaterialTable",
    "PGSSolver",
    "Problem",
]
