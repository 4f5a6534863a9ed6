"""Keep and restore the scratch that the first phases of a step overwrite: preview.pxd."""

from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.memory cimport Arena, grow
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.scene cimport Scene, SingleControl, SingleScratch, System


cdef size_t carry(char* start, const Scene* s, bint back) noexcept nogil:
    """Copy all of it to `start`, or back; returns its size.  With NULL it is measured.

    Systems go as they are: their arrays stay where they are meanwhile.
    """
    cdef size_t done = 0
    cdef System* r
    cdef int kind, k
    done += part(start, done, s.single_control, s.n_single * sizeof(SingleControl), back)
    done += part(start, done, s.single_scratch, s.n_single * sizeof(SingleScratch), back)
    for k in range(s.n_system):
        r = s.system + k
        done += part(start, done, r, sizeof(System), back)
        done += arena(start, done, &r.control_memory, back)
        done += arena(start, done, &r.work_memory, back)
        done += arena(start, done, &r.ahead.memory, back)
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            done += part(start, done, s.link[kind].item[k], sizeof(Link), back)
    return done


cdef size_t part(char* start, size_t done, void* array, size_t size, bint back) noexcept nogil:
    """Copy one array to, or from, behind what is done; returns its size."""
    if start != NULL and size > 0:
        if back:
            memcpy(array, start + done, size)
        else:
            memcpy(start + done, array, size)
    return size


cdef size_t arena(char* start, size_t done, const Arena* a, bint back) noexcept nogil:
    """Copy all arrays of an arena."""
    return part(start, done, a.first, a.used, back)


cdef int keep_scratch(Preview* kept, const Scene* s) except -1:
    """Keep what the first phases of a step overwrite."""
    grow(&kept.bytes, &kept.room, carry(NULL, s, False), 1)
    carry(<char*> kept.bytes, s, False)
    return 0


cdef void return_scratch(const Preview* kept, Scene* s) noexcept nogil:
    """Put it back; objects and constraints are those that there were."""
    carry(<char*> kept.bytes, s, True)


cdef void free_preview(Preview* kept) noexcept:
    free(kept.bytes)
