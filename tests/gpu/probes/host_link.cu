// SPDX-License-Identifier: Apache-2.0
//
// Why copies between host and GPU are slow for moments: is it the host's memory, a host that gives the time to
// others, or neither?
//
//   nvcc -O3 -std=c++17 -arch=native -o host_link tests/gpu/probes/host_link.cu && ./host_link 8
//
// Copies 64 MiB of pinned memory again and again, each way for so many seconds, while another thread follows
// pointers through 512 MiB of the host's memory. In bins of 20 ms it compares the copies' rate with what one
// load took. If the host's memory were what holds copies up, loads would be slow when copies are; `steal` counts
// what the hypervisor took of all CPUs, in ticks of 10 ms.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20, kChased = std::size_t{512} << 20;
constexpr double kBin_s = 0.02, kSlow = 0.97;  // of the median rate

struct Point {
  double at_s, value;
};
struct Bin {
  double copies = 0, rate = 0, looks = 0, load_ns = 0;
};
struct alignas(64) Node {
  std::size_t next;
};

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  std::exit(1);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

long stolen_ticks() {
  std::ifstream file("/proc/stat");
  std::string word;
  long value = 0;
  file >> word;
  for (int field = 0; field < 8; ++field) file >> value;
  return value;
}

double quantile(std::vector<Point> points, double share) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.value < b.value; });
  return points[static_cast<std::size_t>(share * static_cast<double>(points.size() - 1))].value;
}

std::vector<Node> chain() {
  std::vector<std::size_t> order(kChased / sizeof(Node));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  std::vector<Node> nodes(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) nodes[order[i]].next = order[(i + 1) % order.size()];
  return nodes;
}

void follow(const std::vector<Node>& nodes, const std::atomic<bool>& stop, std::vector<Point>& seen) {
  constexpr int kLoads = 10'000;
  std::size_t at = 0;
  while (!stop) {
    const double begin_s = now_s();
    for (int i = 0; i < kLoads; ++i) at = nodes[at].next;
    const double end_s = now_s();
    seen.push_back({(begin_s + end_s) / 2, (end_s - begin_s) / kLoads * 1e9});
  }
  if (at == nodes.size()) std::puts("");  // so that the loads are needed
}

double correlation(const std::vector<Bin>& bins) {
  double rate = 0, load = 0, both = 0, rates = 0, loads = 0;
  for (const Bin& bin : bins) rate += bin.rate, load += bin.load_ns;
  rate /= static_cast<double>(bins.size());
  load /= static_cast<double>(bins.size());
  for (const Bin& bin : bins) {
    both += (bin.rate - rate) * (bin.load_ns - load);
    rates += (bin.rate - rate) * (bin.rate - rate);
    loads += (bin.load_ns - load) * (bin.load_ns - load);
  }
  return both / std::sqrt(rates * loads);
}

std::vector<Bin> binned(const std::vector<Point>& copies, const std::vector<Point>& loads) {
  std::map<long, Bin> all;
  for (const Point& each : copies) {
    Bin& bin = all[std::lround(each.at_s / kBin_s)];
    bin.copies += 1, bin.rate += each.value;
  }
  for (const Point& each : loads) {
    Bin& bin = all[std::lround(each.at_s / kBin_s)];
    bin.looks += 1, bin.load_ns += each.value;
  }
  std::vector<Bin> bins;
  for (const auto& [number, bin] : all)
    if (bin.copies > 0 && bin.looks > 0)
      bins.push_back({bin.copies, bin.rate / bin.copies, bin.looks, bin.load_ns / bin.looks});
  return bins;
}

void measure(const char* name, cudaMemcpyKind kind, char* to, const char* from,
             const std::vector<Node>& nodes, double seconds) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::atomic<bool> stop{false};
  std::vector<Point> loads, copies;
  const long stolen = stolen_ticks();
  std::thread other([&] { follow(nodes, stop, loads); });
  for (const double until_s = now_s() + seconds; now_s() < until_s;) {
    const double begin_s = now_s();
    float took_ms = 0;
    check(cudaEventRecord(begin));
    check(cudaMemcpyAsync(to, from, kBytes, kind));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&took_ms, begin, end));
    copies.push_back({(begin_s + now_s()) / 2, static_cast<double>(kBytes) / (took_ms * 1e6)});
  }
  stop = true;
  other.join();
  const double median = quantile(copies, 0.5);
  std::printf("%s: %zu copies, GB/s: least %.1f, 5 %% %.1f, 25 %% %.1f, median %.1f, most %.1f; steal %ld\n",
              name, copies.size(), quantile(copies, 0), quantile(copies, 0.05), quantile(copies, 0.25),
              median, quantile(copies, 1), stolen_ticks() - stolen);
  const std::vector<Bin> bins = binned(copies, loads);
  double slow = 0, slow_ns = 0, other_ns = 0;
  for (const Bin& bin : bins) {
    const bool is_slow = bin.rate < kSlow * median;
    slow += is_slow;
    (is_slow ? slow_ns : other_ns) += bin.load_ns;
  }
  const double others = static_cast<double>(bins.size()) - slow;
  std::printf(
      "     %.0f of %zu bins slower than %.2f of the median; a load took %.0f ns in them, %.0f ns in the others; "
      "correlation of rate and load %.2f\n",
      slow, bins.size(), kSlow, slow > 0 ? slow_ns / slow : 0, others > 0 ? other_ns / others : 0,
      correlation(bins));
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 8;
  char *host = nullptr, *device = nullptr;
  check(cudaMallocHost(&host, kBytes));
  check(cudaMalloc(&device, kBytes));
  std::memset(host, 1, kBytes);
  const std::vector<Node> nodes = chain();
  measure("h2d", cudaMemcpyHostToDevice, device, host, nodes, seconds);
  measure("d2h", cudaMemcpyDeviceToHost, host, device, nodes, seconds);
}
