cdef struct Near:                  # one of a block, a corner and its neighbours: a climb reads one place a corner
    double x, y, z                 # a corner, shape frame [m]
    int corner                     # its number
    int at                         # where its own block begins in `around`; of the first of a block: its neighbours

cdef struct HullData:
    const double* vertices         # (n_vertices, 3) corners, shape frame [m]
    const double* normals          # (n_faces, 3) outward unit normals, shape frame
    const int* start               # (n_faces + 1,) where each face begins in `corner`
    const int* corner              # vertex numbers, counter-clockwise seen from outside
    const int* block               # (n_vertices,) where the block of each corner begins in `around`
    const Near* around             # blocks: each corner, and then its neighbours along edges, ascending; climbing.pxd
    const int* entry               # (6 side side,) blocks of the corners from which to climb, by directions
    const int* facing_start        # (6 face_side face_side + 1,) where the faces of each cell begin in `facing`
    const int* facing              # face numbers, ascending: those that may look most along a direction of the cell
    double level                   # [m] heights of corners in one plane may differ by so much
    int n_vertices
    int n_faces
    int side                       # 0: corners are scanned; `block`, `around` and `entry` are not read
    int face_side                  # 0: faces are scanned; `facing_start` and `facing` are not read
