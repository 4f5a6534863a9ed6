from rbdyn.archive cimport Archive
from rbdyn.stepping.scene cimport Scene

cdef void keep_settings(Archive* a, Scene* s) noexcept
cdef void keep_singles(Archive* a, Scene* s) noexcept
cdef void keep_systems(Archive* a, Scene* s) noexcept
cdef void keep_links(Archive* a, Scene* s) noexcept
