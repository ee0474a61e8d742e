/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that is a plugin: every struct ends with the last field that a host of minor 0 may ask for, and
 * right behind each lies a page that nobody may read. A host that reads one byte further dies of it.
 * Functions that may be NULL are.
 */
#define _DEFAULT_SOURCE
#include <assay/abi/v1.h>

#include <sys/mman.h>
#include <unistd.h>

#include <string.h>

#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type*)0)->field))

static const assay_case* host;
static double sum;

/* The last `bytes` before a page that cannot be read. */
static void* at_the_edge(const void* from, size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE) != 0) return NULL;
  return memcpy(memory + page - bytes, from, bytes);
}

static assay_status create(void* plugin, const char* benchmark, const assay_case* given, void** instance) {
  (void)plugin;
  host = given;
  *instance = &sum;
  return strcmp(benchmark, "smallest") == 0 ? ASSAY_OK : ASSAY_E_UNSUPPORTED;
}

static assay_status ready(void* instance) {
  (void)instance;
  return ASSAY_OK;
}

static assay_status traits(void* instance, assay_traits* out) {
  (void)instance;
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
  return ASSAY_OK;
}

static void release(void* instance) { (void)instance; }

static assay_status open_plugin(const assay_host* given, void** plugin) {
  (void)given;
  *plugin = NULL;
  return ASSAY_OK;
}

static const void* query(void* plugin, const char* id) {
  static const assay_benchmark_v1 whole = {
      SIZE_UP_TO(assay_benchmark_v1, release), 0, create, ready, ready, traits, NULL, iterate, release};
  static const void* facet;
  (void)plugin;
  if (strcmp(id, ASSAY_FACET_BENCHMARK) != 0) return NULL;
  if (!facet) facet = at_the_edge(&whole, whole.size);
  return facet;
}

const assay_plugin_v1* assay_plugin_entry_v1(void) {
  static const assay_plugin_v1 whole = {SIZE_UP_TO(assay_plugin_v1, query),
                                        ASSAY_ABI_MINOR,
                                        ASSAY_ABI_OLDEST_MINOR,
                                        0,
                                        "org.assay.smallest",
                                        "1.0.0",
                                        NULL,
                                        open_plugin,
                                        NULL,
                                        query};
  static const assay_plugin_v1* entry;
  if (!entry) entry = at_the_edge(&whole, whole.size);
  return entry;
}
