"""Hard contact: solvers for one step's contact impulses, and material pairs.

Usable without a World: make a `Problem`, give it to ``solver.solve``, read ``problem.impulse``.
"""

from rbdyn.contact.materials import MaterialPair, MaterialTable
from rbdyn.contact.solver import ContactSolver
from rbdyn.contact.solvers.bisection import BisectionSolver
from rbdyn.contact.solvers.pgs import PGSSolver
from rbdyn.contact.statistics import ContactStatistics
from rbdyn.contact.views.problem import Problem
from rbdyn.contact.views.view import ContactView

__all__ = [
    "BisectionSolver",
    "ContactSolver",
    "ContactStatistics",
    "ContactView",
    "MaterialPair",
    "MaterialTable",
    "PGSSolver",
    "Problem",
]
