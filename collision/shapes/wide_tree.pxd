# Trees with eight boxes in a node, side by side: what a ray asks for triangles that are near.

from rbdyn.collision.shapes.bounding_tree cimport TreeNode

cdef enum:
    BOXES = 8                      # of a node

cdef struct WideNode:
    float[6][BOXES] side           # least x of the boxes, least y and z, largest x, y and z, rounded outwards [m]
    int[BOXES] first               # of a leaf, its first triangle; otherwise the node of its boxes
    int[BOXES] count               # triangles of a leaf; 0: a node

cdef int widen_tree(const TreeNode* node, WideNode* wide) noexcept nogil
