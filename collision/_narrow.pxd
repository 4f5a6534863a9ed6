# Which kernel knows which pair.

from rbdyn.collision._box_box cimport box_box
from rbdyn.collision._convex cimport convex_convex
from rbdyn.collision._half_space cimport (
    half_space_box, half_space_capsule, half_space_cylinder, half_space_hull, half_space_sphere,
)
from rbdyn.collision._round cimport capsule_capsule, sphere_capsule, sphere_sphere
from rbdyn.collision._round_box cimport capsule_box, sphere_box
from rbdyn.collision._solid cimport Manifold, Solid, clear
from rbdyn.collision._types cimport BOX, CAPSULE, CYLINDER, HALF_SPACE, HULL, SPHERE, Pose, ShapeRecord
from rbdyn.spatial._algebra cimport neg3


cdef inline void collide_ordered(const Solid* a, const Solid* b, double margin, Manifold* m) noexcept nogil:
    """Contacts of two shapes, the kind of a not after that of b."""
    if a.s.kind == HALF_SPACE:
        if b.s.kind == SPHERE:
            half_space_sphere(a, b, margin, m)
        elif b.s.kind == CAPSULE:
            half_space_capsule(a, b, margin, m)
        elif b.s.kind == BOX:
            half_space_box(a, b, margin, m)
        elif b.s.kind == CYLINDER:
            half_space_cylinder(a, b, margin, m)
        elif b.s.kind == HULL:
            half_space_hull(a, b, margin, m)
        else:
            clear(m)                         # two half-spaces: the broad phase never asks
    elif b.s.kind >= CYLINDER:
        convex_convex(a, b, margin, m)
    elif a.s.kind == SPHERE:
        if b.s.kind == SPHERE:
            sphere_sphere(a, b, margin, m)
        elif b.s.kind == CAPSULE:
            sphere_capsule(a, b, margin, m)
        else:
            sphere_box(a, b, margin, m)
    elif a.s.kind == CAPSULE:
        if b.s.kind == CAPSULE:
            capsule_capsule(a, b, margin, m)
        else:
            capsule_box(a, b, margin, m)
    else:
        box_box(a, b, margin, m)


cdef inline void collide(
        const ShapeRecord* s_a, const Pose* X_a, const ShapeRecord* s_b, const Pose* X_b, double margin,
        Manifold* m) noexcept nogil:
    """Contacts of two shapes, the normal into the first."""
    cdef Solid a, b
    a.s, a.X = s_a, X_a
    b.s, b.X = s_b, X_b
    if s_a.kind <= s_b.kind:
        collide_ordered(&a, &b, margin, m)
        return
    collide_ordered(&b, &a, margin, m)
    m.normal = neg3(m.normal)
