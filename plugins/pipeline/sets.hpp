// SPDX-License-Identifier: Apache-2.0
//
// Arrays of equal size, for whoever needs one for a while.
#pragma once

#include <stdexcept>
#include <vector>

namespace assay::plugins::pipeline {

template <class Element>
class Sets {
 public:
  void add(Element* set) { free_.push_back(set); }
  Element* take() {
    Element* set = next();
    free_.pop_back();
    return set;
  }
  // For a pass that leaves nothing behind.
  Element* next() const {
    if (free_.empty()) throw std::logic_error("more micro-batches in flight than the schedule says");
    return free_.back();
  }
  void put_back(Element* set) { free_.push_back(set); }

 private:
  std::vector<Element*> free_;
};

}  // namespace assay::plugins::pipeline
