from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State
from rbdyn.stepping.scene cimport System
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem

cdef class Draft:
    cdef Model model
    cdef State state
    cdef System system               # built aside, until it changes places with what is there
    cdef readonly object mechanism
    cdef ArticulatedSystem robot     # whose it will be
    cdef bint fresh                  # a robot that was not there before
    cdef int handle                  # of its run of body handles, -1 before it has one
    cdef dict origin                 # joint with coordinates -> (robot, joint) that had them
    cdef list followed               # joints that got theirs from how their bodies moved

cdef inline int link_of(Model model, object joint) except -1:
    """Internal index of a joint of the tree that moves."""
    return model.joint_index[joint.name] + model.base
