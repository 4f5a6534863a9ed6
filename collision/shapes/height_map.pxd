cdef struct HeightMapData:         # heights over a grid of nx by ny points about the origin; solid below
    const double* height           # (ny, nx) [m]
    int nx, ny
    double dx, dy                  # [m] between points
    double x_0, y_0                # [m] of the first point
    double low, high               # [m] of all heights
