from rbdyn.model.model cimport Model, Placement

cdef bint same_layout(Model model, Model fresh) except -1
cdef bint same_places(Model model, Model fresh) except -1
cdef int take_over(Model model, Model fresh) except -1
cdef bint same_place(Placement a, Placement b) noexcept
cdef int put_joint_pose(Model model, object joint, object edge) except -1
cdef int put_array(Model model, str name, object place, object value) except -1
