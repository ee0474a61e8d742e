/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of any generation of the interface: built with a published header it is an older SDK's, built with
 * a header that tests/abi/generations_test.py grew it is a newer one's, and then uses what grew wherever the
 * host has it. It fails if a host that lacks something seems to have it.
 */
#include <assay/abi/v1.h>

#include <string.h>

#ifndef BUILT_MINOR
#define BUILT_MINOR ASSAY_ABI_MINOR
#endif
#ifndef NEEDS_MINOR
#define NEEDS_MINOR 0
#endif
#ifndef ENTRY
#define ENTRY assay_plugin_entry_v1
#endif

static const assay_case* host;
static double sum;

static assay_status create(void* plugin, const char* benchmark, const assay_case* given, void** instance) {
  (void)plugin;
  host = given;
  *instance = &sum;
  return strcmp(benchmark, "generation") == 0 ? ASSAY_OK : ASSAY_E_UNSUPPORTED;
}

static assay_status probe(void* instance) {
  (void)instance;
#ifdef GROWN
  if (ASSAY_HAS(host, power_w)) {
    host->fail(host, "", 0, "the host is older than this field, and yet has it");
    return ASSAY_E_INTERNAL;
  }
  if (host->query(host, "assay.power/1")) return ASSAY_E_INTERNAL;
#endif
  return host->query(host, "org.example.nobody/1") ? ASSAY_E_INTERNAL : ASSAY_OK;
}

static assay_status prepare(void* instance) {
  (void)instance;
  host->work(host, "rate", 1000);
  return ASSAY_OK;
}

static assay_status traits(void* instance, assay_traits* out) {
  (void)instance;
  out->clock = ASSAY_CLOCK_HOST;
  out->tick_s = 1e-9;
  out->quantum = 1;
  return ASSAY_OK;
}

static assay_status iterate(void* instance, assay_mode mode, uint64_t n, assay_sample* out) {
  (void)instance;
  (void)mode;
  out->begin_ns = host->now_ns(host);
  for (uint64_t i = 0; i < 1000 * n; ++i) *(volatile double*)&sum += 1;
  out->end_ns = host->now_ns(host);
  out->host_s = (double)(out->end_ns - out->begin_ns + 1) * 1e-9;
  out->device_s = out->host_s;
#ifdef GROWN
  if (ASSAY_HOLDS(out, energy_j)) out->energy_j = 1;
#endif
  return ASSAY_OK;
}

static assay_status verify(void* instance, assay_verify_phase phase, assay_verification* out) {
  (void)instance;
  (void)phase;
  out->method = "closed form";
  out->exact = 1;
  out->checked = 1;
  return ASSAY_OK;
}

static void release(void* instance) { (void)instance; }

static assay_status describe(const assay_text_sink* sink) {
  static const char manifest[] =
      "{\"manifest_version\": 1, \"id\": \"" IDENTITY
      "\", \"version\": \"1.0.0\", \"backend\": \"host\", \"benchmarks\": [{\"name\": \"generation\", "
      "\"summary\": \"Additions\", "
      "\"parameters\": [], \"metrics\": [{\"name\": \"rate\", \"unit\": \"FLOP/s\", \"direction\": "
      "\"higher\", \"kind\": \"rate\", "
      "\"headline\": true, \"counting\": \"additions\", \"mechanism\": \"one CPU thread\"}]}]}";
  sink->write(sink->context, manifest, sizeof(manifest) - 1);
  return ASSAY_OK;
}

static assay_status open_plugin(const assay_host* given, void** plugin) {
  *plugin = NULL;
  return given->size >= offsetof(assay_host, query) + sizeof(given->query) ? ASSAY_OK : ASSAY_E_INTERNAL;
}

static void close_plugin(void* plugin) { (void)plugin; }

static const void* query(void* plugin, const char* id) {
  static const assay_benchmark_v1 benchmark = {.size = sizeof(benchmark),
                                               .create = create,
                                               .probe = probe,
                                               .prepare = prepare,
                                               .traits = traits,
                                               .verify = verify,
                                               .iterate = iterate,
#ifdef GROWN
                                               .pause = probe,
#endif
                                               .release = release};
  (void)plugin;
  return strcmp(id, ASSAY_FACET_BENCHMARK) == 0 ? &benchmark : NULL;
}

/* With the name of another major in one of the tests. */
ASSAY_EXPORT const assay_plugin_v1* ENTRY(void);

const assay_plugin_v1* ENTRY(void) {
  static const assay_plugin_v1 plugin = {.size = sizeof(plugin),
                                         .built_minor = BUILT_MINOR,
                                         .needs_minor = NEEDS_MINOR,
                                         .id = IDENTITY,
                                         .version = "1.0.0",
                                         .describe = describe,
                                         .open = open_plugin,
                                         .close = close_plugin,
#ifdef GROWN
                                         .vendor_note = "grown",
#endif
                                         .query = query};
  return &plugin;
}
