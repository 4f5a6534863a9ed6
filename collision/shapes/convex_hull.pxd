cdef struct HullData:
    const double* vertices         # (n_vertices, 3) corners, shape frame [m]
    const double* normals          # (n_faces, 3) outward unit normals, shape frame
    const int* start               # (n_faces + 1,) where each face begins in `corner`
    const int* corner              # vertex numbers, counter-clockwise seen from outside
    const int* near_start          # (n_vertices + 1,) where the neighbours of each corner begin in `near`
    const int* near                # vertex numbers, along edges; climbing.pxd
    const int* entry               # (6 side side,) corners from which to climb, by directions
    const int* facing_start        # (6 face_side face_side + 1,) where the faces of each cell begin in `facing`
    const int* facing              # face numbers, ascending: those that may look most along a direction of the cell
    double level                   # [m] heights of corners in one plane may differ by so much
    int n_vertices
    int n_faces
    int side                       # 0: corners are scanned; `near_start`, `near` and `entry` are not read
    int face_side                  # 0: faces are scanned; `facing_start` and `facing` are not read
