// SPDX-License-Identifier: Apache-2.0
//
// A worker in a process of its own, and the controller's side of its socket.
#pragma once

#include "base/file.hpp"
#include "base/json.hpp"
#include "text/testing/folders.hpp"
#include "wire/channel.hpp"
#include "wire/messages.hpp"
#include "wire/segment.hpp"
#include "wire/shared_text.hpp"
#include "worker/worker.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::worker {

inline std::filesystem::path fixture(const std::string& name) {
  return build_folder() / "tests/plugins" / (name + ".so");
}

class WorkerProcess {
 public:
  explicit WorkerProcess(const std::string& variable = "", wire::Segment* segment = nullptr,
                         const measure::GuardSet& guards = {}, const std::string& document = "{}") {
    const auto ends = wire::make_socket_pair();
    const int shared = segment == nullptr ? -1 : ::dup(segment->descriptor());
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      const wire::SharedText input(document);
      if (!variable.empty()) ::setenv("ASSAY_MISBEHAVING", variable.c_str(), 1);
      WorkerOptions options;
      options.socket = ends[1];
      options.segment = shared;
      options.input = input.descriptor();
      options.version = "1.0.0";
      options.leave = [](int status) { ::_exit(status); };
      options.guards = guards;
      ::_exit(run_worker(options));
    }
    ::close(ends[1]);
    if (shared >= 0) ::close(shared);
    channel_ = std::make_unique<wire::Channel>(ends[0]);
  }
  ~WorkerProcess() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    (void)wait();
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void send(const Json& frame) { channel_->send(frame); }

  // Far longer than anything here takes, so that a defect ends the test instead of hanging it.
  Json receive() {
    auto frame = channel_->receive(600'000);
    if (!frame) throw std::runtime_error("the worker gave no answer");
    return *frame;
  }
  Json ask(const Json& frame) {
    send(frame);
    return receive();
  }
  Json load(const std::filesystem::path& library, const std::string& id, int rank = 0, int rank_count = 1) {
    return ask(wire::to_json(wire::Load{library.string(), id, rank, rank_count, rank, 0, 1}));
  }
  // The answer to a visit; what comes before it is kept.
  wire::Visited visited() {
    for (;;) {
      const Json frame = receive();
      if (frame.at("type") == "visited") return wire::visited_from_json(frame);
      if (frame.at("type") == "error") throw std::runtime_error(frame.at("text").get<std::string>());
      before.push_back(frame);
    }
  }
  wire::Visited visit(const wire::StartVisit& start) {
    send(wire::to_json(start));
    return visited();
  }

  void hang_up() { channel_.reset(); }
  // The process's status as waitpid gives it.
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

  std::vector<Json> before;

 private:
  pid_t process_ = -1;
  std::unique_ptr<wire::Channel> channel_;
};

// A visit of the fake plugin's benchmark `series` with the manifest's defaults.
inline wire::StartVisit fake_visit(const Json& parameters = Json::object(),
                                   const std::string& benchmark = "series") {
  static const Json manifest = Json::parse(read_file(build_folder() / "tests/plugins/assay_fake.assay.json"));
  wire::StartVisit start;
  start.number = 1;
  start.case_id = "a";
  start.benchmark = benchmark;
  start.parameters = Json::object();
  for (const Json& offered : manifest.at("benchmarks")) {
    if (offered.at("name") != benchmark) continue;
    for (const Json& parameter : offered.at("parameters"))
      start.parameters[parameter.at("name").get<std::string>()] = parameter.at("default");
    for (const Json& metric : offered.at("metrics")) start.metrics.push_back(metric.at("name"));
    for (const Json& fact : offered.at("facts")) start.facts.push_back(fact.at("name"));
    for (const Json& check : offered.value("checks", Json::array())) start.checks.push_back(check);
  }
  start.parameters.update(parameters);
  start.devices = {{"fake:2", "FAKE-0000-2", 0, 1}};
  start.measure.samples = 20;
  start.measure.warmup = 5;
  return start;
}

inline wire::StartVisit misbehaving_visit(const std::string& how) {
  wire::StartVisit start;
  start.number = 1;
  start.case_id = "a";
  start.benchmark = "misbehaving";
  start.parameters = {{"how", how}, {"whole", 3}, {"truth", true}, {"large", ~std::uint64_t{0}}};
  start.metrics = {"bandwidth"};
  start.measure.samples = 3;
  start.measure.warmup = 0;
  return start;
}

}  // namespace assay::worker
