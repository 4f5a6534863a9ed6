"""An XML element that knows where it stands, so that every complaint can say it."""

from rbdyn.errors import Error, UrdfError
from rbdyn.io import repairs
from rbdyn.io.numbers import number, number_or_infinite, shown, vector

from rbdyn.io.decimals cimport decimals_of

cdef double LARGEST = 1e30  # of a physical value: a product of several, such as a moment of inertia, must not overflow
# What messages speak of, by tag: "link 'l1'".
cdef dict OWNERS = {"link": "link", "joint": "joint", "sensor_set": "sensor set", "sensor": "sensor"}


cdef class Node:
    """One element of a robot file.

    Parameters
    ----------
    element : lxml element
        The element.
    file : str
        Name of the file, for messages.
    diagnostics : Diagnostics, optional
        Takes what is repaired in its numbers; without them nothing is.

    Attributes
    ----------
    element : lxml element
        The element.
    file : str
        As given.
    tag : str
        Its tag as `local_name` gives it.
    owner : str
        The link or joint that it is or belongs to, for messages: "link 'l1'".
    """

    cdef object _diagnostics
    cdef dict _inside  # elements inside by tag, once somebody asks
    cdef readonly object element
    cdef readonly str file, owner, tag

    def __init__(self, element, str file not None, diagnostics=None):
        _fill(self, element, file, diagnostics, local_name(element), "")

    @property
    def where(self):
        """ "file:line"."""
        return f"{self.file}:{self.element.sourceline}"

    @property
    def label(self):
        """The element for messages: "<mass> of link 'l1'"."""
        return f"<{self.tag}> of {self.owner}" if self.owner else f"<{self.tag}>"

    @property
    def attributes(self):
        """Names of the attributes."""
        return self.element.keys()

    def error(self, str text not None):
        """An error about this element, to be raised."""
        return UrdfError(f"{self.where}: {self.label}: {text}")

    def reporter(self, diagnostics):
        """`warn(text, kind)` of the rules of `rbdyn.io.rules`, about this element."""
        return lambda text, kind: diagnostics.warn(self.where, f"{self.label}: {text}", kind)

    # ---- attributes --------------------------------------------------------------------------

    def has(self, str name not None):
        """Whether the attribute is given."""
        return self.element.get(name) is not None

    def get(self, str name not None):
        """An attribute, None if it is not given."""
        return self.element.get(name)

    def text(self, str name not None):
        """An attribute that must be given and not empty."""
        cdef str value = self.element.get(name)
        if value is None:
            raise self.error(f"attribute {name!r} is missing")
        if not value.strip():
            raise self.error(f"{name}={value!r} is empty")
        if "@@" in value:
            raise self.error(f"{name}={shown(value)} is of a template: give its parameters, params={{...}}")
        return value

    def number(self, str name not None, default=None, double largest=LARGEST):
        """An attribute as a number, at most `largest` in size; required if there is no `default`."""
        cdef str value = self.element.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        cdef tuple quick = decimals_of(value, 1)
        x = quick[0] if quick is not None else self._read(name, value, number, repairs.number)
        if not -largest <= x <= largest:
            raise self.error(f"{name}={shown(value)} is no physical value: its size must be at most {largest:g}")
        return x

    def size(self, str name not None):
        """An attribute as a length above 0 [m], under the name that the file gives it."""
        x = self.number(name)
        if not x > 0.0:
            raise self.error(f"{name}={shown(self.text(name))} must be above 0 [m]")
        return x

    def limit(self, str name not None):
        """An attribute as a number of any size, infinite ones too; None if it is not given."""
        cdef str value = self.element.get(name)
        if value is None:
            return None
        cdef tuple quick = decimals_of(value, 1)
        return quick[0] if quick is not None else self._read(name, value, number_or_infinite, repairs.number)

    def vector(self, str name not None, Py_ssize_t n, tuple default=None):
        """An attribute as n numbers, at most LARGEST in size; required if there is no `default`."""
        cdef str value = self.element.get(name)
        if value is None:
            if default is None:
                raise self.error(f"attribute {name!r} is missing")
            return default
        cdef tuple xs = decimals_of(value, n)
        if xs is None:
            xs = self._read(name, value, lambda text: vector(text, n), lambda text: repairs.vector(text, n, name))
        cdef double x
        for x in xs:
            if not -LARGEST <= x <= LARGEST:
                raise self.error(f"{name}={shown(value)} is no physical value: its size must be at most {LARGEST:g}")
        return xs

    cdef object _read(self, str name, str text, object read, object repaired):
        """What `read` makes of an attribute, or of what it means if other readers forgive what is wrong with it."""
        try:
            return read(text)
        except Error as error:
            found = None if self._diagnostics is None else repaired(text)
            if found is None or self._diagnostics is None:
                raise self.error(f"{name}={error}") from None
        value = read(found[0])
        self._diagnostics.warn(self.where, f"{self.label}: {name}={shown(text)}: {found[1]}", f"repaired {found[1]}")
        return value

    # ---- children ----------------------------------------------------------------------------

    def children(self, str tag not None=""):
        """The elements inside, or those of one tag."""
        if not tag:
            return [self._of(element, local_name(element)) for element in self.element]
        found = self._by_tag().get(tag)
        return [] if found is None else [self._of(element, tag) for element in <list> found]

    def descendants(self, str tag not None):
        """The elements of that tag at any depth."""
        for element in self.element.iterdescendants(f"{{*}}{tag}"):
            yield self._of(element, tag)

    def child(self, str tag not None):
        """The one element of that tag, None if there is none; UrdfError if there are more."""
        found = self._by_tag().get(tag)
        if found is None:
            return None
        if len(<list> found) > 1:
            second, line = self._of(found[1], tag), found[0].sourceline
            raise second.error(f"a second <{tag}> in the same <{self.tag}>; the first is on line {line}")
        return self._of(found[0], tag)

    cdef Node _of(self, object element, str tag):
        """The node of an element inside."""
        cdef Node node = Node.__new__(Node)
        _fill(node, element, self.file, self._diagnostics, tag, self.owner)
        return node

    cdef dict _by_tag(self):
        cdef dict inside = self._inside
        if inside is None:
            self._inside = inside = {}
            for element in self.element:
                tag = local_name(element)
                if tag in inside:
                    (<list> inside[tag]).append(element)
                else:
                    inside[tag] = [element]
        return inside

    def first(self, str tag not None, diagnostics):
        """The first element of that tag, None if there is none; more are reported and ignored."""
        found = self.children(tag)
        if len(found) > 1:
            kept = found[0].where.rpartition(":")[2]
            diagnostics.warn(found[1].where, f"{self.label}: a second <{tag}>; the first, on line {kept}, is taken")
        return found[0] if found else None

    def need(self, str tag not None):
        """The one element of that tag; UrdfError if there is not exactly one."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing")
        return found


cdef void _fill(Node node, object element, str file, object diagnostics, str tag, str owner):
    node.element, node.file, node.tag, node._diagnostics = element, file, tag, diagnostics
    named = element.get("name") if tag in OWNERS else None
    node.owner = f"{OWNERS[tag]} {named!r}" if named else owner


cpdef str local_name(element):
    """The tag; of the document's default name space without it, of another as "prefix:tag"."""
    tag = element.tag
    if not isinstance(tag, str):  # an entity reference: refused with its DOCTYPE, kept here as no known tag
        return "?"
    if tag[0] != "{":
        return tag
    bare = tag.rsplit("}", 1)[1]
    return f"{element.prefix}:{bare}" if element.prefix else bare
