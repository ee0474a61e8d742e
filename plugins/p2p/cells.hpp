// SPDX-License-Identifier: Apache-2.0
//
// The matrix of a case from how long its transfers took.
#pragma once

#include "p2p/copy_roles.hpp"
#include "p2p/schedule.hpp"

#include <cstddef>
#include <vector>

namespace assay::plugins::p2p {

struct Cell {
  std::size_t from = 0, to = 0;
  double value = 0;
};

// How long one iteration of a phase took, and each of its transfers by itself.
struct PhaseTimes {
  double all_s = 0;
  std::vector<double> own_s;
};

// Bytes a second from device to device, each of `bytes`. Of two devices by themselves it is what the whole
// phase gave; of more at once each by its own time, so that a link that others burden shows. With both ways
// the sum of them, from either side.
inline std::vector<Cell> bandwidths(const std::vector<Phase>& phases, const std::vector<PhaseTimes>& times,
                                    Direction direction, Traffic traffic, double bytes) {
  std::vector<Cell> cells;
  const auto add = [&](std::size_t from, std::size_t to, double value) {
    for (Cell& cell : cells) {
      if (cell.from != from || cell.to != to) continue;
      cell.value += value;
      return;
    }
    cells.push_back({from, to, value});
  };
  for (std::size_t i = 0; i < phases.size(); ++i) {
    for (std::size_t j = 0; j < phases[i].size(); ++j) {
      const Transfer& transfer = phases[i][j];
      const double value = bytes / (traffic == Traffic::pair ? times[i].all_s : times[i].own_s[j]);
      add(transfer.from, transfer.to, value);
      if (direction == Direction::both) add(transfer.to, transfer.from, value);
    }
  }
  return cells;
}

// Of both ways between two devices, the mean over pairs: bytes a second from the lower place to the higher,
// or back, by each way's own time.
inline double way_bandwidth(const std::vector<Phase>& phases, const std::vector<PhaseTimes>& times, Way way,
                            double bytes) {
  double sum_s = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    for (std::size_t j = 0; j < phases[i].size(); ++j) {
      if (phases[i][j].way == way) sum_s += times[i].own_s[j];
    }
  }
  return bytes * static_cast<double>(phases.size()) / sum_s;
}

}  // namespace assay::plugins::p2p
