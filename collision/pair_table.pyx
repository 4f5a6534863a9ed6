"""Which kernel knows which pair.

A shape has one line in `declare_kinds`, and one in `declare_pairs` for each kernel of its own.  Every
convex shape meets every other one through the general kernel.
"""

from rbdyn.collision._types cimport (
    BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, HEIGHT_MAP, HULL, MESH, N_KINDS, SPHERE, SUPPORT, TRIANGLE,
    BOX_CORE, CYLINDER_CORE, HULL_CORE, OWN_CORE,
    ConvexShape, PosedShape, SupportingFeature,
)
from rbdyn.collision.kernels.box_box cimport box_box
from rbdyn.collision.kernels.convex cimport convex_convex
from rbdyn.collision.kernels.half_space cimport (
    half_space_box, half_space_capsule, half_space_cone, half_space_cylinder, half_space_sphere,
)
from rbdyn.collision.kernels.half_space_hull cimport half_space_hull
from rbdyn.collision.kernels.half_space_point cimport half_space_point
from rbdyn.collision.kernels.round cimport capsule_capsule, sphere_capsule, sphere_sphere
from rbdyn.collision.kernels.round_box cimport capsule_box, sphere_box
from rbdyn.collision.kernels.sphere_revolved cimport sphere_cone, sphere_cylinder
from rbdyn.collision.kernels.support.box cimport box_feature
from rbdyn.collision.kernels.support.capsule cimport capsule_feature
from rbdyn.collision.kernels.support.cone cimport cone_feature, cone_support
from rbdyn.collision.kernels.support.convex_hull cimport hull_feature
from rbdyn.collision.kernels.support.cylinder cimport cylinder_feature
from rbdyn.collision.kernels.support.ellipsoid cimport ellipsoid_feature, ellipsoid_support
from rbdyn.collision.kernels.support.sphere cimport sphere_feature
from rbdyn.collision.kernels.support.support_shape cimport own_feature, own_support
from rbdyn.collision.pieces.collide cimport convex_surface, surface_surface
from rbdyn.collision.shapes.box cimport BoxData
from rbdyn.collision.shapes.capsule cimport CapsuleData
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.collision.shapes.ellipsoid cimport EllipsoidData
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.collision.shapes.sphere cimport SphereData
from rbdyn.collision.shapes.support_shape cimport SupportData
from rbdyn.spatial._algebra cimport Vec3

from rbdyn.errors import CollisionError

ctypedef Vec3 (*Support)(const void* data, Vec3 direction) noexcept nogil
ctypedef void (*FeatureOf)(const PosedShape* a, Vec3 direction, SupportingFeature* f) noexcept nogil

cdef PairEntry[N_KINDS * N_KINDS] _pairs
cdef KindEntry[N_KINDS] _kinds
cdef ConvexShape[N_KINDS] _convex
cdef dict _number = {}                 # name -> Kind


cdef int declare_kind(int kind, str name, size_t size, int core) except -1:
    """Name a kind, the size of its C struct, and the core that holds all of it."""
    _number[name] = kind
    _kinds[kind].size = size
    _kinds[kind].core = core
    _kinds[kind].convex = NULL
    return 0


cdef int declare_convex(int kind, str name, size_t size, FeatureOf feature, int core, Support support) except -1:
    """Such a kind that is convex: it meets all convex kinds so far, and itself, through the general kernel."""
    cdef int other
    declare_kind(kind, name, size, core)
    _convex[kind].core = core
    _convex[kind].support = support
    _convex[kind].feature = feature
    _kinds[kind].convex = &_convex[kind]
    for other in range(kind + 1):
        if _kinds[other].convex != NULL:
            declare_pair(other, kind, convex_convex)
    return 0


cdef int declare_pair(int a, int b, PairKernel kernel) except -1:
    """The kernel for shapes of kind a and b, in this order; the other way round its normals are turned."""
    _pairs[b * N_KINDS + a].kernel, _pairs[b * N_KINDS + a].swapped = kernel, True
    _pairs[a * N_KINDS + b].kernel, _pairs[a * N_KINDS + b].swapped = kernel, False
    return 0


cdef int declare_kinds() except -1:
    declare_kind(HALF_SPACE, "half_space", 0, BOX_CORE)
    declare_convex(SPHERE, "sphere", sizeof(SphereData), sphere_feature, BOX_CORE, NULL)
    declare_convex(CAPSULE, "capsule", sizeof(CapsuleData), capsule_feature, BOX_CORE, NULL)
    declare_convex(BOX, "box", sizeof(BoxData), box_feature, BOX_CORE, NULL)
    declare_convex(CYLINDER, "cylinder", sizeof(CylinderData), cylinder_feature, CYLINDER_CORE, NULL)
    declare_convex(HULL, "hull", sizeof(HullData), hull_feature, HULL_CORE, NULL)
    declare_convex(ELLIPSOID, "ellipsoid", sizeof(EllipsoidData), ellipsoid_feature, OWN_CORE, ellipsoid_support)
    declare_convex(CONE, "cone", sizeof(ConeData), cone_feature, OWN_CORE, cone_support)
    declare_convex(SUPPORT, "support_shape", sizeof(SupportData), own_feature, OWN_CORE, own_support)
    declare_kind(MESH, "mesh", sizeof(MeshData), HULL_CORE)
    declare_kind(HEIGHT_MAP, "height_map", sizeof(HeightMapData), BOX_CORE)
    return 0


cdef int declare_pairs() except -1:
    declare_pair(HALF_SPACE, SPHERE, half_space_sphere)
    declare_pair(HALF_SPACE, CAPSULE, half_space_capsule)
    declare_pair(HALF_SPACE, BOX, half_space_box)
    declare_pair(HALF_SPACE, CYLINDER, half_space_cylinder)
    declare_pair(HALF_SPACE, HULL, half_space_hull)
    declare_pair(HALF_SPACE, ELLIPSOID, half_space_point)
    declare_pair(HALF_SPACE, CONE, half_space_cone)
    declare_pair(HALF_SPACE, SUPPORT, half_space_point)
    declare_pair(SPHERE, SPHERE, sphere_sphere)
    declare_pair(SPHERE, CAPSULE, sphere_capsule)
    declare_pair(SPHERE, BOX, sphere_box)
    declare_pair(SPHERE, CYLINDER, sphere_cylinder)
    declare_pair(SPHERE, CONE, sphere_cone)
    declare_pair(CAPSULE, CAPSULE, capsule_capsule)
    declare_pair(CAPSULE, BOX, capsule_box)
    declare_pair(BOX, BOX, box_box)
    declare_surfaces()
    return 0


cdef int declare_surfaces() except -1:
    """Every convex shape meets the triangles of a surface; a half-space meets the vertices of a mesh."""
    cdef int kind
    for kind in range(<int> TRIANGLE):
        if _kinds[kind].convex != NULL:
            declare_pair(kind, MESH, convex_surface)
            declare_pair(kind, HEIGHT_MAP, convex_surface)
    declare_pair(HALF_SPACE, MESH, half_space_hull)
    declare_pair(MESH, MESH, surface_surface)
    declare_pair(MESH, HEIGHT_MAP, surface_surface)
    return 0


declare_kinds()
declare_pairs()


cdef int kind_number(str name) except -1:
    """The Kind called `name`."""
    if name not in _number:
        raise CollisionError(f"no kernels for shapes of kind {name!r:.80}; there are some for {', '.join(_number)}")
    return _number[name]


cdef const KindEntry* kind_entry(int kind) noexcept nogil:
    return &_kinds[kind]


cdef const PairEntry* pair_table() noexcept nogil:
    """The (N_KINDS, N_KINDS) entries of all pairs."""
    return _pairs
