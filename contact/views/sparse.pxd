# The Jacobian of a contact problem, sparse, for solvers written in Python.

from rbdyn.contact.problem cimport ContactProblem

cdef object jacobian_of(const ContactProblem* p)
