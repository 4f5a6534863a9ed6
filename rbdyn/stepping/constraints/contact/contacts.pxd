# Contacts as a source of constraints: a cone each, in the order of detection.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, vec3
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:
    CONTACT_SOURCE = 1        # Key.source; id_a and id_b are shapes

cdef Count count_contacts(const Scene* s) noexcept nogil
cdef int write_contacts(const Scene* s, Builder* b) except -1 nogil
cdef void read_contacts(const Scene* s, const ContactProblem* p, Share share) noexcept nogil

cdef inline Vec3 cone_impulse(const ContactProblem* p, int i) noexcept nogil:
    """Impulse of cone i on its side A, world axes [N s]."""
    cdef const double* E = p.frame + 9 * i
    cdef const double* l = p.impulse + 3 * i
    return vec3(E[0] * l[0] + E[3] * l[1] + E[6] * l[2],
                E[1] * l[0] + E[4] * l[1] + E[7] * l[2],
                E[2] * l[0] + E[5] * l[1] + E[8] * l[2])
