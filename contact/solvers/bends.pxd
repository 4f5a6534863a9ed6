# What turns out of rows that are kept must make no energy.
#
# A joint between two bodies, or a taut wire, asks its row for -h at the end of a step that it begins with about h:
# what turns out of the row in the step is 2 h, and the mean is nothing (problem.pxd: bend).  Its impulse then works
# with the mean of h and -h.  Where rows depend on one another through what carries them the h of some contradict those
# of others, and what moves a little in the direction of that is asked for far more than it begins with: by impulses
# that grow with 1 / mobility, and do work.  So the work of contacts and hard rows is judged, before it reaches a body,
#
#     2 W = sum lam . (v+ + v-)
#
# with the bodies' own velocities before the step and after the impulses, beside sum lam . (v+ - v_free).  For one
# direction that begins with s and is asked for -h that is (h - s) to (h + s): a part of the order of the step where
# motion is resolved, a third where it begins from rest, one where rows contradict one another.  An island with too
# large a part gives its bends up: its rows keep v+ = 0, of which impulses gain nothing that forces and the step's
# start have not brought.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem

cdef bint drop_bends(Island* island, const ContactProblem* p) noexcept nogil
