# Boxes around triangles, and boxes around those: what a ray or another shape asks for the triangles that are near.

cdef struct TreeNode:              # depth first: the first half of a node follows it
    float[3] low, high             # corners of the box that holds its triangles, rounded outwards [m]
    int first                      # of a leaf, its first triangle; otherwise the node of the other half
    int count                      # triangles of a leaf; 0: two halves

cdef int build_tree(const double* low, const double* high, int* order, int n, TreeNode* node) noexcept nogil
