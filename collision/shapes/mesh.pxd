from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.collision.shapes.wide_tree cimport WideNode


cdef struct MeshData:
    HullData hull                  # of all vertices: half-spaces meet nothing else of a mesh
    const double* vertices         # (n, 3) corners, those in one place joined, shape frame [m]
    const double* normals          # (n_triangles, 3) unit normals, shape frame
    const int* faces               # (n_triangles, 3) vertex numbers, in the order of the tree's leaves
    const int* beyond              # (n_triangles, 3) the corner across the side that begins at each corner, or -1
    const int* ring_start          # (n + 1,) where the ends of each vertex's edges begin in `ring`
    const int* ring
    const TreeNode* node
    const WideNode* wide           # the same tree, for rays
    double grain                   # radius of the largest triangle as it was given [m]
    int n_triangles
    int one_sided                  # 1: only what is in front of a triangle touches it
    int solid                      # 1: and it encloses a volume
