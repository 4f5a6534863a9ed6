"""Untrusted XML: no document type, no entities, no network, no huge or deep trees; errors with file:line."""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from rbdyn.errors import FileError, UrdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.xml_declaration import repaired, with_prefix

MAX_BYTES = 32 << 20
MAX_TAGS = 400_000  # start and end tags: an element in memory is many times longer than "<a/>"
MAX_ATTRIBUTES = 1_000_000  # likewise
MAX_OF_ELEMENT = 1_000  # attributes of one element, as lxml finds each by a walk; MuJoCo's richest element has some 70
_depth = re.compile(r"Excessive depth in document: ([0-9]{1,9})")


class _DocumentTypeError(Exception):
    pass


class _PrologEndError(Exception):
    pass


def check_prolog(data: bytes, name: str, error: type[FileError], encoding: str | None = None) -> None:
    """Raise `error` if `data` has a DOCTYPE: entities can blow up memory and read other files.

    Only what stands before the root element is parsed, so an entity is never expanded.  `encoding` overrides what the
    document declares.
    """
    parser = expat.ParserCreate(encoding)

    def stop(*_: object) -> None:
        raise _PrologEndError

    def refuse(*_: object) -> None:
        raise _DocumentTypeError

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(data, True)
    except _DocumentTypeError:
        line = parser.CurrentLineNumber
        raise error(f"{name}:{line}: DOCTYPE and entities are refused; remove the <!DOCTYPE ...>") from None
    except (_PrologEndError, expat.ExpatError) as problem:
        if getattr(problem, "code", 0) == expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]:
            raise error(f"{name}:1: the encoding of this XML is not read; save it as UTF-8") from None
        # For text that is malformed, lxml has the better message.
    except (ValueError, LookupError):
        raise error(f"{name}:1: the encoding of this XML is not read; save it as UTF-8") from None


def parse_xml(
    source: str | bytes,
    name: str,
    diagnostics: Diagnostics,
    error_type: type[FileError] = UrdfError,
    kind: str = "robot",
) -> Any:
    """The root element (lxml) of an XML document.

    Parameters
    ----------
    source : str or bytes
        The document; bytes are decoded as its declaration says.
    name : str
        For messages.
    diagnostics : Diagnostics
        Takes what was repaired in the XML declaration.
    error_type : type of FileError
        What to raise.
    kind : str
        What the document describes, for messages.

    Raises
    ------
    FileError
        Of the class `error_type`, with name:line, if it is too large, has a DOCTYPE, or is not well-formed.
    """
    from lxml import etree

    if isinstance(source, str):
        try:
            data = source.encode("utf-8")
        except UnicodeEncodeError:
            raise error_type(f"{name}:1: the text holds characters that are not Unicode (lone surrogates)") from None
    else:
        data = source
    if len(data) > MAX_BYTES:
        raise error_type(f"{name}:1: {len(data)} bytes of XML, at most {MAX_BYTES} are read")
    for what, mark, most in (("tags", b"<", MAX_TAGS), ("attributes", b"=", MAX_ATTRIBUTES)):
        count = data.count(mark)
        if count > most:
            raise error_type(f"{name}:1: {count} {what} of XML, at most {most} are read")
    if not data.strip():
        raise error_type(f"{name}:1: the {kind} description is empty")
    data = repaired(data, name, diagnostics)
    encoding = "utf-8" if isinstance(source, str) else None  # of a str the declared one no longer matters
    check_prolog(data, name, error_type, encoding)
    parser = etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        declared = with_prefix(data, str(error.msg or ""), name, diagnostics)
        if declared is not None:
            again = declared.decode("utf-8") if isinstance(source, str) else declared
            return parse_xml(again, name, diagnostics, error_type, kind)
        text = (error.msg or "malformed").split(", line ")[0].strip()
        depth = _depth.match(text)  # libxml2's limit, which its versions choose
        if depth is not None:
            text = f"an element is nested too deep, at most {depth[1]} are read in one another"
        elif "XML_PARSE_HUGE" in text:
            text = "a text is too long, at most 10 MB are read, or a name is"
        raise error_type(f"{name}:{error.lineno or 1}: not well-formed XML: {text[:300]}") from None
    except (ValueError, LookupError) as error:
        raise error_type(f"{name}:1: not well-formed XML: {str(error)[:300]}") from None
    crowded: Any = []
    if data.count(b"=") > MAX_OF_ELEMENT:
        crowded = root.xpath(f"(//*[@*[{MAX_OF_ELEMENT + 1}]])[1]")
    if crowded:
        label = shown(str(crowded[0].tag))[1:-1]
        came = f"<{label}> has {len(crowded[0].attrib)} attributes"
        raise error_type(f"{name}:{crowded[0].sourceline}: {came}, at most {MAX_OF_ELEMENT} of an element are read")
    if root.getroottree().docinfo.internalDTD is not None:  # in an encoding that expat does not know
        raise error_type(f"{name}:1: DOCTYPE and entities are refused; remove the <!DOCTYPE ...>")
    return root
