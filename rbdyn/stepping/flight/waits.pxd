# Bodies that have met fast, and would be in each other before the step is over: they wait.
#
# What is hit off its centre turns at once, and meets what hit it again: small bodies may do so many times in a step.
# One blow a pair is solved in a step.  Bodies that would go in move on together, as their common centre of mass does,
# without turning, and meet again in the next step.  So no momentum changes, angular or linear, nor its centre's way.

from rbdyn.collision._types cimport ContactBuffer
from rbdyn.collision.shape_table cimport Table
from rbdyn.stepping.scene cimport Scene

cdef int find_waits(Scene* s, const Table* shapes, ContactBuffer* room) except -1 nogil
