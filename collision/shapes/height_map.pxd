cdef enum:
    BLOCK = 16                     # cells along a side of what rays pass at once, 2^4: height_map.py

cdef struct HeightMapData:         # heights over a grid of nx by ny points about the origin; solid below
    const double* height           # (ny, nx) [m]
    const double* top              # (., blocks_x) the largest height of each block of BLOCK by BLOCK cells [m]
    # (ny - 1, nx - 1) k of the cells' largest flat blocks of 2^k by 2^k cells, up to BLOCK: flat_cells.pyx
    const unsigned char* level
    int nx, ny
    int blocks_x
    double dx, dy                  # [m] between points
    double x_0, y_0                # [m] of the first point
    double low, high               # [m] of all heights
