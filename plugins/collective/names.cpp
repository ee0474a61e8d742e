// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule.hpp"

namespace assay::plugins::collective {

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::all_reduce:
      return "all_reduce";
    case Operation::all_gather:
      return "all_gather";
    case Operation::reduce_scatter:
      return "reduce_scatter";
    case Operation::broadcast:
      return "broadcast";
    case Operation::reduce:
      return "reduce";
    case Operation::all_to_all:
      return "all_to_all";
    case Operation::gather:
      return "gather";
    case Operation::scatter:
      return "scatter";
    case Operation::send_recv:
      return "send_recv";
  }
  return "";
}

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::direct:
      return "direct";
    case Algorithm::ring:
      return "ring";
    case Algorithm::recursive_doubling:
      return "recursive_doubling";
    case Algorithm::tree:
      return "tree";
  }
  return "";
}

std::string why_not_there(Operation operation, Algorithm algorithm, std::uint32_t ranks) {
  constexpr std::uint32_t kEveryAlgorithmTakesThem = 4;
  const bool ranks_are_why = is_there(operation, algorithm, kEveryAlgorithmTakesThem);
  const std::string count = std::to_string(ranks) + " ranks";
  std::string has;
  for (const Algorithm each :
       {Algorithm::direct, Algorithm::ring, Algorithm::recursive_doubling, Algorithm::tree}) {
    if (is_there(operation, each, ranks)) has += (has.empty() ? "" : ", ") + std::string(name_of(each));
  }
  return std::string(name_of(operation)) + " has no algorithm '" + name_of(algorithm) + "'" +
         (ranks_are_why ? " for " + count + "; for so many it has " : "; it has ") + has;
}

}  // namespace assay::plugins::collective
