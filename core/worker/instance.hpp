// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/region.hpp"
#include "result/visit.hpp"
#include "worker/case_context.hpp"
#include "worker/ending.hpp"
#include "worker/floating_point.hpp"

#include <assay/abi/v1.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::worker {

// A plugin's instance of a benchmark. Each call gives how the visit ends, or nothing if it goes on.
class Instance final : public measure::Region {
 public:
  Instance(const assay_benchmark_v1& facet, CaseContext& context) : facet_(facet), context_(context) {}

  [[nodiscard]] std::optional<VisitEnding> create(void* plugin, const char* benchmark);
  [[nodiscard]] std::optional<VisitEnding> probe();
  [[nodiscard]] std::optional<VisitEnding> prepare();
  [[nodiscard]] std::optional<VisitEnding> traits(assay_traits& out);
  // Nothing to do if the plugin cannot verify.
  [[nodiscard]] std::optional<VisitEnding> verify(assay_verify_phase phase);
  [[nodiscard]] std::optional<VisitEnding> release();

  // measure::Region. After `failed` or `cancelled`, take_ending() says how the visit ends.
  measure::RegionStatus run(measure::VisitMode mode, std::uint64_t n, std::span<double> laps,
                            measure::Sample& out) override;
  void kept() override { context_.recorder().keep_sample(); }
  measure::RegionStatus check() override;
  [[nodiscard]] bool can_settle() const override;
  measure::RegionStatus settle() override;
  measure::RenewalStatus renew(std::uint64_t seed) override;
  measure::RegionStatus check_new() override;
  [[nodiscard]] std::optional<VisitEnding> take_ending() { return std::exchange(ending_, std::nullopt); }
  // The phase that endings in run() name.
  void set_phase(const char* phase) { phase_ = phase; }

  [[nodiscard]] std::vector<result::Verification>& verifications() { return verifications_; }
  [[nodiscard]] bool idempotent() const { return idempotent_; }
  [[nodiscard]] Interruption::Cause cause() const { return context_.cause(); }

  // A call that came back in another floating-point mode than it was made in, which was put back: "the rounding
  // mode is another, after 'prepare'". Empty: none.
  [[nodiscard]] const std::string& changed_mode() const { return changed_mode_; }

 private:
  measure::RegionStatus ran() const;
  template <class Body>
  std::optional<VisitEnding> call(const char* phase, Body&& body);
  void restore_mode(const char* phase);

  const assay_benchmark_v1& facet_;
  CaseContext& context_;
  void* instance_ = nullptr;
  bool created_ = false;
  bool idempotent_ = false;
  const char* phase_ = "sample";
  const FloatingPoint mode_ = FloatingPoint::read();
  std::string changed_mode_;
  std::optional<VisitEnding> ending_;
  std::vector<result::Verification> verifications_;
};

}  // namespace assay::worker
