// SPDX-License-Identifier: Apache-2.0
//
// A plugin on the bare C interface that breaks its rules, one at a time: ASSAY_MISBEHAVING chooses what is wrong
// with the library itself, the text parameter `how` what is wrong with the benchmark `misbehaving`.
#include <assay/abi/drafts.h>
#include <assay/abi/v1.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string variable() {
  const char* value = std::getenv("ASSAY_MISBEHAVING");
  return value ? value : "";
}

const assay_host* the_host = nullptr;

struct MisbehavingInstance {
  const assay_case* run;
  std::string how;
};

MisbehavingInstance& self(void* instance) { return *static_cast<MisbehavingInstance*>(instance); }
bool is(void* instance, const char* how) { return self(instance).how == how; }

assay_status create(void*, const char* benchmark, const assay_case* run, void** instance) {
  if (std::strcmp(benchmark, "misbehaving") != 0) return ASSAY_E_UNSUPPORTED;
  const char* how = "";
  if (run->get_text(run, "how", &how) != ASSAY_OK) return ASSAY_E_INVALID;
  *instance = new MisbehavingInstance{run, how};
  return ASSAY_OK;
}

assay_status probe(void* instance) {
  if (is(instance, "skip without reason")) return ASSAY_SKIPPED;
  if (is(instance, "cancelled by nobody")) return ASSAY_CANCELLED;
  if (is(instance, "status 77")) return 77;
  if (is(instance, "status -77")) return -77;
  if (is(instance, "exception")) throw std::runtime_error("a socket is gone");
  if (is(instance, "null texts")) {
    const assay_case* run = self(instance).run;
    run->log(run, 99, nullptr);
    run->fail(run, nullptr, 1, nullptr);
    run->fail_parameter(run, nullptr, nullptr);
    return ASSAY_E_INVALID;
  }
  if (is(instance, "reasons twice")) {
    const assay_case* run = self(instance).run;
    run->fail(run, "errno", 1, "the first");
    run->fail(run, "errno", 2, "the second\x01");
    return ASSAY_E_INTERNAL;
  }
  if (is(instance, "threads fail")) {
    const assay_case* run = self(instance).run;
    run->fail(run, "errno", 5, "the cause");
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([run] { run->fail(run, "errno", 6, "what followed"); });
    for (std::thread& each : threads) each.join();
    return ASSAY_E_DEVICE;
  }
  if (is(instance, "lost one") || is(instance, "lost and fine")) {
    const assay_case* run = self(instance).run;
    run->fail(run, "nvml", 15, "it fell off the bus");
    run->lost(run, "misbehaving:1", "it fell off the bus");
    return is(instance, "lost one") ? ASSAY_E_LOST : ASSAY_OK;
  }
  if (is(instance, "lost two")) {
    const assay_case* run = self(instance).run;
    run->lost(run, "misbehaving:2", "no answer");
    run->lost(run, "misbehaving:1", "nor this one");
    run->lost(run, "misbehaving:2", "no answer");
    return ASSAY_E_DEVICE;
  }
  if (is(instance, "lost unnamed")) return ASSAY_E_LOST;
  if (is(instance, "lost foreign") || is(instance, "lost foreign and fine")) {
    const assay_case* run = self(instance).run;
    run->lost(run, "misbehaving:9", "it is not ours");
    return is(instance, "lost foreign") ? ASSAY_E_LOST : ASSAY_OK;
  }
  if (is(instance, "logs by the host")) {
    the_host->log(the_host, ASSAY_LOG_INFO, "said in a case");
    return the_host->query(the_host, "assay.unknown/1") == nullptr ? ASSAY_OK : ASSAY_E_INTERNAL;
  }
  if (is(instance, "drafts")) {
    const assay_case* run = self(instance).run;
    if (run->query(run, "assay.progress/1-draft.0") != nullptr) return ASSAY_E_INTERNAL;
    if (run->query(run, "assay.progress/1-draft.0") != nullptr) return ASSAY_E_INTERNAL;
    if (run->query(run, "assay.telepathy/1-draft.7") != nullptr) return ASSAY_E_INTERNAL;
    if (the_host->query(the_host, "assay.seance/1-draft.1") != nullptr) return ASSAY_E_INTERNAL;
    const auto* draft = static_cast<const assay_progress_draft*>(run->query(run, ASSAY_DRAFT_PROGRESS));
    if (draft == nullptr || draft->size < sizeof(assay_progress_draft)) return ASSAY_E_INTERNAL;
    draft->progress(run, 0.25, "reading weights");
    for (int i = 0; i < 1000; ++i) draft->progress(run, 0.5, "too often");
    draft->progress(run, 1, "weights are read");
    return ASSAY_OK;
  }
  if (is(instance, "communication")) return ASSAY_E_COMMUNICATION;
  if (is(instance, "timeout")) return ASSAY_E_TIMEOUT;
  return ASSAY_OK;
}

assay_status prepare(void* instance) {
  const assay_case* run = self(instance).run;
  if (is(instance, "wrong parameters")) {
    int64_t integer = 5;
    double number = 5;
    int32_t boolean = 5;
    const char* text = "5";
    const bool refused = run->get_integer(run, "how", &integer) == ASSAY_E_INVALID &&
                         run->get_integer(run, nullptr, &integer) == ASSAY_E_INVALID &&
                         run->get_integer(run, "none", &integer) == ASSAY_E_INVALID &&
                         run->get_integer(run, "large", &integer) == ASSAY_E_INVALID &&
                         run->get_number(run, "how", &number) == ASSAY_E_INVALID &&
                         run->get_boolean(run, "whole", &boolean) == ASSAY_E_INVALID &&
                         run->get_text(run, "whole", &text) == ASSAY_E_INVALID &&
                         run->get_text(run, "how", nullptr) == ASSAY_E_INVALID && integer == 5 &&
                         number == 5 && boolean == 5 && std::strcmp(text, "5") == 0;
    const bool given = run->get_integer(run, "whole", &integer) == ASSAY_OK && integer == 3 &&
                       run->get_number(run, "whole", &number) == ASSAY_OK && number == 3 &&
                       run->get_boolean(run, "truth", &boolean) == ASSAY_OK && boolean == 1;
    return refused && given ? ASSAY_OK : ASSAY_E_INTERNAL;
  }
  if (is(instance, "undeclared work")) run->work(run, "speed", 1);
  if (is(instance, "null metric")) run->work(run, nullptr, 1);
  if (is(instance, "undeclared value")) run->value(run, "speed", 0, nullptr, 1);
  if (is(instance, "undeclared check")) run->check(run, "mood", "misbehaving", 1, "it is bad");
  if (is(instance, "undeclared fact")) run->fact(run, "mood", "misbehaving");
  if (is(instance, "work nan")) run->work(run, "bandwidth", std::nan(""));
  if (is(instance, "work zero")) run->work(run, "bandwidth", 0);
  if (is(instance, "value infinite")) run->value(run, "bandwidth", 0, nullptr, INFINITY);
  if (is(instance, "three indices")) {
    const uint32_t indices[] = {0, 1, 2};
    run->value(run, "bandwidth", 3, indices, 1);
  }
  if (is(instance, "no indices")) run->value(run, "bandwidth", 2, nullptr, 1);
  if (is(instance, "free twice")) {
    const auto* memory = static_cast<const assay_memory_v1*>(run->query(run, ASSAY_SERVICE_MEMORY));
    void* block = memory->allocate(run, 100, 64);
    memory->free(run, block);
    memory->free(run, block);
  }
  if (is(instance, "services")) {
    const bool right = run->query(run, nullptr) == nullptr && run->query(run, "assay.unknown/1") == nullptr &&
                       run->query(run, ASSAY_SERVICE_GROUP) == nullptr;
    return right ? ASSAY_OK : ASSAY_E_INTERNAL;
  }
  if (is(instance, "values twice")) {
    const uint32_t at[] = {1, 2};
    run->value(run, "bandwidth", 2, at, 5);
    run->value(run, "bandwidth", 0, nullptr, 6);
    run->value(run, "bandwidth", 2, at, 7);
  }
  return ASSAY_OK;
}

assay_status traits(void* instance, assay_traits* out) {
  out->clock = ASSAY_CLOCK_SIMULATED;
  out->tick_s = 1e-9;
  out->quantum = 1;
  out->maximum = 1;
  if (is(instance, "clock 9")) out->clock = 9;
  if (is(instance, "device clock")) out->clock = ASSAY_CLOCK_DEVICE;
  if (is(instance, "no tick")) out->tick_s = 0;
  if (is(instance, "tick of an hour")) out->tick_s = 3600;
  if (is(instance, "endless quantum")) out->quantum = std::uint64_t{1} << 60;
  if (is(instance, "endless quantum")) out->maximum = 0;
  if (is(instance, "tick nan")) out->tick_s = std::nan("");
  if (is(instance, "no quantum")) out->quantum = 0;
  if (is(instance, "maximum below quantum")) out->quantum = 2;
  if (is(instance, "too many laps")) out->flags = ASSAY_TRAIT_LAPS;
  return ASSAY_OK;
}

assay_status verify(void* instance, assay_verify_phase, assay_verification* out) {
  out->checked = 10;
  out->method = nullptr;
  if (is(instance, "wrong but fine")) out->wrong = 3;
  if (is(instance, "error infinite")) out->largest_error = INFINITY;
  if (is(instance, "error above tolerance")) out->largest_error = 2, out->tolerance = 1;
  if (is(instance, "error nan")) out->largest_error = std::nan(""), out->tolerance = 1;
  if (is(instance, "tolerance nan")) out->tolerance = std::nan("");
  if (is(instance, "tolerance infinite")) out->tolerance = INFINITY;
  if (is(instance, "tolerance for all")) out->tolerance = 1e300;
  if (is(instance, "tolerance negative")) out->tolerance = -1;
  return ASSAY_OK;
}

assay_status iterate(void* instance, assay_mode, uint64_t, assay_sample* out) {
  out->device_s = out->host_s = 1e-3;
  if (is(instance, "too many laps")) out->lap_count = 1000;
  if (is(instance, "all done")) out->done = 0xffffffffU;
  if (is(instance, "done by another interface")) out->done = 0xfffffff0U;
  if (is(instance, "late fail")) {
    self(instance).run->fail(self(instance).run, "", 0, "only a remark");
  }
  return ASSAY_OK;
}

void release(void* instance) { delete &self(instance); }

assay_status render(void* plugin, const char* reporter, const char* document, size_t length,
                    const assay_option* options, uint32_t count, const assay_file_sink* sink) {
  (void)plugin;
  const std::string how = reporter;
  void* main = nullptr;
  if (how == "silent") return ASSAY_OK;
  sink->open(sink->context, nullptr, &main);
  sink->write(sink->context, main, document, length);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string line = std::string(options[i].key) + "=" + options[i].value + ";";
    sink->write(sink->context, main, line.data(), line.size());
  }
  if (how == "unclosed") return ASSAY_OK;
  if (how == "endless") {
    const std::string piece(std::size_t{1} << 20, 'x');
    std::size_t taken = 0;
    while (sink->write(sink->context, main, piece.data(), piece.size()) == ASSAY_OK) ++taken;
    sink->fail(sink->context, ("refused after " + std::to_string(taken) + " MiB").c_str());
    return ASSAY_E_RESOURCE;
  }
  sink->close(sink->context, main);
  if (how == "late write") return sink->write(sink->context, main, "x", 1);
  if (how == "binary") {
    sink->open(sink->context, "blob", &main);
    sink->write(sink->context, main, "\xff\xfe", 2);
    sink->close(sink->context, main);
  }
  if (how == "two files") {
    sink->open(sink->context, "extra/second.txt", &main);
    sink->write(sink->context, main, "second", 6);
    sink->close(sink->context, main);
  }
  if (how == "refuse") {
    sink->fail(sink->context, "the document is not to its taste");
    return ASSAY_E_INVALID;
  }
  return ASSAY_OK;
}

assay_status inventory(void*, const assay_text_sink* sink) {
  if (variable() == "inventory fails twice") {
    sink->fail(sink->context, "the driver is not loaded");
    sink->fail(sink->context, "a destructor has something to add");
    return ASSAY_E_DEVICE;
  }
  if (variable() == "inventory logs") the_host->log(the_host, ASSAY_LOG_WARNING, "an old driver");
  const std::string text = variable() == "inventory" ? "[1, 2" : "{\"devices\":";
  sink->write(sink->context, text.data(), text.size());
  sink->write(sink->context, " []}", 4);
  return ASSAY_OK;
}

assay_status read(void*, const char* const* devices, uint32_t count, const assay_reading_sink* sink) {
  sink->reading(sink->context, count > 0 ? devices[0] : nullptr, "power", 5);
  sink->reading(sink->context, "x", "clock", std::nan(""));
  return ASSAY_OK;
}

assay_benchmark_v1 benchmark_facet = {sizeof(assay_benchmark_v1),
                                      0,
                                      create,
                                      probe,
                                      prepare,
                                      traits,
                                      verify,
                                      iterate,
                                      release,
                                      nullptr,
                                      nullptr,
                                      nullptr};
assay_reporter_v1 reporter_facet = {sizeof(assay_reporter_v1), 0, render};
assay_backend_v1 backend_facet = {sizeof(assay_backend_v1), 0, inventory, read, nullptr};

const void* query(void*, const char* id) {
  if (std::strcmp(id, ASSAY_FACET_BENCHMARK) == 0) {
    if (variable() == "no benchmark") return nullptr;
    if (variable() == "small benchmark") benchmark_facet.size = 16;
    if (variable() == "reserved benchmark") benchmark_facet.reserved = 77;
    if (variable() == "null iterate") benchmark_facet.iterate = nullptr;
    return &benchmark_facet;
  }
  if (std::strcmp(id, ASSAY_FACET_REPORTER) == 0) return &reporter_facet;
  if (std::strcmp(id, ASSAY_FACET_BACKEND) == 0) return &backend_facet;
  return nullptr;
}

assay_status open(const assay_host* host, void** plugin) {
  *plugin = nullptr;
  the_host = host;
  if (variable() == "open says why") {
    host->log(host, ASSAY_LOG_WARNING, "asking the licence server");
    host->fail(host, "errno", 111, "the licence server does not answer");
    host->fail(host, "", 0, "and then it gave up");
    return ASSAY_E_RESOURCE;
  }
  if (variable() == "open logs") {
    const std::string paths = std::string(host->library_path) + "|" + host->manifest_path;
    host->log(host, ASSAY_LOG_INFO, paths.c_str());
    host->fail(host, "", 0, "a remark, because it opens");
  }
  if (variable() == "open throws") throw std::runtime_error("no such licence");
  return variable() == "open fails" || host->size < sizeof(assay_host) ? ASSAY_E_INTERNAL : ASSAY_OK;
}

assay_plugin_v1 plugin = {sizeof(assay_plugin_v1),
                          ASSAY_ABI_MINOR,
                          0,
                          0,
                          "org.assay.misbehaving",
                          "0.0.1",
                          nullptr,
                          open,
                          nullptr,
                          query};

}  // namespace

extern "C" const assay_plugin_v1* assay_plugin_entry_v1(void) {
  const std::string how = variable();
  if (how == "null entry") return nullptr;
  if (how == "entry throws") throw std::runtime_error("no memory for tables");
  if (how == "small entry") plugin.size = 8;
  if (how == "reserved entry") plugin.reserved = 0xdeadbeef;
  if (how == "newer") plugin.needs_minor = ASSAY_ABI_MINOR + 1;
  if (how == "other preview") plugin.built_minor = ASSAY_ABI_MINOR + 1;
  if (how == "no id") plugin.id = nullptr;
  if (how == "other id") plugin.id = "org.assay.kind";
  return &plugin;
}
