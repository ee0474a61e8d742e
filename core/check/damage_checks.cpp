// SPDX-License-Identifier: Apache-2.0
//
// Whether a verification can fail: its results are spoiled, and it has to notice. Memory of assay.memory/1 the host
// spoils itself; other memory, such as a device's, the plugin does by its function damage.
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/tested_case.hpp"

#include <assay/abi/v1.h>

#include <cstdint>
#include <optional>
#include <string>

namespace assay::check {
namespace {

bool noticed(const Answer& answer, const assay_verification& seen) { return !answer.ok() || seen.wrong > 0; }

// What is wrong with a verification of damaged results, or "".
std::string fault_of(const Answer& answer, const assay_verification& seen) {
  if (answer.ok() && seen.wrong == 0)
    return "damage() spoiled its results, and verify found nothing wrong: either it cannot fail, or damage() does "
           "not reach what it compares";
  if (answer.threw || (!answer.ok() && answer.status != ASSAY_E_VERIFY))
    return "after damage() verify gave " + answer.text() + "; results that are wrong are ASSAY_E_VERIFY";
  return {};
}

class Damage {
 public:
  explicit Damage(const CheckedBenchmark& checked)
      : checked_(checked), parameters_(quick_parameters(checked)) {}

  CheckVerdict check() {
    std::string how;
    for (const auto way : {&Damage::by_itself, &Damage::from_outside}) {
      if (auto verdict = (this->*way)()) {
        if (verdict->result != CheckStatus::passed) return *verdict;
        how += (how.empty() ? "" : ", and ") + verdict->text;
      }
    }
    if (!how.empty()) return passed(how + " was noticed");
    return not_checked(
        "nothing can spoil its results: it has no function damage, and takes nothing from assay.memory/1 that could be "
        "reached while it verifies; give it one of them");
  }

 private:
  // A case whose results are there and right; why there is none.
  std::optional<CheckVerdict> make_ready(TestedCase& tested) {
    const CheckedRank& rank = checked_.subject.rank();
    assay_traits traits{};
    Answer answer = tested.get_ready(&traits);
    if (!answer.ok()) return not_checked("it did not get ready: " + answer.text());
    if (!tested.can_verify()) return skipped("it verifies nothing; see verify-present");
    assay_verification seen{};
    answer = tested.verify(ASSAY_VERIFY_BEFORE, seen);
    if (rank.any(noticed(answer, seen)))
      return not_checked("it finds its own results wrong: " + answer.text());
    if (!rank.any(seen.checked != 0)) return skipped("it verifies nothing; see verify-present");
    quantum_ = traits.quantum;
    leaves_one_ = rank.any((traits.flags & ASSAY_TRAIT_IDEMPOTENT) != 0);
    phase_ = leaves_one_ ? ASSAY_VERIFY_LAST : ASSAY_VERIFY_AFTER;
    if (!leaves_one_) return std::nullopt;
    answer = tested.iterate(traits.quantum);
    if (!answer.ok()) return not_checked("iterate gave " + answer.text());
    return std::nullopt;
  }

  // No verdict where it cannot.
  std::optional<CheckVerdict> by_itself() {
    const CheckedRank& rank = checked_.subject.rank();
    TestedCase tested(checked_, parameters_);
    if (auto verdict = make_ready(tested)) return verdict;
    if (!tested.can_damage()) return std::nullopt;
    checked_.subject.enter("damage");
    Answer answer = tested.damage();
    if (rank.any(tested.own().status == ASSAY_E_UNSUPPORTED && !tested.own().threw)) return std::nullopt;
    if (!answer.ok()) return failed("damage gave " + answer.text());
    checked_.subject.enter("verify, after damage");
    assay_verification seen{};
    answer = tested.verify(phase_, seen);
    // Of several ranks one that notices is enough: results need not lie at every rank.
    const bool counted = rank.any(answer.ok() && seen.wrong > 0);
    if (const std::string fault = fault_of(answer, seen); !fault.empty() && !counted) return failed(fault);
    // What ended one rank's call has ended the case of all.
    if (!rank.alone()) return passed("what damage() spoiled");
    checked_.subject.enter("verify, once more");
    answer = tested.verify(ASSAY_VERIFY_BEFORE, seen);
    if (noticed(answer, seen))
      return failed("what damage() spoiled is still wrong when it computes anew: " + answer.text());
    return passed("what damage() spoiled");
  }

  std::optional<CheckVerdict> from_outside() {
    const CheckedRank& rank = checked_.subject.rank();
    TestedCase tested(checked_, parameters_);
    if (auto verdict = make_ready(tested)) return verdict;
    if (!rank.any(tested.memory_bytes() != 0)) return std::nullopt;
    if (leaves_one_) tested.disturb();
    tested.disturbing = !leaves_one_;
    checked_.subject.enter("verify, after its memory was disturbed", true);
    assay_verification seen{};
    Answer answer = tested.verify(phase_, seen);
    tested.disturbing = false;
    // The results may lie elsewhere, on a device say, and come from the memory that was changed.
    if (leaves_one_ && !rank.any(noticed(answer, seen))) {
      checked_.subject.enter("iterate, after its memory was disturbed", true);
      if (tested.iterate(quantum_).ok()) answer = tested.verify(phase_, seen);
    }
    checked_.subject.enter("release");
    // Not idempotent, and it asks nothing of the host while it verifies: there is no moment to do it in.
    if (!rank.any(tested.disturbances() != 0)) return std::nullopt;
    if (rank.any(noticed(answer, seen))) return passed("every byte that was changed");
    return failed(
        "every byte of its memory was changed before it worked and compared, and it found nothing wrong: it "
        "cannot fail");
  }

  const CheckedBenchmark& checked_;
  const Json parameters_;
  std::uint64_t quantum_ = 1;
  bool leaves_one_ = false;  // idempotent
  assay_verify_phase phase_ = ASSAY_VERIFY_LAST;
};

}  // namespace

CheckVerdict check_can_fail(const Subject& subject) {
  return each_benchmark(subject, [&](const CheckedBenchmark& checked) { return Damage(checked).check(); });
}

}  // namespace assay::check
