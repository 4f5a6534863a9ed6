# Tape: the observer of a World that writes frames, without Python or allocations in the step.
#
# A frame is a record "fram" of words of 8 bytes, all doubles but for those marked int64:
#
#     int64 steps done     time [s]
#     of each carrier      position [m], quaternion [w, x, y, z]
#     of each object       a single body: linear and angular velocity, world axes [m/s, rad/s]; then of any object
#                          kinetic and potential energy [J]; a robot: centre of mass [m] (NaN without mass), q, v
#     int64 contacts       if they are recorded, and of each CONTACT_WORDS words: int32 shape ids a and b, position [m],
#                          normal into A, depth [m], mean force on A [N]

from libc.stdint cimport int64_t

from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.recording.scribe cimport Scribe
from rbdyn.stepping.assemble cimport Assembly
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.sleeping cimport Slumber
from rbdyn.world.observers cimport Observer
from rbdyn.world.snapshot.insides cimport Insides

cdef enum:
    CONTACT_WORDS = 11

cdef struct Place:                # of a carrier
    bint single                   # of a single body; of a robot if not
    int index                     # of it in the scene
    int inner                     # which of its internal bodies
    bint at_rest                  # `rest` is not the identity
    Pose rest                     # where the carrier is on that

cdef struct Source:               # of an object
    bint single
    int index                     # of it in the scene
    const void* model             # of a robot, when this was written

cdef struct Reel:                 # what frames are made of, and where they go
    Scribe* scribe                # writes the file; NULL: stopped, or the file took no more
    char* buffer                  # whole records that the scribe does not have yet
    size_t used, room             # [bytes]
    Scene* scene                  # the World's, as are those that follow
    const Slumber* slumber
    const ContactBuffer* found
    const Assembly* assembly
    const long* steps
    const bint* solved
    const long* revision          # of who is there
    const int* shapes             # and of what they are
    bint contacts                 # are recorded
    long every                    # steps a frame
    long left                     # steps until the next one
    bint fresh                    # the latest step has a frame
    int64_t frames                # written so far
    int64_t taken                 # steps done at the latest of them
    int n_places, n_sources
    Place* place                  # (n_places,)
    Source* source                # (n_sources,)
    size_t fixed                  # [bytes] of a frame without contacts
    long seen_revision, seen_shapes   # when places and sources were written
    int noted                     # 1: something is to be written before the next frame
    int trouble                   # errno of a file that took no more
    void* owner                   # the Tape

cdef class Tape(Observer):
    cdef Reel reel
    cdef Insides inside           # keeps the registry alive
    cdef readonly object renew    # called when somebody came, went, or is not what he was
    cdef public object note       # called before the next frame, within a step, once `ask_note` was
    cdef readonly object error    # what ended the recording, or None
    cdef size_t[2] rooms
    cdef int check_open(self) except -1
    cdef int look_again(self) except -1
    cdef int look_note(self) except -1
    cdef int end(self) except -1

cdef class Tap(Tape):
    cdef int wanted               # 1: somebody waits for a frame; 0: `latest` is his, until he asks again
