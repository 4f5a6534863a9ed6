from rbdyn.model.model cimport Model
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry

cdef int catch_up(Registry registry) except -1
cdef int renew(Registry registry, ArticulatedSystem robot) except -1
cdef int renew_now(Registry registry, ArticulatedSystem robot) except -1
cdef int take_back(Registry registry, ArticulatedSystem robot) except -1
cdef int renew_places(Registry registry, ArticulatedSystem robot) except -1
cdef int renew_axis(Registry registry, ArticulatedSystem robot, object joint) except -1
cdef object checked_q(ArticulatedSystem robot, Model fresh, bint moved)
cdef int check_dynamics(ArticulatedSystem robot) except -1
cdef int settle(ArticulatedSystem robot) except -1
