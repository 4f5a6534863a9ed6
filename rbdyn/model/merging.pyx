"""The inertia of a moving body, summed anew when one of the bodies that fixed joints merge into it was edited."""

from rbdyn.model.part cimport Part, new_part


cdef list parts_of(Model model, int link):
    """The parts of an internal body, the one that carries the others first."""
    cdef Part part
    parts = model.sums.get(link)
    if parts is None:
        parts = []
        for body, part in model.parts[link]:
            parts.append(new_part(body, part.pose, part.turned))
        model.sums[link] = parts
    return parts


cdef int put_inertia(Model model, int link, Inertiad I) except -1:
    """Write the inertia of an internal body, and what is summed over all of them."""
    cdef int i
    model.c.I_b[link] = I
    model.c.mass = model.c.trace = 0.0
    for i in range(1, model.c.nb):
        model.c.mass += model.c.I_b[i].m
        model.c.trace += model.c.I_b[i].I_o.xx + model.c.I_b[i].I_o.yy + model.c.I_b[i].I_o.zz
    return 0
