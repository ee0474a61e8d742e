// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_stamp.hpp"
#include "base/hash.hpp"
#include "worker/testing/worker_process.hpp"

#include <assay/abi/v1.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::worker {
namespace {

using result::Outcome;
using testing::HasSubstr;

// ---- Loading

void expect_refused(const std::filesystem::path& library, const std::string& id, const std::string& text,
                    const std::string& variable = "") {
  WorkerProcess worker(variable);
  const Json answer = worker.load(library, id);
  EXPECT_EQ(answer.at("type"), "error") << text;
  EXPECT_EQ(answer.value("code", ""), "plugin.load");
  EXPECT_THAT(answer.value("text", ""), HasSubstr(text));
  EXPECT_EQ(worker.wait(), 1 << 8);
}

TEST(Load, SaysWhatIsReady) {
  WorkerProcess worker;
  const Json ready = worker.load(fixture("assay_fake"), "org.assay.fake");
  EXPECT_EQ(ready.at("type"), "ready");
  EXPECT_EQ(ready.at("plugin"), "org.assay.fake");
  EXPECT_EQ(ready.at("version"), "1.0.0");
  EXPECT_EQ(ready.at("built_minor"), ASSAY_ABI_MINOR);
  worker.send({{"type", "exit"}});
  EXPECT_EQ(worker.wait(), 0);
}

TEST(Load, RefusesWhatIsNoPluginBeforeItsCodeRuns) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "assay_worker_test";
  std::filesystem::create_directories(folder);
  expect_refused("relative.so", "x", "not absolute");
  expect_refused(folder / "missing.so", "x", "no such file");
  expect_refused(folder, "x", "it is not a file");
  write_file(folder / "text.so", std::string(1000, 'x'));
  expect_refused(folder / "text.so", "x", "it is not an ELF file");
  write_file(folder / "short.so",
             "\x7f"
             "ELF");
  expect_refused(folder / "short.so", "x", "too short");
  std::string image = read_file(fixture("assay_misbehaving"));
  image[18] = 40;  // e_machine: ARM
  image[19] = 0;
  write_file(folder / "arm.so", image);
  expect_refused(folder / "arm.so", "x", "another processor");
  expect_refused(fixture("assay_not_a_plugin"), "x", "it does not export assay_plugin_entry_v1");
}

TEST(Load, RefusesADamagedFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "assay_worker_test";
  std::filesystem::create_directories(folder);
  const std::string image = read_file(fixture("assay_misbehaving"));
  for (const std::size_t size : {std::size_t{64}, std::size_t{200}, image.size() / 2, image.size() - 1000}) {
    write_file(folder / "cut.so", image.substr(0, size));
    WorkerProcess worker;
    const Json answer = worker.load(folder / "cut.so", "org.assay.misbehaving");
    EXPECT_EQ(answer.at("type"), "error") << size;
    EXPECT_EQ(answer.value("code", ""), "plugin.load") << size;
  }
}

TEST(Load, RefusesAnEntryThatBreaksTheInterface) {
  const std::pair<const char*, std::string> rows[] = {
      {"null entry", "gave NULL"},
      {"small entry", "smaller than the interface"},
      {"newer", "needs interface 1." + std::to_string(ASSAY_ABI_MINOR + 1)},
      {"reserved entry", "`reserved` of its entry struct is not 0"},
      {"other preview", "which serves no other minor"},
      {"no id", "id, version, open or query is missing"},
      {"other id", "calls itself 'org.assay.kind'"},
      {"open fails", "open gave the status -8 and no reason"},
      {"open throws", "exception left its function open: no such licence"},
      {"entry throws", "exception left assay_plugin_entry_v1: no memory for tables"}};
  for (const auto& [variable, text] : rows)
    expect_refused(fixture("assay_misbehaving"), "org.assay.misbehaving", text, variable);
}

TEST(Load, SaysWhyThePluginDoesNotOpen) {
  WorkerProcess worker("open says why");
  const Json line = worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  EXPECT_EQ(
      line,
      Json({{"type", "log"}, {"number", 0}, {"level", "warning"}, {"text", "asking the licence server"}}));
  Json answer = worker.receive();
  if (answer.at("type") == "log") answer = worker.receive();  // the second reason
  EXPECT_EQ(
      answer,
      Json(
          {{"type", "error"},
           {"code", "plugin.load"},
           {"text",
            "plugin 'org.assay.misbehaving' did not open: the licence server does not answer (errno 111)"}}));
}

TEST(Load, FacetsThatAreMissingOrIncompleteAreErrorsOfTheRequest) {
  for (const char* variable : {"no benchmark", "small benchmark", "reserved benchmark", "null iterate"}) {
    WorkerProcess worker(variable);
    ASSERT_EQ(worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving").at("type"), "ready");
    const Json answer = worker.ask(wire::to_json(misbehaving_visit("")));
    EXPECT_EQ(answer.at("type"), "error") << variable;
    EXPECT_EQ(answer.at("code"), "plugin.protocol");
  }
}

TEST(Load, ASetOfRanksNeedsItsSegment) {
  WorkerProcess worker;
  EXPECT_EQ(worker.load(fixture("assay_fake"), "org.assay.fake", 0, 2).at("code"), "segment.malformed");
}

// ---- Requests of other kinds

TEST(Requests, ABackendAnswersForItsDevices) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_fake"), "org.assay.fake");
  const Json inventory = worker.ask({{"type", "inventory"}});
  EXPECT_EQ(inventory.at("type"), "inventory");
  EXPECT_EQ(inventory.at("json").at("devices").size(), 4U);
  const Json readings = worker.ask({{"type", "read"}, {"devices", {"fake:1"}}});
  EXPECT_EQ(readings.at("type"), "readings");
  EXPECT_EQ(readings.at("readings").at(0), Json({"fake:1", "power", 101}));
  EXPECT_EQ(readings.at("reasons"), Json::array());
  const Json visibility = worker.ask({{"type", "visibility"}, {"devices", {"fake:1", "fake:3"}}});
  EXPECT_EQ(visibility.at("environment").at("ASSAY_FAKE_VISIBLE_DEVICES"), "fake:1,fake:3");
}

TEST(Requests, AnInventoryThatIsNoJsonIsAnError) {
  WorkerProcess worker("inventory");
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  EXPECT_EQ(worker.ask({{"type", "inventory"}}).at("code"), "plugin.protocol");
  // Readings that are not numbers are left out; a backend without visibility needs no variables.
  EXPECT_EQ(worker.ask({{"type", "read"}, {"devices", {"a"}}}).at("readings").size(), 1U);
  EXPECT_EQ(worker.ask({{"type", "visibility"}, {"devices", {"a"}}}).at("environment"), Json::object());
}

TEST(Requests, TheFirstReasonCounts) {
  WorkerProcess worker("inventory fails twice");
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  const Json answer = worker.ask({{"type", "inventory"}});
  EXPECT_EQ(answer.at("code"), "backend.unavailable");
  EXPECT_THAT(answer.at("text").get<std::string>(), testing::EndsWith("the driver is not loaded"));
}

TEST(Requests, ABackendLogsWithoutACase) {
  WorkerProcess worker("inventory logs");
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  worker.send({{"type", "inventory"}});
  std::vector<Json> frames{worker.receive(), worker.receive()};
  if (frames[0].at("type") != "log") std::swap(frames[0], frames[1]);  // another thread sends it
  EXPECT_EQ(frames[0],
            Json({{"type", "log"}, {"number", 0}, {"level", "warning"}, {"text", "an old driver"}}));
  EXPECT_EQ(frames[1].at("type"), "inventory");
}

TEST(Requests, AReportersFilesComeBeforeItsAnswer) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  const Json request{{"type", "render"},
                     {"reporter", "two files"},
                     {"options", Json::array({Json::array({"a", "1"}), Json::array({"b", "2"})})}};
  EXPECT_EQ(worker.ask(request), Json({{"type", "file"}, {"name", nullptr}}));
  EXPECT_EQ(worker.receive(), Json({{"type", "bytes"}, {"data", "{}a=1;b=2;"}}));
  EXPECT_EQ(worker.receive(), Json({{"type", "file"}, {"name", "extra/second.txt"}}));
  EXPECT_EQ(worker.receive(), Json({{"type", "bytes"}, {"data", "second"}}));
  EXPECT_EQ(worker.receive().at("type"), "rendered");
}

TEST(Requests, AReporterThatFailsGivesNoFiles) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  const std::pair<const char*, const char*> rows[] = {{"refuse", "not to its taste"},
                                                      {"late write", "status -1"},
                                                      {"unclosed", "did not close"},
                                                      {"silent", "wrote no file"}};
  for (const auto& [reporter, text] : rows) {
    const Json answer = worker.ask({{"type", "render"}, {"reporter", reporter}, {"options", Json::array()}});
    EXPECT_EQ(answer.at("type"), "error") << reporter;
    EXPECT_EQ(answer.at("code"), "reporter.failed");
    EXPECT_THAT(answer.at("text").get<std::string>(), HasSubstr(text));
  }
}

TEST(Requests, AReporterThatWritesWithoutEndIsRefused) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  const Json answer = worker.ask({{"type", "render"}, {"reporter", "endless"}, {"options", Json::array()}});
  EXPECT_THAT(answer.at("text").get<std::string>(),
              HasSubstr("its files come to 201 MiB or more, beyond the limit of 200 MiB"));
}

// Rows of what is longer than one frame holds, byte for byte, as often as it is asked for.
TEST(Requests, ALongDocumentIsRenderedWhole) {
  std::string document;
  while (document.size() < 3 * wire::kPieceBytes) document += "{\"µ\": \"\\u0000 日本\"}\n";
  WorkerProcess worker("", nullptr, {}, document);
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  for (int i = 0; i < 2; ++i) {
    worker.send({{"type", "render"}, {"reporter", "two files"}, {"options", Json::array()}});
    std::string first;
    int files = 0;
    for (Json frame = worker.receive(); frame.at("type") != "rendered"; frame = worker.receive()) {
      if (frame.at("type") == "file") ++files;
      if (frame.at("type") == "bytes" && files == 1) first += frame.at("data").get_ref<const std::string&>();
    }
    EXPECT_EQ(first, document);
    EXPECT_EQ(files, 2);
  }
}

TEST(Requests, ALibraryThatIsNotTheOneChosenIsNotLoaded) {
  const std::filesystem::path library = fixture("assay_null");
  const auto load = [&](const std::string& stamp, const std::string& sha256) {
    WorkerProcess worker;
    return worker.ask(
        wire::to_json(wire::Load{library.string(), "org.assay.null", 0, 1, 0, 0, 1, stamp, sha256}));
  };
  EXPECT_EQ(load(file_stamp(library), sha256_of_file(library)).at("type"), "ready");
  for (const Json& answer : {load("none", ""), load("1/2/3", ""), load("", std::string(64, '0'))}) {
    EXPECT_EQ(answer.at("code"), "plugin.load") << answer;
    EXPECT_THAT(answer.at("text").get<std::string>(), HasSubstr("was changed since it was chosen"));
  }
}

TEST(Requests, BytesThatAreNoTextAreRefused) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_misbehaving"), "org.assay.misbehaving");
  const Json answer = worker.ask({{"type", "render"}, {"reporter", "binary"}, {"options", Json::array()}});
  EXPECT_EQ(answer.at("type"), "error");
  EXPECT_THAT(answer.at("text").get<std::string>(), HasSubstr("UTF-8"));
}

TEST(Requests, ThatCannotBeServedLeaveTheWorkerUsable) {
  WorkerProcess worker;
  (void)worker.load(fixture("assay_null"), "org.assay.null");
  for (const Json& request :
       {Json{{"type", "dance"}}, Json{{"no", "type"}}, Json{{"type", "inventory"}},
        Json{{"type", "visit"}, {"number", 1}}, Json{{"type", "visit"}, {"timeout_s", "x"}}}) {
    EXPECT_EQ(worker.ask(request).at("type"), "error") << request;
  }
  EXPECT_EQ(worker.visit(fake_visit(Json::object(), "null")).visit.outcome, Outcome::passed);
}

// ---- The controller's end

TEST(Controller, ItsEndEndsAWorkerWhateverThePluginDoes) {
  for (const char* fault : {"none", "hang", "wait"}) {
    WorkerProcess worker;
    (void)worker.load(fixture("assay_fake"), "org.assay.fake");
    if (std::string(fault) != "none") {
      worker.send(wire::to_json(fake_visit({{"fault", fault}, {"phase", "prepare"}})));
    }
    worker.hang_up();
    EXPECT_EQ(worker.wait(), 1 << 8) << fault;
  }
}

TEST(Controller, AFrameThatItCannotHaveMeantEndsTheWorker) {
  WorkerProcess worker;
  worker.send({{"type", "load"}});
  EXPECT_EQ(worker.receive().at("code"), "wire.malformed");
  EXPECT_EQ(worker.wait(), 1 << 8);
}

TEST(Controller, FindsWhereACrashedWorkerWas) {
  const std::tuple<const char*, const char*, int> rows[] = {{"prepare", "prepare", 0},
                                                            {"verify", "verify", 0},
                                                            {"iterate", "sample", 7},
                                                            {"release", "release", 20}};
  for (const auto& [phase, place, samples] : rows) {
    wire::Segment segment = wire::Segment::create(1);
    WorkerProcess worker("", &segment);
    (void)worker.load(fixture("assay_fake"), "org.assay.fake");
    worker.send(wire::to_json(fake_visit({{"fault", "segv"}, {"phase", phase}, {"fault_after", 30}})));
    const int status = worker.wait();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << phase;
    EXPECT_EQ(wire::kPhaseNames[static_cast<std::size_t>(segment.progress(0).first)], place);
    EXPECT_EQ(segment.progress(0).second, static_cast<std::uint64_t>(samples)) << phase;
  }
}

// ---- Ranks

class Ranks : public testing::Test {
 protected:
  static constexpr int kCount = 3;
  void SetUp() override {
    for (int rank = 0; rank < kCount; ++rank) {
      workers_.push_back(std::make_unique<WorkerProcess>("", &segment_));
      ASSERT_EQ(workers_.back()->load(fixture("assay_fake"), "org.assay.fake", rank, kCount).at("type"),
                "ready");
    }
  }
  std::vector<wire::Visited> visit(const Json& parameters, std::uint64_t number = 1) {
    wire::StartVisit start = fake_visit(parameters);
    start.number = number;
    tell_ranks(start);
    segment_.clear_cancelled();
    for (auto& worker : workers_) worker->send(wire::to_json(start));
    std::vector<wire::Visited> all;
    for (auto& worker : workers_) all.push_back(worker->visited());
    return all;
  }
  static void tell_ranks(wire::StartVisit& start) {
    for (int rank = 0; rank < kCount; ++rank) start.ranks.push_back({rank, 0, {}});
  }
  wire::Segment segment_ = wire::Segment::create(kCount);
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
};

TEST_F(Ranks, MeasureTogether) {
  const auto all = visit({{"rank_skew", 0.5}, {"duration", 1e-6}});
  for (int rank = 0; rank < kCount; ++rank) {
    const result::Visit& visit = all[static_cast<std::size_t>(rank)].visit;
    EXPECT_EQ(visit.outcome, Outcome::passed) << visit.reason.text;
    EXPECT_EQ(visit.ranks[0].rank, rank);
    // Of the slowest, 2 µs: 1, 10, 1.2 × 20 µs.
    EXPECT_EQ(visit.measurement.calibrated_n, 10U);
    EXPECT_EQ(visit.ranks[0].series.device_s.size(), 20U);
    EXPECT_NEAR(visit.ranks[0].series.device_s[0], 1e-5 * (1 + 0.5 * rank), 1e-15);
    EXPECT_EQ(visit.measurement.stop, "samples");
  }
}

TEST_F(Ranks, AFaultOfOneCancelsTheOthersAndTheSetServesOn) {
  for (const char* phase : {"prepare", "traits", "verify", "iterate"}) {
    const auto all = visit({{"fault", "error"}, {"phase", phase}, {"fault_rank", 1}, {"fault_after", 5}});
    EXPECT_EQ(all[1].visit.outcome, Outcome::error) << phase;
    EXPECT_EQ(all[1].visit.reason.rank, 1);
    for (const int other : {0, 2}) {
      EXPECT_EQ(all[static_cast<std::size_t>(other)].visit.outcome, Outcome::cancelled) << phase;
      EXPECT_EQ(all[static_cast<std::size_t>(other)].dirty, "");
    }
  }
  for (const auto& visited : visit(Json::object(), 2)) EXPECT_EQ(visited.visit.outcome, Outcome::passed);
}

TEST_F(Ranks, TheDeathOfOneReleasesTheOthers) {
  wire::StartVisit start =
      fake_visit({{"fault", "segv"}, {"phase", "iterate"}, {"fault_rank", 2}, {"fault_after", 9}});
  tell_ranks(start);
  for (auto& worker : workers_) worker->send(wire::to_json(start));
  EXPECT_TRUE(WIFSIGNALED(workers_[2]->wait()));
  segment_.declare_dead(2);
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
    const wire::Visited visited = workers_[rank]->visited();
    EXPECT_EQ(visited.visit.outcome, Outcome::cancelled);
    EXPECT_THAT(visited.visit.reason.text, HasSubstr("died"));
    EXPECT_FALSE(visited.dirty.empty());
  }
}

TEST_F(Ranks, ADeadlineEndsAWaitForARankThatHangs) {
  wire::StartVisit start = fake_visit({{"fault", "hang"}, {"phase", "prepare"}, {"fault_rank", 2}});
  start.timeout_s = 0.05;
  tell_ranks(start);
  for (auto& worker : workers_) worker->send(wire::to_json(start));
  // One rank's deadline passes first and frees the other; who is first is chance.
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
    const Outcome outcome = workers_[rank]->visited().visit.outcome;
    EXPECT_TRUE(outcome == Outcome::timeout || outcome == Outcome::cancelled);
  }
}

}  // namespace
}  // namespace assay::worker
