cdef struct HullData:
    const double* vertices         # (n_vertices, 3) corners, shape frame [m]
    const double* normals          # (n_faces, 3) outward unit normals, shape frame
    const int* start               # (n_faces + 1,) where each face begins in `corner`
    const int* corner              # vertex numbers, counter-clockwise seen from outside
    int n_vertices
    int n_faces
