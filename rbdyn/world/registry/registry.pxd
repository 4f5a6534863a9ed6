from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.wire cimport Wire
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.scene_memory cimport SceneMemory
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.filters cimport Filters

cdef class Registry:
    cdef EditLock lock
    cdef SceneMemory memory
    cdef CollisionBackend collision
    cdef object world                     # weak reference to the World
    cdef Filters filters
    cdef object materials                 # MaterialTable
    cdef object mechanisms                # WeakSet of those that robots of this World have, or had
    cdef dict objects                     # name -> object, in the order in which they came
    cdef list singles, systems            # by index in the scene
    cdef dict shapes                      # shape id -> (object, body name, geometry name, link name)
    cdef dict material_numbers            # name -> number
    cdef long material_revision           # of the table, when the scene's copy was made
    cdef tuple pair_arrays                # keeps the scene's material pairs alive
    cdef long added                       # objects added so far
    cdef dict constraints                 # name -> constraint between objects, in the order in which they came
    cdef unsigned int linked              # constraints added so far
    cdef list lawful                      # wires that ask a law
    cdef int n_lawful
    cdef long revision                    # counts who comes and goes
    cdef set unpaired                     # materials of shapes that no pair named when checks.pyx looked
    cdef set said_materials               # of pairs: a warning said that no shape has them
    cdef list newcomers                   # robots that checks.pyx did not see yet
    cdef long checked_materials           # revision of the table at which checks.pyx looked; -1: there are new names
    cdef double checked_step              # time step at which checks.pyx looked, of a part of one [s]

    cdef SingleBody add_single(self, object geometries, object mass, object inertia, object body_type, object name)
    cdef int add_system(self, ArticulatedSystem robot, object name, bint self_collision) except -1
    cdef int remove(self, WorldObject obj) except -1
    cdef int add_constraint(self, Constraint constraint, object name, str kind) except -1
    cdef int find_lawful(self) except -1
    cdef int ask_laws(self) except -1
    cdef int remove_constraint(self, Constraint constraint) except -1
    cdef Constraint constraint_in(self, object constraint)
    cdef set forget_constraints(self, WorldObject obj)
    cdef int check_name(self, object name) except -1
    cdef object find(self, object name)
    cdef WorldObject object_in(self, object obj)
    cdef bint all_moved(self, long since)
    cdef int refresh(self) except -1
    cdef bint was_edited(self) except -1
    cdef int note_edited(self) except -1
    cdef int wake_edited(self) except -1
    cdef int freeze(self, bint frozen, bint stepped) except -1
    cdef int check_not_simulated(self) except -1
    cdef int enter(self, WorldObject obj, object name, str kind) except -1
    cdef int register_system(self, ArticulatedSystem robot) except -1
    cdef int register(self, WorldObject obj, int handle, str body, str link, object geometries, object pose,
                      bint dynamic) except -1
    cdef int lose(self, int shape_id) except -1
    cdef int checked_id(self, object shape_id) except -1
    cdef int material_number(self, str name) except -1
    cdef int release_materials(self) except -1
