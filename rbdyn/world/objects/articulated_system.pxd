from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.scene cimport System
from rbdyn.world.objects.object cimport WorldObject

cdef class ArticulatedSystem(WorldObject):
    cdef readonly Model model
    cdef readonly State state
    cdef readonly dict _handles  # of its bodies, joints, frames and geometry: (class, name or thing) -> handle
    cdef int build(self, object mechanism) except -1
    cdef int begin(self) except -1
    cdef System* system(self) except NULL
    cdef Vec3 gravity            # the World's [m/s^2]
    cdef Model compiled(self)
    cdef double* numbers(self, object name) except NULL
    cdef int put_numbers(self, dict columns) except -1
    cdef int put_mimics(self, list mimics) except -1
    cdef int put_loop(self, int k) except -1
    cdef bint self_collides      # its bodies collide with one another
    cdef bint meets_parents      # also those that a joint joins
    cdef int self_contacts       # contacts that two of its bodies have at most; 0: all
    cdef dict said               # what its joints said when its numbers were those of its mechanism: joints/said.py
    cdef tuple tree, loops       # joints of the tree, and those that close loops, as the Model has them
    cdef readonly dict _welded   # Joint that holds another one still -> (that one, its q, numbers set of it)
    cdef dict shapes_of          # RigidBody -> [(Geometry, shape id)]: what collides, likewise
    cdef int put_balls(self, list balls) except -1
    cdef int set_gravity(self, Vec3 gravity) except -1
    cdef bint targeted           # a PD target was set, or begun
    cdef bint placed_anew        # its position, or its limits, were set since registry/checks.pyx looked at them
    cdef bint driven_anew        # its targets, gains or limits, likewise
    cdef bint said_outside       # a warning said that joints are beyond their limits
    cdef bint said_far           # a warning said that targets are far beyond limits
    cdef object array_of(self, const double* x, int n)
    cdef Model present(self)
    cdef object known(self, object body)
    cdef int start_target(self) except -1
    cdef int check_drivable(self) except -1
    cdef int rouse(self) except -1
    cdef int add_wrench(self, int body, Vec3 n, Vec3 f, Vec3 r) except -1
