# Islands: blocks that act on one another.  What is judged of a solve, and taken back, is judged island by island, so
# that a robot in trouble does not disturb what it does not touch.

from rbdyn.contact.operator cimport Operator

cdef int find_islands(Operator* G) except -1 nogil
