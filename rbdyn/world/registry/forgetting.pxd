# What a contact solver starts the next step from, without what is of things that were moved by hand or are gone.

from rbdyn.contact.solver cimport ContactSolver

cdef int forget_impulses(ContactSolver solver, bytearray own, long system, set links) except -1
cdef bytearray marked(list shape_ids)
