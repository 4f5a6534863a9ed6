from rbdyn.world.surgery.draft cimport Draft

cdef int carry_control(list robots, Draft draft, dict old) except -1
