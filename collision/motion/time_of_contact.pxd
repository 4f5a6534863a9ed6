# Contacts of two shapes that move fast: where they meet within the step, if they do.
#
# A body that is found only when it is near goes in by up to one step's way, or through.  Margins as large as that way
# make planes of whatever edge is near, and stop what the motion never reaches (ghost contacts).  So the motion is
# followed to the first time at which the shapes are in each other by TOUCH of the margin: conservative advancement
# (B. Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996, section 2.3.2) until they touch, then from
# one contact's arrival to the next.  Contacts are those of that time, seen from the step's start: a row
# v_n >= depth / dt lets each body go just there.  Bodies that do not meet keep what their motion obeys anyhow.

from rbdyn.collision.motion.path cimport MovingShape
from rbdyn.collision.pair_table cimport PairEntry
from rbdyn.collision.sink cimport Sink
from rbdyn.spatial._algebra cimport Vec3

cdef enum Outcome:
    FREE                           # no contacts, or such as stop nothing
    STOPS                          # contacts that may stop what moves towards them
    ALONGSIDE                      # none, but the one would run into the other if that were stopped

cdef Outcome collide_moving(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                            Sink* sink, double gap, Vec3* axis) noexcept nogil
cdef bint collide_if_stopped(const PairEntry* table, MovingShape* a, MovingShape* b, double margin,
                             Sink* sink) noexcept nogil
