from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.world._types cimport CSingle, CSystem
from rbdyn.world.assemble cimport Assembly, Scene, Slot
from rbdyn.world.gate cimport Gate
from rbdyn.world.object cimport WorldObject

cdef class World:
    cdef Gate gate
    cdef Scene scene                      # objects, materials and contact parameters, in C
    cdef Assembly assembly                # this step's contact problem
    cdef ContactBuffer found              # this step's contacts
    cdef Pose* pose                       # (n_slots,) body poses, as collision wants them
    cdef Slot* slot                       # (n_slots,)
    cdef int* material                    # (n_shapes,) material index by shape id
    cdef int n_slots, slot_room, n_shapes, shape_room
    cdef int single_room, system_room
    cdef Vec3 g                           # [m/s^2]
    cdef int scheme                       # Scheme of the position update
    cdef double theta, gamma              # of the theta-scheme
    cdef readonly double time             # [s] simulated so far
    cdef readonly long steps              # steps done
    cdef readonly CollisionBackend collision
    cdef readonly ContactSolver contact
    cdef readonly object materials        # MaterialTable
    cdef object __weakref__
    cdef list singles, systems, _objects
    cdef list free_slots                  # starts of freed runs: (length, start)
    cdef list material_names
    cdef long material_revision
    cdef object law_table                 # keeps Scene.law alive
    cdef dict shapes                      # shape id -> (object, body name, geometry)
    cdef bint solved                      # impulses of the contacts are known
    cdef int failed_single, failed_system

    cdef void kinematics(self) noexcept nogil
    cdef int detect(self) except -1 nogil
    cdef void free_velocities(self) noexcept nogil
    cdef void move(self) noexcept nogil
    cdef bint finite(self) noexcept nogil
    cdef void commit(self) noexcept nogil
    cdef int half_one(self) except -1 nogil
    cdef int half_two(self) except -1 nogil
    cdef int diverged(self) except -1
    cdef int prepare(self) except -1
    cdef int take_slots(self, int count) except -1
    cdef int register(self, object obj, int slot, str body, object geometries, object pose, bint dynamic) except -1
    cdef int check(self) except -1
    cdef int diverged_nogil(self) except -1 nogil
    cdef object _contact(self, int i)
    cdef int _material(self, str name) except -1
    cdef int _renumber(self) except -1
    cdef int enter(self, WorldObject obj, object name, str kind) except -1
