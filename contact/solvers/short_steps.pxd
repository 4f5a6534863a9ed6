# Sweeps in short steps: for robots whose contacts the exact visit of a cone throws to and fro.
#
# A cone whose normal and tangential mobility are coupled may have two answers to what the others do, open and pressed
# (Painleve).  The exact visit (cone/local.pxd) asks first whether it opens, so that where it leaves one answer for the
# other its impulse jumps, the others follow, and it comes back: sweeps go round for ever, however short their steps.
# Here a cone goes towards its law from where it is,
#
#     lam_n <- max(0, lam_n - v_n / g),   lam_t <- lam_t - v_t / g, cut to mu lam_n,      g >= |G_ii|
#
# which has the same fixed points, is continuous, and stays with the answer it has.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.settings cimport Settings

cdef double sweep_gently(Operator* G, double* impulse) noexcept nogil
cdef bint creep(Island* island, Anderson* A, const Settings* s) noexcept nogil
