"""Renderer: what a camera sees of triangles and round things: a z-buffer, tile by tile.

First everything is found that may be seen: triangles as linear functions over the picture, round things as boxes.  Then
each tile draws what touches it into 1 / depth and the number of what is seen there, and paints only what is left.
Tiles share nothing, so that threads change no pixel.
"""

import numpy as np

from rbdyn.errors import Error

cimport numpy as cnp
from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.memory cimport grow
from rbdyn.pool cimport Pool, pool_end, pool_make, pool_run
from rbdyn.rendering.facets cimport draw_facet, line_of, see_facet
from rbdyn.rendering.light cimport (
    SHADES, Eye, Lamp, Paint, Shadow, paint_facet, paint_of, paint_plane, paint_round, paint_sky,
)
from rbdyn.rendering.rounds cimport draw_plane, draw_round, into, round_box
from rbdyn.rendering.scene cimport PLANE, TRIANGLES, Corner, Facet, Lens, Round, Thing, at, ray
from rbdyn.rendering.shadow cimport draw_shadow
from rbdyn.spatial._algebra cimport (
    Vec3, add3, dot3, matmul3, mul3, neg3, rows3, scale3, sub3, tmul3, transpose3, vec3,
)

cnp.import_array()

cdef enum:
    TILE_WIDTH = 64
    TILE_HEIGHT = 32
    FACES_A_TIME = 4096


cdef struct Job:                   # one picture, for whoever works on it
    Eye eye
    Lamp lamp
    const unsigned char* table     # (SHADES,) linear light to bytes
    const Thing* thing
    const Corner* corner
    const Facet* facet
    int n_facets
    const Round* round
    const Paint* paint             # of each of these that is a plane
    int samples                    # a side of a pixel of `rgb`; the lens and all else speak of samples
    int columns, tile_width, tile_height           # of tiles
    const int* start               # (n_tiles + 1,) of each tile, in `order`
    const int* order               # numbers of facets, then rounds
    double* nearness               # (height, width)
    int* seen                      # (height, width) numbers of facets, then rounds; -1: nothing
    double* depth                  # (height, width), or NULL
    int* index                     # (height, width) numbers of things, or NULL
    unsigned char* rgb             # (height / samples, width / samples, 3), or NULL


cdef void do_tile(void* context, int worker, int number) noexcept nogil:
    """Draw one tile and paint it."""
    cdef const Job* job = <const Job*> context
    cdef const Lens* lens = &job.eye.lens
    cdef int[4] tile
    cdef int x, y, k, name
    cdef double most = 1.0 / lens.near, least = 1.0 / lens.far
    cdef const Round* r
    cdef size_t row
    tile[0], tile[2] = number % job.columns * job.tile_width, number // job.columns * job.tile_height
    tile[1], tile[3] = min(tile[0] + job.tile_width, lens.width), min(tile[2] + job.tile_height, lens.height)
    for y in range(tile[2], tile[3]):
        row = <size_t> y * lens.width
        for x in range(tile[0], tile[1]):
            job.nearness[row + x], job.seen[row + x] = least, -1
    for k in range(job.start[number], job.start[number + 1]):
        name = job.order[k]
        if name < job.n_facets:
            draw_facet(job.facet + name, name, tile, lens.width, most, job.nearness, job.seen)
            continue
        r = job.round + (name - job.n_facets)
        if job.thing[r.thing].kind == PLANE:
            draw_plane(r, name, lens, tile, job.nearness, job.seen)
        else:
            draw_round(r, job.thing + r.thing, name, lens, tile, job.nearness, job.seen)
    if job.depth is not NULL:
        write_depth(job, tile)
    if job.index is not NULL:
        write_index(job, tile)
    if job.rgb is not NULL:
        paint(job, tile)


cdef void write_depth(const Job* job, const int* tile) noexcept nogil:
    """Depths [m], infinite where nothing is seen."""
    cdef int x, y
    cdef size_t row
    for y in range(tile[2], tile[3]):
        row = <size_t> y * job.eye.lens.width
        for x in range(tile[0], tile[1]):
            job.depth[row + x] = 1.0 / job.nearness[row + x] if job.seen[row + x] >= 0 else INFINITY


cdef inline int thing_of(const Job* job, int name) noexcept nogil:
    if name < 0:
        return -1
    return job.facet[name].thing if name < job.n_facets else job.round[name - job.n_facets].thing


cdef void write_index(const Job* job, const int* tile) noexcept nogil:
    """Numbers of things, -1 where nothing is seen."""
    cdef int x, y
    cdef size_t row
    for y in range(tile[2], tile[3]):
        row = <size_t> y * job.eye.lens.width
        for x in range(tile[0], tile[1]):
            job.index[row + x] = thing_of(job, job.seen[row + x])


cdef void paint(const Job* job, const int* tile) noexcept nogil:
    """Colours: once a pixel where all samples of it see one thing, else the mean of theirs."""
    cdef int n = job.samples, width = job.eye.lens.width, x, y, i, j, name
    cdef const int* seen
    cdef size_t first
    cdef bint one
    if n == 1:
        for y in range(tile[2], tile[3]):
            paint_row(job, tile[0], tile[1], y)
        return
    for y in range(tile[2] // n, tile[3] // n):
        for x in range(tile[0] // n, tile[1] // n):
            first = <size_t> y * n * width + x * n
            name, one = job.seen[first], True
            for i in range(n):
                seen = job.seen + first + <size_t> i * width
                for j in range(n):
                    one = one and seen[j] == name
            if one:
                paint_one(job, name, (x + 0.5) * n, (y + 0.5) * n, job.nearness[first], n,
                          job.rgb + 3 * (<size_t> y * (width // n) + x))
            else:
                paint_mean(job, x, y, job.rgb + 3 * (<size_t> y * (width // n) + x))


cdef void paint_row(const Job* job, int begin, int end, int y) noexcept nogil:
    """Colours of a row's pixels of one sample each; a plane's side by side."""
    cdef size_t first = <size_t> y * job.eye.lens.width
    cdef const int* seen = job.seen + first
    cdef const Round* r
    cdef int name, stop
    while begin < end:
        name, stop = seen[begin], begin + 1
        if name >= job.n_facets and job.thing[job.round[name - job.n_facets].thing].kind == PLANE:
            while stop < end and seen[stop] == name:
                stop += 1
            r = job.round + (name - job.n_facets)
            paint_plane(&job.eye, &job.lamp, job.table, r, job.thing + r.thing, job.paint + (name - job.n_facets),
                        begin + 0.5, y + 0.5, stop - begin, 1, job.rgb + 3 * (first + begin))
        else:
            paint_one(job, name, begin + 0.5, y + 0.5, job.nearness[first + begin], 1, job.rgb + 3 * (first + begin))
        begin = stop


cdef void paint_mean(const Job* job, int x, int y, unsigned char* out) noexcept nogil:
    """A pixel whose samples see several things."""
    cdef int n = job.samples, i, j, k
    cdef unsigned int[3] total
    cdef unsigned char[3] color
    cdef size_t sample
    total[0] = total[1] = total[2] = n * n // 2
    for i in range(n):
        for j in range(n):
            sample = (<size_t> y * n + i) * job.eye.lens.width + x * n + j
            paint_one(job, job.seen[sample], x * n + j + 0.5, y * n + i + 0.5, job.nearness[sample], 1, color)
            for k in range(3):
                total[k] += color[k]
    for k in range(3):
        out[k] = <unsigned char> (total[k] // <unsigned int> (n * n))


cdef void paint_one(const Job* job, int name, double u, double v, double nearness, int step,
                    unsigned char* out) noexcept nogil:
    """What is seen at a place: about so near, which is exact for a step of 1."""
    cdef const Thing* thing
    cdef const Round* r
    cdef double depth
    if name < 0:
        paint_sky(&job.eye, &job.lamp, job.table, u, v, out)
    elif name < job.n_facets:
        if step > 1:
            nearness = at(&job.facet[name].nearness, u, v)
        paint_facet(&job.eye, &job.lamp, job.table, job.facet + name, job.corner, job.thing + job.facet[name].thing,
                    u, v, nearness, out)
    else:
        r = job.round + (name - job.n_facets)
        thing = job.thing + r.thing
        if thing.kind == PLANE:
            paint_plane(&job.eye, &job.lamp, job.table, r, thing, job.paint + (name - job.n_facets), u, v, 1, step,
                        out)
        else:
            depth = 1.0 / nearness
            if step > 1:
                depth = into(thing.kind, thing.size, r.eye, mul3(r.to_own, ray(&job.eye.lens, u, v)))
                if depth == INFINITY:
                    depth = 1.0 / nearness
            paint_round(&job.eye, &job.lamp, job.table, r, thing, u, v, depth, out)


cdef Vec3 triple(object x) except *:
    return vec3(x[0], x[1], x[2])


cdef class Renderer:
    """Draws things that were given once, wherever they are in each picture.

    Parameters
    ----------
    things : sequence of Thing
        What can be seen: `rbdyn.rendering.things.Thing`.
    """

    cdef Thing* thing
    cdef int n
    cdef Corner* corner
    cdef Facet* facet
    cdef Round* round
    cdef Paint* paint
    cdef int* order
    cdef int* start
    cdef int n_corners, n_facets, n_rounds
    cdef size_t[6] room
    cdef Job job
    cdef Shadow shadow
    cdef Pool* pool
    cdef int workers
    cdef object things, buffers, table, shadow_buffer
    cdef bint busy

    def __dealloc__(self):
        free(self.thing)
        free(self.corner)
        free(self.facet)
        free(self.round)
        free(self.paint)
        free(self.order)
        free(self.start)
        if self.pool is not NULL:
            pool_end(self.pool)

    def __init__(self, things):
        cdef Thing* t
        cdef size_t room = 0
        cdef cnp.ndarray a
        if self.things is not None:
            raise Error("a Renderer cannot be initialised twice")
        self.things = tuple(things)                  # keeps their arrays alive
        grow(<void**> &self.thing, &room, len(self.things) + 1, sizeof(Thing))
        memset(self.thing, 0, (len(self.things) + 1) * sizeof(Thing))
        for k, one in enumerate(self.things):
            t = self.thing + <int> k
            t.kind, t.one_sided = one.kind, one.one_sided
            t.size = triple(one.size)
            t.center, t.half = triple(one.center), triple(one.half)
            t.radius = one.radius
            t.color[0], t.color[1], t.color[2] = one.color
            if one.vertices is not None:
                a = one.vertices
                t.vertex, t.n_vertices = <const double*> cnp.PyArray_DATA(a), len(a)
                a = one.normals
                t.normal = <const double*> cnp.PyArray_DATA(a)
                a = one.faces
                t.face, t.n_faces = <const int*> cnp.PyArray_DATA(a), len(a)
                t.first_vertex = self.n_corners
                self.n_corners += t.n_vertices
        self.n = len(self.things)
        self.buffers = (None, None)
        light = np.arange(SHADES) / (SHADES - 1.0)
        bytes_ = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)   # IEC 61966-2-1
        self.table = np.round(255.0 * bytes_).astype(np.uint8)

    cdef int check(self) except -1:
        if self.things is None:
            raise Error("this Renderer was made without __init__")
        return 0

    def recolor(self, int k, color):
        """Give a thing another colour: linear red, green and blue."""
        self.check()
        if not 0 <= k < self.n:
            raise Error(f"there are {self.n} things, no number {k}")
        self.thing[k].color[0], self.thing[k].color[1], self.thing[k].color[2] = color

    # ---- where things are --------------------------------------------------------------------

    cdef int place(self, const double* pose, const Eye* eye, const unsigned char* hidden) except -1:
        """Take in where things are, and what is hidden."""
        cdef Thing* t
        cdef const double* X
        cdef int k
        for k in range(self.n):
            t, X = self.thing + k, pose + 16 * k
            t.R_world = rows3(vec3(X[0], X[1], X[2]), vec3(X[4], X[5], X[6]), vec3(X[8], X[9], X[10]))
            t.R = matmul3(transpose3(eye.R), t.R_world)
            t.p = tmul3(eye.R, sub3(vec3(X[3], X[7], X[11]), eye.p))
            t.hidden = hidden is not NULL and hidden[k] != 0
        return 0

    cdef bint outside(self, const Thing* t, const Lens* lens) noexcept nogil:
        """Whether the ball about a thing is beside what the camera sees, or behind it, or too far."""
        cdef Vec3 c = add3(t.p, mul3(t.R, t.center))
        cdef double r = t.radius, a, b
        if c.z + r < lens.near or c.z - r > lens.far:
            return True
        a, b = lens.cx / lens.fx, (lens.width - lens.cx) / lens.fx           # slopes of the left and right sides
        if -c.x - a * c.z > r * sqrt(1.0 + a * a) or c.x - b * c.z > r * sqrt(1.0 + b * b):
            return True
        a, b = lens.cy / lens.fy, (lens.height - lens.cy) / lens.fy
        return -c.y - a * c.z > r * sqrt(1.0 + a * a) or c.y - b * c.z > r * sqrt(1.0 + b * b)

    cdef void move_corners(self, const Thing* t, const Eye* eye, const Lamp* lamp) noexcept nogil:
        """The corners of a thing in the camera's frame."""
        cdef Corner* c = self.corner + t.first_vertex
        cdef const double* x = t.vertex
        cdef const double* n = t.normal
        cdef Vec3 y, toward = tmul3(t.R_world, lamp.toward)
        cdef const Lens* lens = &eye.lens
        cdef double s
        cdef int k
        for k in range(t.n_vertices):
            y = add3(t.p, mul3(t.R, vec3(x[3 * k], x[3 * k + 1], x[3 * k + 2])))
            c[k].x[0], c[k].x[1], c[k].x[2] = y.x, y.y, y.z
            if y.z >= lens.near:
                s = 1.0 / y.z
                c[k].u, c[k].v = lens.cx + lens.fx * y.x * s, lens.cy + lens.fy * y.y * s
            c[k].toward = <float> (n[3 * k] * toward.x + n[3 * k + 1] * toward.y + n[3 * k + 2] * toward.z)
            c[k].up = <float> (n[3 * k] * t.R_world.zx + n[3 * k + 1] * t.R_world.zy + n[3 * k + 2] * t.R_world.zz)

    cdef int find(self, const Eye* eye, const Lamp* lamp) except -1 nogil:
        """Everything that may be seen."""
        cdef const Thing* t
        cdef int k
        self.n_facets = self.n_rounds = 0
        grow(<void**> &self.corner, &self.room[0], self.n_corners, sizeof(Corner))
        for k in range(self.n):
            t = self.thing + k
            if t.hidden:
                continue
            if t.kind == TRIANGLES:
                if not self.outside(t, &eye.lens):
                    self.move_corners(t, eye, lamp)
                    self.find_facets(k, t, &eye.lens)
            elif t.kind == PLANE or not self.outside(t, &eye.lens):
                self.find_round(k, t, &eye.lens)
        return 0

    cdef int find_facets(self, int number, const Thing* t, const Lens* lens) except -1 nogil:
        """Those triangles of a thing that may be seen."""
        cdef const Corner* c = self.corner + t.first_vertex
        cdef const int* face = t.face
        cdef Facet* f
        cdef int k, i, j, l
        for k in range(t.n_faces):
            if k % FACES_A_TIME == 0:                # most may be turned away, or outside
                grow(<void**> &self.facet, &self.room[1], self.n_facets + FACES_A_TIME, sizeof(Facet))
            i, j, l = face[3 * k], face[3 * k + 1], face[3 * k + 2]
            f = self.facet + self.n_facets
            if see_facet(lens, c + i, c + j, c + l, t.one_sided, f):
                f.thing = number
                f.corner[0], f.corner[1], f.corner[2] = t.first_vertex + i, t.first_vertex + j, t.first_vertex + l
                self.n_facets += 1
        return 0

    cdef int find_round(self, int number, const Thing* t, const Lens* lens) except -1 nogil:
        """A round thing, or a plane, if it may be seen."""
        cdef Round* f
        cdef Vec3 n
        cdef double h
        grow(<void**> &self.round, &self.room[2], self.n_rounds + 1, sizeof(Round))
        grow(<void**> &self.paint, &self.room[5], self.n_rounds + 1, sizeof(Paint))
        f = self.round + self.n_rounds
        f.thing, f.to_own = number, transpose3(t.R)
        f.eye = neg3(tmul3(t.R, t.p))
        if t.kind == PLANE:
            if f.eye.z <= 0.0:                       # below it
                return 0
            n = vec3(t.R.xz, t.R.yz, t.R.zz)
            h = dot3(n, t.p)
            f.nearness, f.fading = line_of(lens, scale3(1.0 / h, n)), 1e-3 / (f.eye.z * f.eye.z)
            f.box[0], f.box[1], f.box[2], f.box[3] = 0, lens.width, 0, lens.height
            self.paint[self.n_rounds] = paint_of(&self.job.lamp, t)
        elif not round_box(lens, t, f.box):
            return 0
        self.n_rounds += 1
        return 0

    # ---- into which tiles --------------------------------------------------------------------

    cdef int sort(self, int columns, int rows) except -1 nogil:
        """What touches each tile, in the order in which it was found."""
        cdef int k, x, y, total = 0, tiles = columns * rows
        cdef const int* box
        grow(<void**> &self.start, &self.room[3], tiles + 2, sizeof(int))
        memset(self.start, 0, (tiles + 2) * sizeof(int))
        for k in range(self.n_facets + self.n_rounds):
            box = self.box(k)
            for y in range(box[2] // self.job.tile_height, (box[3] - 1) // self.job.tile_height + 1):
                for x in range(box[0] // self.job.tile_width, (box[1] - 1) // self.job.tile_width + 1):
                    self.start[y * columns + x + 2] += 1
                    total += 1
        for k in range(tiles):
            self.start[k + 2] += self.start[k + 1]
        grow(<void**> &self.order, &self.room[4], total, sizeof(int))
        for k in range(self.n_facets + self.n_rounds):
            box = self.box(k)
            for y in range(box[2] // self.job.tile_height, (box[3] - 1) // self.job.tile_height + 1):
                for x in range(box[0] // self.job.tile_width, (box[1] - 1) // self.job.tile_width + 1):
                    self.order[self.start[y * columns + x + 1]] = k
                    self.start[y * columns + x + 1] += 1
        return 0

    cdef inline const int* box(self, int k) noexcept nogil:
        return &self.facet[k].box[0] if k < self.n_facets else &self.round[k - self.n_facets].box[0]

    # ---- a picture ---------------------------------------------------------------------------

    def render(self, double[:, :, ::1] poses not None, double[:, ::1] camera not None, tuple lens not None,
               dict light not None, unsigned char[::1] hidden=None, unsigned char[:, :, ::1] rgb=None,
               double[:, ::1] depth=None, int[:, ::1] index=None, int threads=1, int samples=1):
        """Draw one picture into arrays of its size, those that are wanted.

        `poses` (n, 4, 4) are those of the things, `camera` (4, 4) that of the camera's axes in the world, `lens` is
        (fx, fy, cx, cy, width, height, near, far) of samples, of which `rgb` has `samples` by `samples` a pixel, and
        `light` is what `Style.light_on` says.
        """
        cdef Job* job = &self.job
        cdef int columns, rows, h, w
        cdef size_t pixels
        self.check()
        if poses.shape[0] != self.n or poses.shape[1] != 4 or poses.shape[2] != 4:
            raise Error(f"poses must be ({self.n}, 4, 4)")
        if camera.shape[0] != 4 or camera.shape[1] != 4 or (hidden is not None and hidden.shape[0] != self.n):
            raise Error("camera must be (4, 4), and hidden as long as there are things")
        (job.eye.lens.fx, job.eye.lens.fy, job.eye.lens.cx, job.eye.lens.cy, job.eye.lens.width, job.eye.lens.height,
         job.eye.lens.near, job.eye.lens.far) = lens
        job.eye.lens.ix, job.eye.lens.iy = 1.0 / job.eye.lens.fx, 1.0 / job.eye.lens.fy
        h, w = job.eye.lens.height, job.eye.lens.width
        if not 1 <= samples <= 8:
            raise Error(f"samples must be 1 to 8, got {samples}")
        if ((rgb is not None and (rgb.shape[0] * samples != h or rgb.shape[1] * samples != w or rgb.shape[2] != 3))
                or (depth is not None and (depth.shape[0] != h or depth.shape[1] != w))
                or (index is not None and (index.shape[0] != h or index.shape[1] != w))):
            raise Error("arrays must be of the size of the picture")
        if self.busy:
            raise Error("this Renderer draws already, in another thread")
        self.busy = True
        try:
            job.eye.R = rows3(vec3(camera[0, 0], camera[0, 1], camera[0, 2]),
                              vec3(camera[1, 0], camera[1, 1], camera[1, 2]),
                              vec3(camera[2, 0], camera[2, 1], camera[2, 2]))
            job.eye.p = vec3(camera[0, 3], camera[1, 3], camera[2, 3])
            self.take_light(light)
            self.place(&poses[0, 0, 0] if self.n else NULL, &job.eye, &hidden[0] if hidden is not None and self.n
                       else NULL)
            pixels = <size_t> job.eye.lens.width * job.eye.lens.height
            nearness, seen = self.buffers
            if nearness is None or <size_t> len(nearness) != pixels:
                self.buffers = nearness, seen = np.empty(pixels), np.empty(pixels, dtype=np.intc)
            job.nearness = <double*> cnp.PyArray_DATA(<cnp.ndarray> nearness)
            job.seen = <int*> cnp.PyArray_DATA(<cnp.ndarray> seen)
            job.rgb = &rgb[0, 0, 0] if rgb is not None else NULL
            job.depth = &depth[0, 0] if depth is not None else NULL
            job.index = &index[0, 0] if index is not None else NULL
            job.table = <const unsigned char*> cnp.PyArray_DATA(<cnp.ndarray> self.table)
            job.samples = samples
            job.tile_width, job.tile_height = TILE_WIDTH - TILE_WIDTH % samples, TILE_HEIGHT - TILE_HEIGHT % samples
            columns = (job.eye.lens.width - 1) // job.tile_width + 1
            rows = (job.eye.lens.height - 1) // job.tile_height + 1
            if threads > 1 and self.workers != threads:
                if self.pool is not NULL:
                    pool_end(self.pool)
                self.pool = pool_make(threads)
                if self.pool is NULL:
                    raise MemoryError()
                self.workers = threads
            with nogil:
                if job.rgb is not NULL and job.lamp.shadow.acts:
                    self.cast_shadows()
                self.find(&job.eye, &job.lamp)
                self.sort(columns, rows)
                job.thing, job.corner, job.facet, job.round = self.thing, self.corner, self.facet, self.round
                job.paint = self.paint
                job.n_facets, job.columns = self.n_facets, columns
                job.start, job.order = self.start, self.order
                if threads > 1:
                    pool_run(self.pool, do_tile, job, columns * rows)
                else:
                    for rows in range(columns * rows):
                        do_tile(job, 0, rows)
        finally:
            self.busy = False

    cdef int take_light(self, dict light) except -1:
        """Take in how things are lit."""
        cdef Lamp* lamp = &self.job.lamp
        cdef Shadow* s = &lamp.shadow
        cdef int k
        lamp.toward = triple(light["toward"])
        lamp.share, lamp.sky, lamp.turned = light["share"], light["sky"], light["turned"]
        for k in range(3):
            lamp.zenith[k], lamp.horizon[k] = light["zenith"][k], light["horizon"][k]
            lamp.check[k] = light["check"][k]
        lamp.per_square, lamp.smooth = 1.0 / light["square"] if light["square"] > 0 else 0.0, light["smooth"]
        s.acts = light["shadow"] > 0
        if s.acts:
            s.n = light["shadow"]
            if self.shadow_buffer is None or self.shadow_buffer.shape[0] != s.n:
                self.shadow_buffer = np.empty((s.n, s.n), dtype=np.float32)
            s.height = <const float*> cnp.PyArray_DATA(<cnp.ndarray> self.shadow_buffer)
            s.center, s.pixel = triple(light["shadow_center"]), light["shadow_pixel"]
            s.per_pixel = 1.0 / s.pixel
            R = light["shadow_axes"]
            s.to_lamp = rows3(triple(R[0]), triple(R[1]), triple(R[2]))
        return 0

    cdef int cast_shadows(self) except -1 nogil:
        """What the lamp sees of all things that are not hidden."""
        cdef Shadow* s = &self.job.lamp.shadow
        cdef float* height = <float*> s.height
        cdef const Thing* t
        cdef size_t i
        cdef int k
        for i in range(<size_t> s.n * s.n):
            height[i] = <float> -1e30
        for k in range(self.n):
            t = self.thing + k
            if not t.hidden and t.vertex is not NULL:
                draw_shadow(t, s, &self.job.eye, height)
        return 0
