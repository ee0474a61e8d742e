// SPDX-License-Identifier: Apache-2.0
//
// The timeline of a traced sample: what went on, when, and on which stream or thread. Readers see it with the `trace`
// reporter.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>

#include <cstdint>

namespace assay {

// Reports to the host in Mode::trace, after the region, because that takes longer than small work does; at other times
// it does nothing. Texts are copied at once. [any thread]
class Spans {
 public:
  explicit Spans(const Case& run)
      : host_(run.host()), service_(run.service<assay_span_v1>(ASSAY_SERVICE_SPAN)) {}

  // Between two readings of Case::now_ns(), in an iteration of the sample, from 0.
  void add(const char* track, const char* name, std::int64_t begin_ns, std::int64_t end_ns,
           std::uint64_t iteration = 0) const {
    add_by_clock(0, track, name, begin_ns, end_ns, iteration);
  }

  // By a clock of the benchmark's own, with a number above 0, and what that clock read at a moment of now_ns(): once,
  // or at the begin and the end.
  void add_by_clock(std::uint32_t clock, const char* track, const char* name, std::int64_t begin_ns,
                    std::int64_t end_ns, std::uint64_t iteration = 0) const {
    if (service_ == nullptr) return;
    const assay_span span{sizeof(assay_span), clock, track, name, iteration, begin_ns, end_ns};
    service_->span(host_, &span);
  }
  void match(std::uint32_t clock, std::int64_t clock_ns, std::int64_t host_ns) const {
    if (service_ != nullptr) service_->match(host_, clock, clock_ns, host_ns);
  }

 private:
  const assay_case* host_;
  const assay_span_v1* service_;
};

}  // namespace assay
