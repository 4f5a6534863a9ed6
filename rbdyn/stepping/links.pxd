# What all constraints between bodies have in common: a point of a body, what acted, and the lists that a scene keeps.
#
# The struct of every kind begins with a Link; it belongs to an object of the World (world/constraints), and the scene
# has its address.  So it stays where it is while others come and go.

from rbdyn.spatial._algebra cimport Vec3

cdef enum:                    # kinds, each with a list in the scene
    WIRE_LINK = 0
    JOINT_LINK = 1            # welds, and joints between any two bodies
    COUPLING_LINK = 2         # of joint coordinates
    N_LINK_KINDS = 3

cdef enum:
    MOST_LINK_ROWS = 6

cdef struct Anchor:           # a point of a body
    int handle                # body handle, 0 for the world
    Vec3 at                   # from the origin of the pose that the scene has of it, body axes [m]

cdef struct Acted:            # what a constraint did in a step
    double dt                 # [s] of the step; 0 if there was none
    double[6] impulse         # of its rows, then along what a joint allows [N s or N m s]
    double[6] wrench          # moment [N m s] and impulse [N s] on its last end, world axes
    double drive              # of the motor of a joint [N s or N m s]

cdef struct Link:
    unsigned int id           # Key.id_a of its blocks: its number in its World, never given twice
    int rows                  # at most MOST_LINK_ROWS
    bint near                 # it may act in this step: it has a row
    bint holds                # and more than perhaps: bodies move as in contact
    int n_bodies
    int* body                 # (n_bodies,) handles of the bodies on which it acts
    Acted done                # in the latest step
    Acted last                # in the one before it
    Acted next                # in this one
    Acted[2] before           # done, and last, before the step of which this is a part

cdef struct LinkList:         # all of one kind, by ascending id
    int n
    Link** item
    size_t room
