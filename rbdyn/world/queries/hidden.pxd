# Shapes that a query leaves out.

from rbdyn.world.registry.registry cimport Registry

cdef set hidden_shapes(Registry registry, object things, str name)
cdef tuple names_of(Registry registry, int shape_id)
