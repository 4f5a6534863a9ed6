from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry

cdef int set_joint(Registry registry, ArticulatedSystem robot, object joint, dict values) except -1
cdef int place_joint(Registry registry, ArticulatedSystem robot, object joint, object joint_pose,
                     object successor_pose) except -1
