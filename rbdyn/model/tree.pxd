from rbdyn.model.pose cimport Pose

cdef class Kind:                 # what kernels know of a joint type
    cdef int kernel, representation, nq, nv
    cdef int block, block_size   # its normalised block in its own q; size 0 for none
    cdef bint has_parameter      # beside its axis
    cdef object names            # of its own numbers, a set

cdef class Link:                 # a moving body, or the root, as the kernels see it
    cdef object body, joint      # RigidBody, Joint; None for the root's
    cdef Kind kind
    cdef int parent
    cdef Pose tree_pose          # before-frame, canonical axes, in the parent's internal frame
    cdef list parts              # the bodies that it is made of, as Part, the one that carries the others first

cdef class Loop:                 # a joint outside the tree, as the kernels see it
    cdef object joint
    cdef Kind kind
    cdef int predecessor, successor
    cdef Pose before             # before-frame, canonical axes, in the predecessor's internal frame
    cdef Pose after              # after-frame, canonical axes, in the successor's internal frame

cdef class Seat:                 # a frame that can be asked for
    cdef tuple keys              # what it can be asked for by
    cdef int body                # internal body that carries it
    cdef Pose pose               # in that body's internal frame

cdef class Tree:                 # what a Model is filled from
    cdef list links, loops, seats
    cdef dict arrays
    cdef object base_joint
    cdef int nq, nv

cdef Tree compile_tree(object mechanism)
cdef Pose canonical(object joint_type)
