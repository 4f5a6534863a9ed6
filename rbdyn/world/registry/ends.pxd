from rbdyn.world.constraints.body_joint cimport BodyJoint
from rbdyn.world.constraints.coupling cimport Coupling
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.wire cimport Wire
from rbdyn.world.registry.registry cimport Registry

cdef End end_of(Registry registry, object given, str argument)
cdef BodyJoint make_joint(Registry registry, object a, object b, object joint, object pose_a, object pose_b)
cdef Wire make_wire(Registry registry, object points, object ratios, object settings)
cdef Coupling make_coupling(Registry registry, object coefficients, object offset)
