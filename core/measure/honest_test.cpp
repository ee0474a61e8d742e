// SPDX-License-Identifier: Apache-2.0
//
// No honest visit is refused, whatever other programs do to it: recorded series on machines that are busy.
// ASSAY_HONEST_VISITS: how many of each series, for each kind of work and of machine; there are nine series.
#include "base/file.hpp"
#include "measure/testing/lying_region.hpp"
#include "measure/testing/recorded_region.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace assay::measure {
namespace {

std::uint64_t visits_of_each() {
  const char* wanted = std::getenv("ASSAY_HONEST_VISITS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1'120;
}

std::vector<double> recorded(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file.string()));
  std::vector<double> series;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.front() != '#') series.push_back(std::stod(line) * 32e-9);
  return series;
}

std::map<std::string, std::vector<double>> all_series() {
  std::map<std::string, std::vector<double>> all;
  for (const auto& file : std::filesystem::directory_iterator(source_folder() / "tests/fixtures/traces"))
    if (file.path().extension() == ".csv") all[file.path().stem()] = recorded(file.path());
  // What nobody recorded: work so short that a sample holds hundreds of iterations.
  all["5 us an iteration"] = {5e-6, 5e-6, 5.1e-6};
  return all;
}

struct HonestKind {
  const char* name;
  Honest honest;
  Thermal thermal = Thermal::standard;
};

std::vector<HonestKind> kinds() {
  Honest threads, device, queue, host_laps, device_laps, slow, scattered;
  threads.call_s = 80e-6;
  device.clock = queue.clock = device_laps.clock = ClockKind::device;
  queue.queues_first = true;
  host_laps.laps = device_laps.laps = true;
  slow.verify_s = 0.3;
  slow.reseed_s = slow.prepare_s = 0.1;
  slow.release_s = 0.2;
  scattered.scatter_s = 0.15;
  return {{"host", {}},
          {"host, threads to wake", threads},
          {"host, laps", host_laps},
          {"device", device},
          {"device, queued first", queue},
          {"device, laps", device_laps},
          {"host, slow to verify and release", slow},
          {"host, verifying scatters", scattered}};
}

TEST(Honest, NoVisitIsRefused) {
  const std::uint64_t each = visits_of_each();
  const auto all = all_series();
  ASSERT_GE(all.size(), 9U);
  for (const HonestKind& kind : kinds()) {
    for (const Disturbance& by : kDisturbances) {
      std::uint64_t visits = 0;
      std::map<std::string, std::uint64_t> refused;
      std::string why;
      for (const auto& [name, series] : all) {
        for (std::uint64_t visit = 0; visit < each; ++visit, ++visits) {
          MachineClock clock(by, visits);
          RecordedRegion region(clock, kind.honest, series, visit * 97);
          VisitSettings settings;
          settings.samples = 50;
          settings.warmup = 0;
          settings.max_time_s = 3;
          const std::string code = refusal_of(region, clock, traits_of(kind.honest), settings, visits, &why);
          if (!code.empty()) ++refused[name + ": " + code + ": " + why];
        }
      }
      std::uint64_t count = 0;
      for (const auto& [what, times] : refused) {
        std::printf("  %s, %s, %s: %llu\n", kind.name, by.name, what.c_str(),
                    static_cast<unsigned long long>(times));
        count += times;
      }
      std::printf("%-34s %-8s refused %llu of %llu visits\n", kind.name, by.name,
                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(visits));
      EXPECT_LE(count, visits / 10'000) << kind.name << ", " << by.name;
    }
  }
}

}  // namespace
}  // namespace assay::measure
