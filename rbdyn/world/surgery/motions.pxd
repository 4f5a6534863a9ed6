from rbdyn.world.surgery.draft cimport Draft

cdef int carry_motion(list robots, Draft draft, object plan) except -1
