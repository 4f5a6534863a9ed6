# Bodies that have met fast, and would be in each other before the step is over: they wait.
#
# What is hit off its centre turns at once, and meets what hit it again: small bodies may do so many times in a step.
# One blow a pair is solved in a step.  Bodies that would go in move on together, as their common centre of mass does,
# without turning, and meet again in the next step.  So no momentum changes, angular or linear, nor its centre's way.
# Bodies that wait for what no impulse moves, or for a robot, also move on without turning, as far as that leads into
# nothing: convex shapes that part, or slide, along the normal at which they touch stay apart.  So what rolls fast loses
# some of its rotation in a step, and not of its way.  What gravity has done to its energy for a fall that does not
# take place is taken back.

from rbdyn.collision._types cimport ContactBuffer
from rbdyn.collision.shape_table cimport Table
from rbdyn.stepping.scene cimport Scene

cdef int find_waits(Scene* s, const Table* shapes, ContactBuffer* room) except -1 nogil
