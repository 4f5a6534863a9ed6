# Trees with four boxes in a node, side by side: what a ray asks for triangles that are near.

from rbdyn.collision.shapes.bounding_tree cimport TreeNode

cdef struct WideNode:
    float[6][4] side               # least x of the four boxes, least y and z, largest x, y and z, rounded outwards [m]
    int[4] first                   # of a leaf, its first triangle; otherwise the node of its boxes
    int[4] count                   # triangles of a leaf; 0: a node

cdef int widen_tree(const TreeNode* node, WideNode* wide) noexcept nogil
