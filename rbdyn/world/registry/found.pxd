from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.stepping.scene cimport Scene
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.registry cimport Registry

cdef list found_contacts(Registry registry, Pipeline pipeline, WorldObject on, object link, object body)
cdef object contact_of(Registry registry, const ContactPoint* c, Vec3 impulse)
cdef int drop_contacts(ContactBuffer* found, set shape_ids) except -1
cdef str who_diverged(Registry registry, const Scene* scene)
cdef int name_worst(Registry registry, ContactSolver solver) except -1
