/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole plugin in C: how fast memset fills memory. Everything that the host needs is in assay/abi/v1.h.
 *
 *   cc -O2 $(pkg-config --cflags assay-sdk) fill.c $(pkg-config --libs assay-sdk) -o fill.so
 *   assay-describe fill.so -o fill.assay.json
 */
#include <assay/abi/v1.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
  const assay_case* host;
  unsigned char* memory;
  size_t bytes;
  int last_value; /* what the last fill wrote */
} fill_benchmark;

/* Called through a volatile pointer, so that no compiler merges fills that overwrite each other. */
static void* (*volatile fill)(void*, int, size_t) = memset;

static assay_status create(void* plugin, const char* benchmark, const assay_case* host, void** instance) {
  fill_benchmark* self;
  int64_t bytes = 0;
  (void)plugin;
  if (strcmp(benchmark, "fill") != 0) return ASSAY_E_UNSUPPORTED;
  if (host->get_integer(host, "bytes", &bytes) != ASSAY_OK) return ASSAY_E_INVALID;
  self = calloc(1, sizeof(*self));
  if (!self) return ASSAY_E_RESOURCE;
  self->host = host;
  self->bytes = (size_t)bytes;
  *instance = self;
  return ASSAY_OK;
}

static assay_status probe(void* instance) {
  (void)instance;
  return ASSAY_OK;
}

static assay_status prepare(void* instance) {
  fill_benchmark* self = instance;
  self->memory = malloc(self->bytes);
  if (!self->memory) {
    self->host->fail(self->host, "", 0, "there is not enough memory for the buffer");
    return ASSAY_E_RESOURCE;
  }
  fill(self->memory, 1, self->bytes); /* touches every page */
  self->host->work(self->host, "bandwidth", (double)self->bytes);
  return ASSAY_OK;
}

static assay_status traits(void* instance, assay_traits* out) {
  (void)instance;
  out->clock = ASSAY_CLOCK_HOST;
  out->tick_s = 1e-9; /* of the host's clock, which iterate() reads */
  out->quantum = 1;
  out->flags = ASSAY_TRAIT_IDEMPOTENT;
  return ASSAY_OK;
}

static assay_status iterate(void* instance, assay_mode mode, uint64_t n, assay_sample* out) {
  fill_benchmark* self = instance;
  int value = self->last_value;
  if (mode < ASSAY_MODE_MEASURE || mode > ASSAY_MODE_PROFILE) return ASSAY_E_UNSUPPORTED;
  out->begin_ns = self->host->now_ns(self->host);
  for (uint64_t i = 0; i < n; ++i) {
    value = (value + 1) & 0xFF;
    fill(self->memory, value, self->bytes);
  }
  out->end_ns = self->host->now_ns(self->host);
  self->last_value = value;
  out->host_s = (double)(out->end_ns > out->begin_ns ? out->end_ns - out->begin_ns : 1) * 1e-9;
  out->device_s = out->host_s;
  return ASSAY_OK;
}

static assay_status verify(void* instance, assay_verify_phase phase, assay_verification* out) {
  fill_benchmark* self = instance;
  if (phase < ASSAY_VERIFY_BEFORE || phase > ASSAY_VERIFY_LAST) return ASSAY_E_UNSUPPORTED;
  if (phase != ASSAY_VERIFY_LAST) {
    assay_sample ignored;
    memset(&ignored, 0, sizeof(ignored));
    fill(self->memory, (self->last_value + 128) & 0xFF,
         self->bytes); /* restores: nothing is right by accident */
    iterate(instance, ASSAY_MODE_VERIFY, 1, &ignored);
  }
  out->method = "every byte";
  out->exact = 1;
  out->checked = self->bytes;
  for (size_t i = 0; i < self->bytes; ++i) out->wrong += self->memory[i] != self->last_value;
  if (out->wrong == 0) return ASSAY_OK;
  self->host->fail(self->host, "", 0, "memory does not hold what was written");
  return ASSAY_E_VERIFY;
}

/* The next bytes that are written follow from the seed. */
static assay_status reseed(void* instance, uint64_t seed) {
  fill_benchmark* self = instance;
  self->last_value = (int)(seed & 0xFF);
  fill(self->memory, (self->last_value + 128) & 0xFF, self->bytes);
  return ASSAY_OK;
}

static void release(void* instance) {
  fill_benchmark* self = instance;
  free(self->memory);
  free(self);
}

static assay_status describe(const assay_text_sink* sink) {
  static const char manifest[] =
      "{\n"
      "  \"manifest_version\": 1,\n"
      "  \"id\": \"org.example.fill\",\n"
      "  \"version\": \"1.0.0\",\n"
      "  \"license\": \"Apache-2.0\",\n"
      "  \"summary\": \"A benchmark in C\",\n"
      "  \"backend\": \"host\",\n"
      "  \"benchmarks\": [\n"
      "    {\n"
      "      \"name\": \"fill\",\n"
      "      \"summary\": \"How fast memset fills memory\",\n"
      "      \"parameters\": [\n"
      "        {\"name\": \"bytes\", \"type\": \"integer\", \"unit\": \"B\", \"default\": 67108864, "
      "\"minimum\": 1,\n"
      "         \"maximum\": 1099511627776, \"help\": \"size of the buffer\"}\n"
      "      ],\n"
      "      \"metrics\": [\n"
      "        {\"name\": \"bandwidth\", \"unit\": \"B/s\", \"direction\": \"higher\", \"kind\": \"rate\", "
      "\"headline\": true,\n"
      "         \"counting\": \"bytes written\", \"mechanism\": \"one CPU thread\", \"peak\": "
      "\"memory_bandwidth\"}\n"
      "      ]\n"
      "    }\n"
      "  ]\n"
      "}\n";
  sink->write(sink->context, manifest, sizeof(manifest) - 1);
  return ASSAY_OK;
}

static assay_status open_plugin(const assay_host* host, void** plugin) {
  (void)host;
  *plugin = NULL; /* nothing outlives a case */
  return ASSAY_OK;
}

static void close_plugin(void* plugin) { (void)plugin; }

static const void* query(void* plugin, const char* id) {
  static const assay_benchmark_v1 benchmark = {
      sizeof(benchmark), 0, create, probe, prepare, traits, verify, iterate, release, NULL, reseed, NULL};
  (void)plugin;
  return strcmp(id, ASSAY_FACET_BENCHMARK) == 0 ? &benchmark : NULL;
}

const assay_plugin_v1* assay_plugin_entry_v1(void) {
  static const assay_plugin_v1 plugin = {
      sizeof(plugin), ASSAY_ABI_MINOR, ASSAY_ABI_OLDEST_MINOR, 0,    "org.example.fill", "1.0.0",
      describe,       open_plugin,     close_plugin,           query};
  return &plugin;
}
