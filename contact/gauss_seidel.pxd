# Gauss-Seidel over contacts: visit one contact after the other, each time with its local problem solved exactly.

from rbdyn.contact.anderson cimport Anderson
from rbdyn.contact.local cimport Law, Method
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef enum:
    PLAIN_SWEEPS = 8         # sweeps before Anderson acceleration starts: most steps need fewer

cdef struct Settings:
    Law law
    Method method
    int max_iterations
    double threshold         # [m/s] on the largest velocity change of a sweep
    double alpha_init, alpha_min, alpha_decay    # alpha <- alpha_min + alpha_decay (alpha - alpha_min) after each sweep
    int patience             # give up after so many sweeps without one percent of progress
    bint anderson            # used only while every alpha is 1
    bint backward            # visit from the last contact to the first


cdef void gauss_seidel(Operator* G, Anderson* A, const Settings* s, ContactProblem* p, double* history) noexcept nogil
