from rbdyn.model._model cimport CData, CModel
from rbdyn.stepping.links cimport Link
from rbdyn.stepping.scene cimport Scene, System
from rbdyn.stepping.sleeping cimport Slumber

cdef int build_system(System* r, const CModel* m, CData* d) except -1
cdef void give_back(System* s) noexcept

cdef class SceneMemory:
    cdef Scene scene
    cdef Slumber slumber                 # contacts of what sleeps
    cdef list free_handles               # freed runs of body handles: (length, start)
    cdef int add_single(self) except -1
    cdef int remove_single(self, int k) except -1
    cdef int add_system(self, const CModel* m, CData* d) except -1
    cdef int append_system(self, System* other) except -1
    cdef int withdraw_system(self, System* other) except -1
    cdef int swap_system(self, int k, System* other) except -1
    cdef int remove_system(self, int k) except -1
    cdef int choose_systems(self, const int* wanted, int n) except -1
    cdef int make_room_for_singles(self, int n) except -1
    cdef int make_room_for_bodies(self, int n) except -1
    cdef int take_handles(self, int count) except -1
    cdef int add_link(self, int kind, Link* link) except -1
    cdef int remove_link(self, int kind, const Link* link) except -1
    cdef int make_room_for_shape(self, int shape_id) except -1
