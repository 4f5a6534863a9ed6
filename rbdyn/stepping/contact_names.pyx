"""The names of contacts: contact_names.pxd.

Detection names a contact by the features that touch.  Where two of these are as good as each other, as two triangles
with an edge in common, rounding decides, and a contact that stays where it is has a new name.  It keeps the old one.
"""

from rbdyn.collision._types cimport ContactPoint
from rbdyn.spatial._algebra cimport Vec3, dot3, sub3


cdef inline bint is_of(const ContactPoint* o, const ContactPoint* c) noexcept nogil:
    """Tell whether two contacts are of the same shapes."""
    return o.shape_a == c.shape_a and o.shape_b == c.shape_b


cdef inline bint is_before(const ContactPoint* o, const ContactPoint* c) noexcept nogil:
    """Tell whether a contact is of earlier shapes, or was dropped."""
    return o.shape_a < c.shape_a or (o.shape_a == c.shape_a and o.shape_b < c.shape_b)


cdef bint is_named(const ContactPoint* c, int n, int name) noexcept nogil:
    """Tell whether one of n contacts has this name."""
    cdef int k
    for k in range(n):
        if c[k].feature == name:
            return True
    return False


cdef int old_name(const ContactPoint* old, int n_old, const ContactPoint* of, int n, int i, double near) noexcept nogil:
    """Find the name of the contact that was where contact i of n is, if no other has it now; -1: there is none."""
    cdef Vec3 d
    cdef int k
    for k in range(n_old):
        d = sub3(old[k].position, of[i].position)
        if dot3(d, d) <= near * near and not is_named(of, n, old[k].feature):
            return old[k].feature
    return -1


cdef void sort_by_name(ContactPoint* c, int n) noexcept nogil:
    """Sort n contacts, which are nearly in order, by insertion."""
    cdef ContactPoint one
    cdef int i, k
    for i in range(1, n):
        k, one = i, c[i]
        while k > 0 and c[k - 1].feature > one.feature:
            c[k] = c[k - 1]
            k -= 1
        c[k] = one


cdef void keep_names(const ContactBuffer* before, ContactBuffer* found, double near) noexcept nogil:
    """Give contacts whose names are new those of contacts that were less than `near` away in the step before [m]."""
    cdef const ContactPoint* old = before.point
    cdef const ContactPoint* last = before.point + before.n
    cdef ContactPoint* c
    cdef int i = 0, n, n_old, k, name
    cdef bint changed
    while i < found.n and old < last:
        c, n, n_old, changed = found.point + i, 1, 0, False
        while i + n < found.n and is_of(c + n, c):
            n += 1
        while old < last and is_before(old, c):
            old += 1
        while old + n_old < last and is_of(old + n_old, c):
            n_old += 1
        for k in range(n if n_old > 0 else 0):
            if not is_named(old, n_old, c[k].feature):
                name = old_name(old, n_old, c, n, k, near)
                if name >= 0:
                    c[k].feature, changed = name, True
        if changed:
            sort_by_name(c, n)
        i += n
