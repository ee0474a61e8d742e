// SPDX-License-Identifier: Apache-2.0
//
// Of a finding: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/document_case_fields.hpp"
#include "model/document_finding.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const Operand*) {
  return object(field("id", &Operand::id),
                field("metric", &Operand::metric)
                    .or_default()
                    .note("metric that is read from the case, or the joined names of several metrics"),
                field("value", &Operand::value),
                field("unit", &Operand::unit, &UnitText::base).with(kNullIfEmpty),
                field("written", &Operand::unit, &UnitText::as_written).if_any().note(kWrittenNote));
}

constexpr auto fields_of(const FindingRow*) {
  return object(
      field("label", &FindingRow::label), field("axes", &FindingRow::axes),
      field("verdict", &FindingRow::verdict),
      field("effect", &FindingRow::effect)
          .note("left / right - 1, without factors of the claim; null for a difference"),
      field("low", &FindingRow::bounds, &Bounds::low).with(kOrNull),
      field("high", &FindingRow::bounds, &Bounds::high).with(kOrNull),
      field("n", &FindingRow::n).note("rounds judged"),
      field("more_rounds", &FindingRow::more_rounds)
          .if_any()
          .note("further rounds that should decide an open row; absent if 1000 would not"),
      field("left", &FindingRow::left), field("right", &FindingRow::right),
      field("why", &FindingRow::why).or_default(),
      field("measured", &FindingRow::measured)
          .if_any()
          .note("the quantity that is compared with the limits, with its 95 % interval"),
      field("decides", &FindingRow::decides)
          .if_any()
          .note("under `for`: true for the rows that decide the finding's verdict, if not all rows do"),
      field("best", &FindingRow::best)
          .if_any()
          .note("for `argmax` and `argmin`: the value of the axis that was found"),
      field("tied", &FindingRow::tied).if_any().note("values that cannot be distinguished from `best`"));
}

constexpr auto fields_of(const Threshold*) {
  return object(
      field("operator", &Threshold::op).one_of(kComparisons),
      field("factor", &Threshold::factor).note("left / right is compared with this number"),
      field("tolerance", &Threshold::tolerance)
          .note("within this share: theta, or 0 where the claim has a factor or a quantity and does "
                "not ask for sameness"),
      field("left", &Threshold::left).if_any().note("the side, as the suite names it"),
      field("right", &Threshold::right).if_any(),
      field("measured", &Threshold::measured)
          .if_any()
          .note(
              "the quantity that is compared with the limits: left / right, times the quantities in the claim"),
      field("limits", &Threshold::limits).if_any().note("for the measured quantity; two for sameness"),
      field("unit", &Threshold::unit, &UnitText::base)
          .if_any()
          .note("of the measured quantity: × for a ratio, % for a share"),
      field("written", &Threshold::unit, &UnitText::as_written).if_any().note(kWrittenNote));
}

constexpr auto fields_of(const Expected*) {
  return object(field("value", &Expected::value).note("as the suite writes it"),
                field("source", &Expected::source).if_any());
}

constexpr auto fields_of(const Finding*) {
  return object(
      field("id", &Finding::id), field("question", &Finding::question), field("claim", &Finding::claim),
      field("verdict", &Finding::verdict), field("theta", &Finding::theta).with(kNeverNull),
      field("asks", &Finding::asks).or_default().note("null if the claim cannot be read"),
      field("assert", &Finding::asserted).or_default().note("any verdict but confirmed fails the run"),
      field("why", &Finding::why), field("rows", &Finding::rows),
      field("left_out", &Finding::left_out)
          .if_any()
          .note("number of the finding's rows that the run left out because of --filter, --only or --failed"),
      field("say", &Finding::say), field("do", &Finding::act), field("position", &Finding::position),
      field("post_hoc", &Finding::post_hoc).if_any().note(kPostHocNote),
      field("because", &Finding::because).if_any().note("the suite's reason for this verdict"),
      field("background", &Finding::background).if_any(),
      field("expected", &Finding::expected).if_any().note("the answer that somebody predicted"),
      field("notes", &Finding::notes).if_any(),
      field("for", &Finding::decided_by)
          .if_any()
          .note("`all`, `any` or `worst`: which rows decide the finding's verdict"));
}

}  // namespace assay::model
