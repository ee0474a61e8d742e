// SPDX-License-Identifier: Apache-2.0
//
// To write and to read what the result document is made of. It is compiled once, in document.cpp, and takes long.
#pragma once

#include "model/document_fields.hpp"
#include "model/field_json.hpp"

namespace assay::model {

extern template Json to_json(const Verdict&);
extern template Json to_json(const Run&);
extern template Json to_json(const Case&);
extern template Json to_json(const Group&);
extern template Json to_json(const Finding&);
extern template Json to_json(const Diagnosis&);
extern template Json to_json(const Table&);
extern template Json to_json(const Document&);

extern template bool read(const TreeCursor&, Verdict&, const Path&);
extern template bool read(const TreeCursor&, Run&, const Path&);
extern template bool read(const TreeCursor&, Case&, const Path&);
extern template bool read(const TreeCursor&, Group&, const Path&);
extern template bool read(const TreeCursor&, Finding&, const Path&);
extern template bool read(const TreeCursor&, Diagnosis&, const Path&);
extern template bool read(const TreeCursor&, Table&, const Path&);
extern template bool read(const TreeCursor&, Document&, const Path&);
extern template bool read(const TextCursor&, Verdict&, const Path&);
extern template bool read(const TextCursor&, Run&, const Path&);
extern template bool read(const TextCursor&, Case&, const Path&);
extern template bool read(const TextCursor&, Group&, const Path&);
extern template bool read(const TextCursor&, Finding&, const Path&);
extern template bool read(const TextCursor&, Diagnosis&, const Path&);
extern template bool read(const TextCursor&, Table&, const Path&);
extern template bool read(const TextCursor&, Document&, const Path&);
extern template void read_member(const TextCursor&, std::string_view, Document&, const Path&);

}  // namespace assay::model
