# SPDX-License-Identifier: Apache-2.0
"""What a header's binary interface is, and how one may follow another: rule ABI-3 of docs/reference/abi.md as a function."""

import dataclasses
import re
import xml.etree.ElementTree

# Passed in arrays, whose elements cannot grow.
FIXED = {"assay_option"}
CATALOGUE = "assay_abi_catalogue"
# What says which interface a header is, and changes with it.
NUMBERS = {"ASSAY_ABI_MINOR", "ASSAY_ABI_PREVIEW", "ASSAY_ABI_OLDEST_MINOR"}


@dataclasses.dataclass(frozen=True)
class Field:
    offset: int  # bytes
    type: str


@dataclasses.dataclass
class Surface:
    structs: dict = dataclasses.field(default_factory=dict)  # name -> {field: Field}, in order
    sizes: dict = dataclasses.field(default_factory=dict)  # struct -> bytes
    names: dict = dataclasses.field(default_factory=dict)  # typedef -> what it stands for
    constants: dict = dataclasses.field(default_factory=dict)  # name -> text


def constants(header):
    """Enumerators and macros without arguments of a header's text."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    found = dict(re.findall(r"^#define (ASSAY_\w+)[ \t]+(\S.*?)[ \t]*$", text, flags=re.M))
    for body in re.findall(r"enum \{(.*?)\}", text, flags=re.S):
        for enumerator in filter(None, (part.strip() for part in body.split(","))):
            name, value = (part.strip() for part in enumerator.split("="))
            found[name] = value
    return {name: value for name, value in found.items() if name not in NUMBERS and name != "ASSAY_EXPORT"}


def number(header, name):
    return int(re.search(rf"^#define {name} (\d+)", header, flags=re.M).group(1))


class Reader:
    """Reads abidw's XML: types refer to each other by id and end in a spelling that is the same in every file."""

    def __init__(self, document):
        self.nodes = {node.get("id"): node for node in xml.etree.ElementTree.fromstring(document).iter() if node.get("id")}

    def spelling(self, ident):
        node = self.nodes[ident]
        inner = node.get("type-id")
        if node.tag == "pointer-type-def":
            return self.spelling(inner) + "*"
        if node.tag == "qualified-type-def":
            return ("const " if node.get("const") else "") + ("volatile " if node.get("volatile") else "") + self.spelling(inner)
        if node.tag == "function-type":
            parameters = ", ".join(self.spelling(part.get("type-id")) for part in node.findall("parameter"))
            return f"{self.spelling(node.find('return').get('type-id'))}({parameters})"
        return node.get("name")  # of a type, typedef or struct

    def surface(self):
        result = Surface()
        for node in self.nodes.values():
            name = node.get("name") or ""
            if node.tag == "class-decl" and name != CATALOGUE and node.get("is-declaration-only") != "yes":
                result.structs[name] = {
                    member.find("var-decl").get("name"):
                        Field(int(member.get("layout-offset-in-bits")) // 8, self.spelling(member.find("var-decl").get("type-id")))
                    for member in node.findall("data-member")
                }
                result.sizes[name] = int(node.get("size-in-bits")) // 8
            elif node.tag == "typedef-decl" and name.startswith("assay_"):  # others are the C library's
                result.names[name] = self.spelling(node.get("type-id"))
        return result


def surface(document, header):
    """The interface of one header: `document` is abidw's description of the catalogue that was built with it."""
    result = Reader(document).surface()
    result.constants = constants(header)
    return result


def field_breaks(struct, old, new):
    """Sentences about fields of the published struct that are no longer what they were."""
    for name, field in old.items():
        if name not in new:
            yield f"{struct}.{name} is gone"
        elif new[name].type != field.type:
            yield f"{struct}.{name} was '{field.type}' and is '{new[name].type}'"
        elif new[name].offset != field.offset:
            yield f"{struct}.{name} moved from byte {field.offset} to byte {new[name].offset}"


def compare(old, new):
    """(breaks, additions) of `new` against a published interface, each a list of sentences."""
    breaks, additions = [], []
    for struct, fields in old.structs.items():
        now = new.structs.get(struct)
        if now is None:
            breaks.append(f"{struct} is gone")
            continue
        breaks += field_breaks(struct, fields, now)
        added = [name for name in now if name not in fields]
        end = old.sizes[struct]
        inside = [name for name in added if now[name].offset < end]
        if struct in FIXED and (added or new.sizes[struct] != end):
            breaks.append(f"{struct} is passed in arrays, and so cannot grow")
        elif inside:
            breaks += [f"{struct}.{name} is not at the tail: it begins at byte {now[name].offset}, before byte {end}" for name in inside]
        elif added:
            additions += [f"{struct}.{name} is new at the tail" for name in added]
        elif new.sizes[struct] != end:
            breaks.append(f"{struct} has {new.sizes[struct]} bytes instead of {end}, without a new field")
    additions += [f"{struct} is new" for struct in new.structs if struct not in old.structs]
    for kind in ("names", "constants"):
        before, after = getattr(old, kind), getattr(new, kind)
        for name, value in before.items():
            if name not in after:
                breaks.append(f"{name} is gone")
            elif after[name] != value:
                breaks.append(f"{name} was '{value}' and is '{after[name]}'")
        if kind == "constants":
            additions += [f"{name} is new" for name in after if name not in before]
    return breaks, additions
