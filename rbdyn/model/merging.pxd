from rbdyn.model.model cimport Model
from rbdyn.spatial.constants cimport Inertiad

cdef list parts_of(Model model, int link)
cdef int put_inertia(Model model, int link, Inertiad I) except -1
