// SPDX-License-Identifier: Apache-2.0
//
// Findings, and runs that they are judged on.
#pragma once

#include "judge/judge_test_world.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

inline suite::SuiteFinding finding(const std::string& claim,
                                   const std::vector<std::pair<std::string, std::string>>& let = {}) {
  suite::SuiteFinding finding;
  finding.id.value = "f";
  finding.question.value = "Is it so?";
  finding.claim_text = claim;
  finding.claim = World::parse(claim);
  for (const auto& [name, text] : let) finding.let.push_back({{name, {}}, World::parse(text)});
  finding.confirmed = suite::VerdictWords{"It is {effect}.", {}, "do it", {}};
  finding.refuted = suite::VerdictWords{"It is not.", {}, {}, {}};
  finding.position = {"unit.yaml", 30, 5};
  return finding;
}

// membw over two sizes and three kernels with given times at a size of 1 (doubled at 2), over some rounds
// with 0.3 % between.
struct Study {
  World world;
  std::size_t written;
  explicit Study(int rounds, double plain = 0.02, double nt = 0.016, double asm_ = 0.018) {
    written = world.suite_case("membw");
    std::uint64_t stream = 0;
    for (const auto& [size, factor] : {std::pair{"1GiB", 1.0}, std::pair{"2GiB", 2.0}})
      for (const auto& [kernel, seconds] :
           {std::pair{"plain", plain}, std::pair{"nt", nt}, std::pair{"asm", asm_}}) {
        const std::string id = world.planned(written, {{"bytes", size}, {"kernel", kernel}}, rounds);
        statistics::Random random(5, ++stream);
        for (int r = 1; r <= rounds; ++r)
          world.visit(
              id,
              World::around(seconds * factor * (1 + 0.003 * random.normal()), 50, 0.001, stream * 100 + r),
              r);
      }
  }
  Json judge_one(const suite::SuiteFinding& each) {
    world.suite.findings = {each};
    return world.document().at("findings").at(0);
  }
};

}  // namespace assay::judge
