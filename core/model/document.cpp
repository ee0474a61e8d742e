// SPDX-License-Identifier: Apache-2.0
#include "model/document.hpp"

#include "model/document_json.hpp"
#include "model/whole.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace assay::model {

template Json to_json(const Verdict&);
template Json to_json(const Run&);
template Json to_json(const Case&);
template Json to_json(const Group&);
template Json to_json(const Finding&);
template Json to_json(const Diagnosis&);
template Json to_json(const Table&);
template Json to_json(const Document&);

template bool read(const TreeCursor&, Verdict&, const Path&);
template bool read(const TreeCursor&, Run&, const Path&);
template bool read(const TreeCursor&, Case&, const Path&);
template bool read(const TreeCursor&, Group&, const Path&);
template bool read(const TreeCursor&, Finding&, const Path&);
template bool read(const TreeCursor&, Diagnosis&, const Path&);
template bool read(const TreeCursor&, Table&, const Path&);
template bool read(const TreeCursor&, Document&, const Path&);
template bool read(const TextCursor&, Verdict&, const Path&);
template bool read(const TextCursor&, Run&, const Path&);
template bool read(const TextCursor&, Case&, const Path&);
template bool read(const TextCursor&, Group&, const Path&);
template bool read(const TextCursor&, Finding&, const Path&);
template bool read(const TextCursor&, Diagnosis&, const Path&);
template bool read(const TextCursor&, Table&, const Path&);
template bool read(const TextCursor&, Document&, const Path&);
template void read_member(const TextCursor&, std::string_view, Document&, const Path&);

// Each of these is hundreds of instructions: here they are compiled once.
Case::Case() = default;
Case::Case(const Case&) = default;
Case::Case(Case&&) noexcept = default;
Case& Case::operator=(const Case&) = default;
Case& Case::operator=(Case&&) noexcept = default;
Case::~Case() = default;

Run::Run() = default;
Run::Run(const Run&) = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(const Run&) = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Document::Document() = default;
Document::Document(const Document&) = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(const Document&) = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

const Metric* Case::headline() const {
  const bool has_headlines =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.headline; });
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return (has_headlines ? metric.headline : metric.name == kTime) && metric.indices.empty();
  });
  return found == metrics.end() ? nullptr : &*found;
}

bool Case::has_values() const {
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const Metric& metric) { return metric.value.has_value(); });
}

bool Case::undecided() const {
  return std::any_of(expectations.begin(), expectations.end(), [](const Expectation& expectation) {
    return expectation.status == ExpectationStatus::undecided;
  });
}

const Axis* Case::axis(std::string_view wanted) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [wanted](const Axis& axis) { return axis.name == wanted; });
  return found == axes.end() ? nullptr : &*found;
}

const Case* Document::find(std::string_view id) const {
  const auto found = std::find_if(cases.begin(), cases.end(), [id](const Case& one) { return one.id == id; });
  return found == cases.end() ? nullptr : &*found;
}

void make_printable(Json& json) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    if (!is_plain(text)) text = printable(text);
  } else if (json.is_array()) {
    for (Json& each : json) make_printable(each);
  } else if (json.is_object()) {
    bool good = true;
    for (auto member = json.begin(); member != json.end(); ++member) {
      make_printable(member.value());
      good = good && (is_plain(member.key()) || printable(member.key()) == member.key());
    }
    if (good) return;
    Json named = Json::object();
    for (auto member = json.begin(); member != json.end(); ++member)
      named[printable(member.key())] = std::move(member.value());
    json = std::move(named);
  }
}

Document read_document(std::string_view source) {
  auto out = whole<Document>(source, "the result");
  if (!out.schema_version.starts_with("1.")) {
    throw Unreadable("the result has schema version '" + out.schema_version +
                     "', and this reporter reads 1.x");
  }
  return out;
}

Json to_json(const Document& document) { return to_json<Document>(document); }

Host host_of(const Run& run) { return read_leniently<Host>(run.host); }

}  // namespace assay::model
