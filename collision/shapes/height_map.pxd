cdef enum:
    BLOCK = 16                     # cells along a side of what rays pass at once: height_map.py

cdef struct HeightMapData:         # heights over a grid of nx by ny points about the origin; solid below
    const double* height           # (ny, nx) [m]
    const double* top              # (., blocks_x) the largest height of each block of BLOCK by BLOCK cells [m]
    int nx, ny
    int blocks_x
    double dx, dy                  # [m] between points
    double x_0, y_0                # [m] of the first point
    double low, high               # [m] of all heights
