// SPDX-License-Identifier: Apache-2.0
//
// Of a timeline: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/document_timeline.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const Span*) {
  return object(field("name", &Span::name), field("begin_s", &Span::begin_s), field("end_s", &Span::end_s),
                field("iteration", &Span::iteration)
                    .if_any()
                    .note("number of the iteration, if the sample has several"));
}

constexpr auto fields_of(const Track*) {
  return object(field("rank", &Track::rank), field("name", &Track::name), field("spans", &Track::spans));
}

constexpr auto fields_of(const Timeline*) {
  return object(field("round", &Timeline::round),
                field("left_out", &Timeline::left_out).note("number of later spans that are not listed"),
                field("tracks", &Timeline::tracks));
}

}  // namespace assay::model
