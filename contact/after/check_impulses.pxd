# Impulses of a solver written in Python are held to the laws before they reach a body.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef int check_impulses(object solver, Operator* check, bint elastic, const ContactProblem* p) except -1 nogil
