from rbdyn.world.registry.registry cimport Registry

cdef list holds_on(Registry registry, list robots)
cdef list plans_of(list held, list robots, list drafts, object plan)
cdef int move_ends(list planned) except -1
