# Two sweeps in the same direction: impulses drift, at constant or slowly falling speed, until a contact meets its cone.
#
# Where impulses can change and move nothing (two corners that push one another, four corners of a face), and targets
# differ by rounding, each sweep walks the same small step, and thousands follow.  Nothing new happens on the way to the
# first cone boundary or bound: go there at once, and let the next sweeps see what follows.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson

cdef enum:
    LEG = 16                 # sweeps after a drift step in which the error must come down again
    ARRIVED = 2              # to so many times the best

cdef bint drift(const Operator* G, Anderson* A, double* impulse) noexcept nogil
cdef bint follow(const Operator* G, const double* direction, double most, double* impulse) noexcept nogil
