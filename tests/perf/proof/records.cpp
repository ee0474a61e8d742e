// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <fstream>
#include <stdexcept>

namespace assay::proof {

const std::vector<Record>& records() {
  using statistics::Statistic;
  static const std::vector<Record> all = {
      {"gemm_8192_sustained.csv", "gemm 8192, power-limited", 3, Statistic::mean, true},
      {"gemm_4096_sustained.csv", "gemm 4096, power-limited", 2, Statistic::mean, true},
      {"triad.csv", "triad", 0.1, Statistic::mean, false},
      {"host_to_device.csv", "copy host to device", 0.1, Statistic::mean, false},
      {"device_to_device.csv", "copy device to device", 0.1, Statistic::mean, false},
      {"launch_100.csv", "100 launches", 0.01, Statistic::median, false},
      {"allreduce_1MiB.csv", "all-reduce 1 MiB", 0.1, Statistic::median, false},
      {"allreduce_1GiB.csv", "all-reduce 1 GiB", 0.1, Statistic::mean, false},
  };
  return all;
}

std::vector<double> read(const Record& record) {
  std::ifstream file(std::string(ASSAY_TRACES "/") + record.file);
  if (!file) throw std::runtime_error(std::string("'" ASSAY_TRACES "/") + record.file + "' cannot be read");
  std::vector<double> seconds;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with('#')) seconds.push_back(std::stod(line) * kTick_s);
  }
  return seconds;
}

std::vector<double> settled(const Record& record) {
  const std::vector<double> whole = read(record);
  std::size_t n = 0;
  for (double passed = 0; n < whole.size() && passed < record.settled_s; ++n) passed += whole[n];
  return {whole.begin() + static_cast<std::ptrdiff_t>(n), whole.end()};
}

}  // namespace assay::proof
