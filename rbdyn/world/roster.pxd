from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.collision._types cimport Pose
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.world.articulated_system cimport ArticulatedSystem
from rbdyn.world.assemble cimport Scene, Slot
from rbdyn.world.gate cimport Gate
from rbdyn.world.object cimport WorldObject
from rbdyn.world.single_body cimport SingleBody

cdef class Roster:
    cdef Gate gate
    cdef Vec3 g                           # gravity [m/s^2], world axes
    cdef Scene scene                      # objects and materials, in C
    cdef Pose* pose                       # (n_slots,) body poses, as collision wants them
    cdef Slot* slot                       # (n_slots,) what each collision body index stands for
    cdef int* material                    # (shape_room,) material index by shape id
    cdef int n_slots, slot_room, shape_room, single_room, system_room
    cdef readonly CollisionBackend collision
    cdef readonly object materials        # MaterialTable
    cdef object __weakref__
    cdef list singles, systems
    cdef dict _objects                    # name -> object, in the order in which they came
    cdef long added                       # objects added so far
    cdef list free_slots                  # freed runs of slots: (length, start)
    cdef dict material_names              # name -> index
    cdef long material_revision
    cdef readonly ContactSolver contact
    cdef long detections                  # of contacts, so far
    cdef tuple pair_arrays                # keeps Scene.pairs and Scene.law alive
    cdef dict shapes                      # shape id -> (object, body name, geometry name)

    cdef int check(self) except -1
    cdef int refresh(self) except -1
    cdef int read_materials(self) except -1
    cdef int checked_id(self, object shape_id) except -1
    cdef int make_room_for_shape(self, int shape_id) except -1
    cdef int place_single(self, SingleBody body, object name) except -1
    cdef int place_system(self, ArticulatedSystem robot, object name, bint self_collision) except -1
    cdef WorldObject object_in(self, object obj)
    cdef int take_slots(self, int count) except -1
    cdef int register(self, object obj, int slot, str body, object geometries, object pose, bint dynamic) except -1
    cdef int material_index(self, str name) except -1
    cdef int register_system(self, ArticulatedSystem robot, bint self_collision) except -1
    cdef int release_materials(self) except -1
    cdef int freeze(self, bint frozen, bint stepped) except -1
    cdef int refuse_simulated(self) except -1
    cdef int renumber(self) except -1
    cdef int drop(self, WorldObject obj) except -1
    cdef bint known(self, int shape_id) noexcept nogil
    cdef int enter(self, WorldObject obj, object name, str kind) except -1
