/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay/abi/v1.h: the contract between the Assay host and a plugin.
 *
 * This file is the whole binary interface, in C99. A plugin is a shared object that exports one function,
 * assay_plugin_entry_v1, and reaches everything else through structs of function pointers. No C++ type,
 * exception, allocator, CUDA or NCCL type crosses this line, so any compiler and any standard library will
 * do.
 *
 * How it grows. Every struct that can grow starts with its own size in bytes. New fields are added at the
 * tail only; read a tail field through ASSAY_HAS, write one where ASSAY_HOLDS. New abilities are reached by
 * id ("assay.group/1"), never by new symbols. The major version is in the symbol's name; the minor version
 * counts additions.
 *
 * Conventions, unless a function says otherwise:
 *   Text       NUL-terminated UTF-8. Copied by whoever is given it, at once.
 *   Lifetime   What the host passes in is valid for the call. What a plugin returns by pointer is valid until
 *              close().
 *   Owner      Memory is freed by the side that allocated it; ownership never crosses.
 *   Thread     The host calls a plugin from one thread (the case thread). Host functions marked [any thread]
 *              may be called from every thread of the plugin between a successful create() and the return of
 *              release(); the others from the case thread, within a call of the host's.
 *   Units      SI: seconds, bytes, bytes per second, operations per second.
 *   State      A plugin leaves locale, working directory, environment, umask, limits, signal handlers and mask,
 *              timers, CPU affinity, priorities, memory policy and the floating-point environment as it found
 *              them, and writes nothing to stdout or stderr (both are captured).
 *   Reasons    Whoever gives a status other than ASSAY_OK says why first, by a function `fail`. Of several calls
 *              before one status the first is the reason; those that follow become lines of the log.
 *   reserved   Is 0. A host refuses a struct in which it is not.
 *   Unknown    Modes, phases and ids that a plugin does not know it answers with ASSAY_E_UNSUPPORTED or NULL.
 *   Ranks      One process each, which all get the same calls in the same order: the same n, the same seed,
 *              the same modes. They begin each sample together. Their traits and work must be equal.
 *
 * Drafts are not in this file: an id that ends in "-draft.N" is served by hosts that have this very draft, is
 * NULL everywhere else, and may be gone in any release. See assay/abi/drafts.h.
 *
 * The contract is a preview: plugins built against it must be rebuilt when ASSAY_ABI_MINOR changes while
 * ASSAY_ABI_PREVIEW is 1. See docs/reference/abi.md.
 */
#ifndef ASSAY_ABI_V1_H
#define ASSAY_ABI_V1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI_MAJOR 1
#define ASSAY_ABI_MINOR 3
#define ASSAY_ABI_PREVIEW 1
/* The oldest minor that this header goes together with, whichever side is the older one. In a preview it is
 * ASSAY_ABI_MINOR itself; afterwards the first minor without one, for good. */
#define ASSAY_ABI_OLDEST_MINOR 3

#if defined(__GNUC__)
#define ASSAY_EXPORT __attribute__((visibility("default")))
#else
#define ASSAY_EXPORT
#endif

/* True if the struct that `pointer` points to is large enough to hold `field`: what to ask before writing. */
#define ASSAY_HOLDS(pointer, field) \
  ((pointer)->size >=               \
   (size_t)((const char*)&(pointer)->field - (const char*)(pointer)) + sizeof((pointer)->field))

/* ASSAY_HOLDS, and the field is not null/zero: what to ask before calling or reading. */
#define ASSAY_HAS(pointer, field) (ASSAY_HOLDS(pointer, field) && (pointer)->field)

/* ---- Status -------------------------------------------------------------------------------------------- */

/* 0 is success, above 0 an ordinary outcome that is not an error, below 0 an error. */
typedef int32_t assay_status;
enum {
  ASSAY_OK = 0,
  ASSAY_SKIPPED = 1,          /* cannot run here; the reason was given through assay_case.fail */
  ASSAY_CANCELLED = 2,        /* stopped because cancelled() said so */
  ASSAY_E_INVALID = -1,       /* an argument or parameter is impossible */
  ASSAY_E_UNSUPPORTED = -2,   /* the plugin does not offer this */
  ASSAY_E_RESOURCE = -3,      /* memory, files or handles ran out */
  ASSAY_E_DEVICE = -4,        /* a device error; the worker is replaced after it */
  ASSAY_E_COMMUNICATION = -5, /* a rank or a link failed; the worker is replaced after it */
  ASSAY_E_VERIFY = -6,        /* the result is wrong */
  ASSAY_E_TIMEOUT = -7,       /* a deadline of the plugin's own passed */
  ASSAY_E_INTERNAL = -8,      /* a defect of the plugin */
  /* A device no longer answers: the one that assay_case.lost named. If it named none, all devices of this rank
   * are withdrawn from the run, and the reason says so. */
  ASSAY_E_LOST = -9
};

/* ---- Small vocabulary ---------------------------------------------------------------------------------- */

typedef int32_t assay_log_level;
enum { ASSAY_LOG_DEBUG = 0, ASSAY_LOG_INFO = 1, ASSAY_LOG_WARNING = 2, ASSAY_LOG_ERROR = 3 };

/* What iterate() is asked for. Only samples of ASSAY_MODE_MEASURE count for the result. */
typedef int32_t assay_mode;
enum {
  ASSAY_MODE_MEASURE = 0, /* the timed region, nothing else in it */
  ASSAY_MODE_VERIFY =
      1, /* the plugin's own word, between its verify() and its iterate(): no host asks for it */
  ASSAY_MODE_TRACE = 2,  /* one more sample, of a quantum, that reports spans through assay.span/1 */
  ASSAY_MODE_PROFILE = 3 /* under an external profiler: no gate, no flush; nothing is judged */
};

/* When verify() is called. */
typedef int32_t assay_verify_phase;
enum {
  ASSAY_VERIFY_BEFORE = 0, /* restore inputs from the seed, run one iteration on every buffer set, check */
  ASSAY_VERIFY_AFTER = 1,  /* the same again, after the last sample */
  /* Check the output that the last timed iteration left, and compute nothing anew. For idempotent iterations,
   * and for the one sample of a quantum that follows reseed(). */
  ASSAY_VERIFY_LAST = 2
};

/* Cache state before each timed iteration. */
typedef int32_t assay_cache;
enum { ASSAY_CACHE_DEFAULT = 0, ASSAY_CACHE_HOT = 1, ASSAY_CACHE_COLD = 2, ASSAY_CACHE_ROTATING = 3 };

/* How work is submitted. */
typedef int32_t assay_launch;
enum { ASSAY_LAUNCH_DEFAULT = 0, ASSAY_LAUNCH_STREAM = 1, ASSAY_LAUNCH_GATED = 2, ASSAY_LAUNCH_GRAPH = 3 };

/* What the inputs hold. */
typedef int32_t assay_data;
enum {
  ASSAY_DATA_DEFAULT = 0,
  ASSAY_DATA_NORMAL = 1,
  ASSAY_DATA_UNIFORM = 2,
  ASSAY_DATA_INTEGER = 3,
  ASSAY_DATA_ZEROS = 4,
  ASSAY_DATA_ONES = 5
};

/* Short bursts from idle, or a load held until it is steady. */
typedef int32_t assay_thermal;
enum { ASSAY_THERMAL_DEFAULT = 0, ASSAY_THERMAL_BURST = 1, ASSAY_THERMAL_SUSTAINED = 2 };

/* Which clock a sample's device time comes from. */
typedef int32_t assay_clock;
enum {
  ASSAY_CLOCK_HOST = 0,   /* the host's monotonic clock: device time is host time */
  ASSAY_CLOCK_DEVICE = 1, /* a clock of the device, such as events */
  /* No real time passes; the host advances its clock by what samples say, and reports say so. */
  ASSAY_CLOCK_SIMULATED = 2
};

/* Bits of assay_sample.done: what was really done, as against asked for. cache: cold asks for FLUSHED, hot
 * for HOT, rotating for ROTATED, of which at most one can be; launch: gated asks for GATED, graph for GRAPH. */
enum {
  ASSAY_DONE_GATED = 1u << 0,   /* the batch was queued behind a gate */
  ASSAY_DONE_GRAPH = 1u << 1,   /* replayed as a graph */
  ASSAY_DONE_FLUSHED = 1u << 2, /* caches were flushed before each iteration */
  ASSAY_DONE_ROTATED = 1u << 3, /* iterations went round a ring of buffers larger than the caches */
  ASSAY_DONE_HOT = 1u << 4      /* the same buffers again and again */
};

/* Bits of assay_traits.flags. */
enum {
  ASSAY_TRAIT_LAPS = 1u << 0,       /* iterate() gives the duration of each iteration */
  ASSAY_TRAIT_IDEMPOTENT = 1u << 1, /* n iterations leave what one leaves */
  ASSAY_TRAIT_SPANS = 1u << 2,      /* ASSAY_MODE_TRACE reports spans */
  /* A sample's times are the sum of parts of the call, and what lies between the parts is no work that
   * counts: setting up and taking down, or waiting for other ranks. The result says so. */
  ASSAY_TRAIT_PARTS = 1u << 3,
  /* Ranks do different work in an iteration, as the stages of a pipeline do: rates add it up, and an iteration
   * lasts as long as the slowest rank. All ranks say so, or none. The result says so, too. */
  ASSAY_TRAIT_UNLIKE_RANKS = 1u << 4
};

/* ---- What the host passes: conditions, devices, the case ----------------------------------------------- */

typedef struct assay_conditions {
  uint32_t size;
  assay_cache cache;
  assay_launch launch;
  assay_data data;
  assay_thermal thermal;
  uint32_t reserved;
  /* For counter-based generators: inputs can be restored without a copy. Another one after reseed(). */
  uint64_t seed;
} assay_conditions;

typedef struct assay_device {
  uint32_t size;
  int32_t ordinal;   /* the backend's number for it inside this process, after visibility was applied */
  const char* name;  /* as suites name it, "cuda:0" */
  const char* uuid;  /* stable identity, "" if there is none */
  int32_t numa_node; /* -1 if unknown */
  uint32_t reserved;
} assay_device;

/* Everything that a benchmark may ask of the host while it serves one case. One per instance. */
typedef struct assay_case assay_case;
struct assay_case {
  uint32_t size;
  uint32_t device_count;
  const assay_conditions* conditions;
  const assay_device* const* devices; /* this rank's: device_count pointers. Lifetime: until release */
  void* host;                         /* the host's own */

  /* Adds a line to the case's log. The journal keeps all; of a case that passed no report shows them.
   * [any thread] Does not block on I/O. */
  void (*log)(const assay_case*, assay_log_level, const char* text);

  /* Says why the status that follows is not ASSAY_OK. `domain` names the code's space: "errno", "cuda",
   * "nccl", "libc", or a reverse-DNS name. The first call counts; later ones become lines of the log, and so does
   * one that ASSAY_OK follows. [any thread] */
  void (*fail)(const assay_case*, const char* domain, int64_t code, const char* text);

  /* As fail, about one parameter: the host prints it at the parameter's line in the suite. [any thread] */
  void (*fail_parameter)(const assay_case*, const char* parameter, const char* text);

  /* Typed parameters, already checked against the manifest; defaults are filled in. ASSAY_E_INVALID if the
   * manifest declares no such parameter of this type; *out is then left alone. get_number also reads
   * integers. Integers carry quantities in base units (bytes). Text lives until release. [any thread] */
  assay_status (*get_integer)(const assay_case*, const char* parameter, int64_t* out);
  assay_status (*get_number)(const assay_case*, const char* parameter, double* out);
  assay_status (*get_boolean)(const assay_case*, const char* parameter, int32_t* out);
  assay_status (*get_text)(const assay_case*, const char* parameter, const char** out);

  /* Not 0 once the case should end: give ASSAY_CANCELLED back within 2 s, or the process is ended. Cheap
   * enough for a spin loop. [any thread] */
  int32_t (*cancelled)(const assay_case*);

  /* Nanoseconds of the host's monotonic clock, now and at which the visit's time is up. [any thread] */
  int64_t (*now_ns)(const assay_case*);
  int64_t (*deadline_ns)(const assay_case*);

  /* Declares the work of ONE iteration of this rank for a rate metric of the manifest, in the metric's
   * numerator unit (bytes, operations). All ranks declare the same unless the traits say
   * ASSAY_TRAIT_UNLIKE_RANKS; the host adds it up over them, and derives the rate and its interval. To be called
   * in prepare. */
  void (*work)(const assay_case*, const char* metric, double per_iteration);

  /* Records a value without samples for a declared metric, with 0 to 2 indices (dimensions = 0, 1, 2). Must
   * be finite. Recording the same metric and indices again replaces the value. Of several ranks the worst
   * value counts. Of a metric of kind `part`: the seconds that this part of ONE iteration took in the sample that
   * iterate() takes, recorded once in each; those of samples that are not kept, such as warm-up, are left out.
   * Every value that is recorded between the first reseed() and the last verify(LAST) after it is left out, too: it
   * is of other inputs than the case's. */
  void (*value)(const assay_case*, const char* metric, uint32_t dimensions, const uint32_t* indices,
                double value);

  /* Records a declared text fact, such as a chosen algorithm. Of several ranks rank 0's is shown. */
  void (*fact)(const assay_case*, const char* name, const char* text);

  /* Reports a yes/no about a subject ("nvlink 7 of cuda:3"), with a sentence that says what was seen. */
  void (*check)(const assay_case*, const char* name, const char* subject, int32_t passed, const char* text);

  /* An optional service by id, or NULL. The struct's type is given by the id. Lifetime: until release. */
  const void* (*query)(const assay_case*, const char* id);

  /* Since minor 2. Names a device of this rank that no longer answers, as assay_device.name does; may be called
   * for several. They, and no others, are withdrawn from the run, and the case is an error (device.lost) whatever
   * status follows; ASSAY_E_LOST should. `text` is its reason, as that of fail is. [any thread] */
  void (*lost)(const assay_case*, const char* device, const char* text);
};

/* ---- assay.benchmark/1 (plugin to host) ---------------------------------------------------------------- */

typedef struct assay_traits {
  uint32_t size;
  assay_clock clock;
  /* Smallest step seen between two readings of that clock, above 0 and at most 1 s. Ranks, whose traits are equal,
   * agree on the coarsest of theirs. */
  double tick_s;
  uint64_t quantum; /* iterations per sample must be a multiple of this; at least 1, at most 2^40 */
  uint64_t maximum; /* the most iterations in one sample, at least the quantum; 0: no limit */
  /* Device operations that one iteration queues; 0: none. Queueing them may take time that no region holds; a
   * result shows how many there were. */
  uint32_t launches_per_iteration;
  uint32_t flags; /* ASSAY_TRAIT_* */
} assay_traits;

/* One timed region of n iterations. The host zeroes it and sets size, laps and lap_capacity; the plugin sets
 * the rest. The host holds every one of these times against its own clock: docs/reference/manifest.md,
 * "What a sample is held to". */
typedef struct assay_sample {
  uint32_t size;
  uint32_t done;   /* ASSAY_DONE_* */
  double device_s; /* duration by the clock of the traits; above 0, finite */
  double host_s; /* host time from submission to completion; at least device_s if the clock is the device's */
  int64_t begin_ns; /* the region's begin and end by now_ns(), both within the call; 0 if unknown */
  int64_t end_ns;
  /* Room for the durations of single iterations, or NULL if the host wants none. Where they are given they
   * take the place of device_s, and add up to it. Owner: host */
  double* laps_s;
  uint64_t lap_capacity; /* how many fit; at least n when laps_s is not NULL */
  uint64_t lap_count;    /* how many the plugin wrote: 0 or n */
} assay_sample;

/* What verify() looked at. The host zeroes it and sets size, and refuses one that contradicts itself. */
typedef struct assay_verification {
  uint32_t size;
  uint32_t exact;       /* 1: compared bit for bit; 0: within a tolerance */
  uint64_t checked;     /* elements compared; 0: a rate is not published, verify.missing */
  uint64_t wrong;       /* elements outside the tolerance, at most those checked. Above 0 is ASSAY_E_VERIFY */
  double largest_error; /* in units of the tolerance's kind; not above the tolerance unless some are wrong */
  double tolerance;     /* not below 0, below 1e38 */
  const char* method;   /* "Freivalds", "closed form"; copied at once */
} assay_verification;

/*
 * create -> probe -> prepare -> traits -> verify(BEFORE) -> iterate* -> settle -> verify(LAST) ->
 * (reseed -> iterate -> verify(LAST))* -> verify(AFTER) -> release
 * All on the case thread. settle comes after calibration, too. release is called exactly once after a
 * successful create, however far the case came.
 */
typedef struct assay_benchmark_v1 {
  uint32_t size;
  uint32_t reserved;

  /* Makes an instance for one case. Cheap: reads parameters, allocates nothing large. The case outlives the
   * instance. ASSAY_E_UNSUPPORTED if `benchmark` is not one of the manifest's. After ASSAY_OK *instance is
   * what the other functions are given, NULL or not. */
  assay_status (*create)(void* plugin, const char* benchmark, const assay_case*, void** instance);

  /* Can it run here? ASSAY_SKIPPED with a reason if not. May ask devices; must not allocate on them. */
  assay_status (*probe)(void* instance);

  /* Allocates, fills inputs from the seed, declares work. May block for seconds. */
  assay_status (*prepare)(void* instance);

  /* States how it can be measured. Called once, after prepare. */
  assay_status (*traits)(void* instance, assay_traits* out);

  /* Checks results where they end up. ASSAY_E_VERIFY with a reason if they are wrong. May be NULL, and is
   * then of no use for rates: a rate that nobody verified is not published (verify.missing). */
  assay_status (*verify)(void* instance, assay_verify_phase, assay_verification* out);

  /* Runs n iterations in one timed region. n is a multiple of the quantum and at most the maximum. */
  assay_status (*iterate)(void* instance, assay_mode, uint64_t n, assay_sample* out);

  /* Frees all that the instance holds. Never fails. */
  void (*release)(void* instance);

  /* Since minor 1. Blocks until everything that iterate() queued is done, wherever it runs. What it waits for
   * is work that no region held, so a sound plugin returns at once. Required if the clock of the traits is
   * the device's, else may be NULL: read it through ASSAY_HAS. */
  assay_status (*settle)(void* instance);

  /* Since minor 1. Makes other inputs, of this seed, which conditions->seed holds from now on, and destroys old
   * results. One call of iterate() follows (of one quantum unless iterations are idempotent),
   * then verify(LAST), which must find that sample's results to be those of the new inputs.
   * ASSAY_E_UNSUPPORTED where results do not depend on a seed. May be NULL; results then say that the plugin
   * declared its work. */
  assay_status (*reseed)(void* instance, uint64_t seed);

  /* Since minor 2. For `assay plugin check` alone, which asks whether verify() can fail: spoils what the next
   * verify() compares, wherever it lies: the results that are there, and those that it computes anew, before it
   * compares them. That verify() finds them wrong; the one after it finds nothing of this. ASSAY_E_UNSUPPORTED
   * where it cannot. May be NULL: read it through ASSAY_HAS. */
  assay_status (*damage)(void* instance);
} assay_benchmark_v1;

#define ASSAY_FACET_BENCHMARK "assay.benchmark/1"

/* ---- assay.backend/1 (plugin to host) ------------------------------------------------------------------ */

/* Receives text in pieces; the pieces are joined. Owner: the caller of the function that is given it. */
typedef struct assay_text_sink {
  uint32_t size;
  uint32_t reserved;
  void* context;
  void (*write)(void* context, const char* text, size_t length);
  /* Says why the status that follows is not ASSAY_OK; the first call counts. May be NULL: read it through
   * ASSAY_HAS. */
  void (*fail)(void* context, const char* text);
} assay_text_sink;

typedef struct assay_reading_sink {
  uint32_t size;
  uint32_t reserved;
  void* context;
  /* A number about a device now, in SI units: "power" (W), "temperature" (degrees C), "clock" (Hz), "energy"
   * (J, a counter), "memory_used" (B), or another lower-case quantity. Leave out what cannot be read. */
  void (*reading)(void* context, const char* device, const char* quantity, double value);
  /* A reason that slows the device down now, such as "power_cap" or "thermal". "lost": it no longer answers,
   * and is withdrawn from the run. */
  void (*reason)(void* context, const char* device, const char* reason);
  /* Says why the status that follows is not ASSAY_OK; the first call counts. May be NULL: read it through
   * ASSAY_HAS. */
  void (*fail)(void* context, const char* text);
} assay_reading_sink;

typedef struct assay_environment_sink {
  uint32_t size;
  uint32_t reserved;
  void* context;
  void (*set)(void* context, const char* name, const char* value);
  /* Says why the status that follows is not ASSAY_OK; the first call counts. May be NULL: read it through
   * ASSAY_HAS. */
  void (*fail)(void* context, const char* text);
} assay_environment_sink;

/* Called in a worker of the backend's own, which takes no measurements. A call has 10 s. */
typedef struct assay_backend_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Writes one JSON object: {"devices": [...], "facts": {...}}; docs/reference/inventory.md has the keys. */
  assay_status (*inventory)(void* plugin, const assay_text_sink*);
  /* Reads telemetry of the named devices. Called up to ten times a second. */
  assay_status (*read)(void* plugin, const char* const* devices, uint32_t count, const assay_reading_sink*);
  /* Which environment variables make a worker see only these devices, in this order. May be NULL: none are
   * needed. */
  assay_status (*visibility)(void* plugin, const char* const* devices, uint32_t count,
                             const assay_environment_sink*);
} assay_backend_v1;

#define ASSAY_FACET_BACKEND "assay.backend/1"

/* ---- assay.reporter/1 (plugin to host) ----------------------------------------------------------------- */

typedef struct assay_option {
  const char* key;
  const char* value;
} assay_option;

/* Where a reporter writes. The host puts files in place only when render() has returned ASSAY_OK. */
typedef struct assay_file_sink {
  uint32_t size;
  uint32_t reserved;
  void* context;
  /* Begins a file. `name` is relative, without "..", or NULL for the reporter's main output. *file is the
   * handle. */
  assay_status (*open)(void* context, const char* name, void** file);
  assay_status (*write)(void* context, void* file, const char* data, size_t length);
  assay_status (*close)(void* context, void* file);
  /* Says why the status that follows is not ASSAY_OK; the first call counts. */
  void (*fail)(void* context, const char* text);
} assay_file_sink;

typedef struct assay_reporter_v1 {
  uint32_t size;
  uint32_t reserved;
  /* Renders one result document (JSON, `length` bytes, docs/reference/result.md). Pure: the same document and
   * options give the same bytes. Reads no clock, environment or file. */
  assay_status (*render)(void* plugin, const char* reporter, const char* document, size_t length,
                         const assay_option* options, uint32_t option_count, const assay_file_sink*);
} assay_reporter_v1;

#define ASSAY_FACET_REPORTER "assay.reporter/1"

/* ---- Optional services (host to plugin), by id --------------------------------------------------------- */

/* A rank of a group, as the host placed it. */
typedef struct assay_rank {
  uint32_t size;
  uint32_t rank;       /* in the group */
  uint32_t visit_rank; /* in the visit, as results name it */
  uint32_t local_rank; /* on its node */
  uint32_t node;
  uint32_t device_count;
  /* Its devices. Their `ordinal` holds in the process of that rank alone. */
  const assay_device* const* devices;
} assay_rank;

/* "assay.group/1": the ranks of this visit, one process each. NULL from query() means a single rank. May be
 * used from create to release, on the case thread. All ranks of a group make the same collective calls (barrier,
 * broadcast, allgather, split) in the same order. Every function ends soon after a rank's death with
 * ASSAY_E_COMMUNICATION, and after a cancel with ASSAY_CANCELLED. All live until release. */
typedef struct assay_group_v1 assay_group_v1;
struct assay_group_v1 {
  uint32_t size;
  uint32_t rank;
  uint32_t rank_count;
  uint32_t local_rank; /* on this node */
  uint32_t node;
  uint32_t node_count;
  const assay_rank* const* ranks; /* rank_count pointers, this rank's too */
  void* host;                     /* the host's own */
  assay_status (*barrier)(const assay_group_v1*);
  /* Copies bytes from the root rank's data to everyone's. All ranks pass the same size and root. */
  assay_status (*broadcast)(const assay_group_v1*, void* data, uint64_t bytes, uint32_t root);
  /* Gathers each rank's bytes, in rank order, into everyone's all (rank_count x bytes). */
  assay_status (*allgather)(const assay_group_v1*, const void* mine, void* all, uint64_t bytes);
  /* One rank's bytes to another one: both block until they have arrived, so two ranks that both send first wait
   * for each other. ASSAY_E_TIMEOUT at deadline_ns by now_ns(), of which 0 means none; nothing has arrived then.
   * ASSAY_E_INVALID on both sides if they state different sizes. For bytes that set work up, not for data that is
   * measured: they pass through a buffer of the host's. */
  assay_status (*send)(const assay_group_v1*, uint32_t to, const void* data, uint64_t bytes,
                       int64_t deadline_ns);
  assay_status (*receive)(const assay_group_v1*, uint32_t from, void* data, uint64_t bytes,
                          int64_t deadline_ns);
  /* Makes a group of the ranks that pass the same color, in the order of their keys, those with the same key in the
   * order of ranks. Collective over this group. */
  assay_status (*split)(const assay_group_v1*, uint32_t color, uint32_t key, const assay_group_v1** out);
};

#define ASSAY_SERVICE_GROUP "assay.group/1"

/* Something that went on during a sample of ASSAY_MODE_TRACE. */
typedef struct assay_span {
  uint32_t size;
  uint32_t clock;     /* of begin_ns and end_ns: 0 for now_ns(), else a number that match() was called with */
  const char* track;  /* what did it: a stream, a thread, a link */
  const char* name;   /* what it was; both are copied at once */
  uint64_t iteration; /* of the sample, from 0 */
  int64_t begin_ns;   /* not below 0 for now_ns() */
  int64_t end_ns;     /* not before the begin */
} assay_span;

/* "assay.span/1": timelines. What is reported outside of ASSAY_MODE_TRACE is left out. [any thread] */
typedef struct assay_span_v1 {
  uint32_t size;
  uint32_t reserved;
  void (*span)(const assay_case*, const assay_span*);
  /* Says that a clock of the plugin's own, a device's for one, read clock_ns when now_ns() read host_ns. One such
   * moment shifts the clock; with several, the line through the first and the last by clock_ns is taken. To be called
   * before the sample ends; spans of a clock that was never matched are an error. */
  void (*match)(const assay_case*, uint32_t clock, int64_t clock_ns, int64_t host_ns);
} assay_span_v1;

#define ASSAY_SERVICE_SPAN "assay.span/1"

/* "assay.memory/1": host memory that the host counts. What is not freed by the end of release is a leak, is
 * named in the result, and costs the worker. */
typedef struct assay_memory_v1 {
  uint32_t size;
  uint32_t reserved;
  /* NULL if there is not enough. alignment is a power of two. Pages are not touched. [any thread] */
  void* (*allocate)(const assay_case*, size_t bytes, size_t alignment);
  void (*free)(const assay_case*, void* memory);
} assay_memory_v1;

#define ASSAY_SERVICE_MEMORY "assay.memory/1"

/* ---- The entry ----------------------------------------------------------------------------------------- */

/* What a plugin may ask of the host from open to close, with or without a case. One per process. */
typedef struct assay_host assay_host;
struct assay_host {
  uint32_t size;
  uint32_t abi_minor;  /* what the host speaks */
  const char* name;    /* "assay" */
  const char* version; /* of the host, "1.0.0" */
  /* A service that belongs to no case, by id, or NULL. None is defined yet. */
  const void* (*query)(const assay_host*, const char* id);

  /* Since minor 2. Absolute paths of the files that this process loaded the plugin by. What it brings beside
   * them (kernels, models, tables) it finds by these; "" where a plugin was loaded without a manifest. */
  const char* library_path;
  const char* manifest_path;
  void* host; /* the host's own */

  /* Since minor 2. Adds a line to the log: of the case that is under way, else of the next one that this process
   * serves. What a backend logs as a warning or an error becomes a note of the case that is under way.
   * [any thread], from open to close. Does not block on I/O. */
  void (*log)(const assay_host*, assay_log_level, const char* text);

  /* Since minor 2. Says why open, or another call that is given no case and no sink, gives a status other than
   * ASSAY_OK. As assay_case.fail: the first call counts. [any thread], from open to close. */
  void (*fail)(const assay_host*, const char* domain, int64_t code, const char* text);
};

typedef struct assay_plugin_v1 {
  uint32_t size;
  uint32_t built_minor; /* ASSAY_ABI_MINOR of the header it was compiled with */
  uint32_t needs_minor; /* the lowest host minor that it can work with */
  uint32_t reserved;
  const char* id;      /* reverse-DNS, "com.acme.saxpy"; equals the manifest's */
  const char* version; /* semantic version of the plugin */

  /* Writes the manifest as JSON, without the members `library` and `abi`, which assay-describe adds; says why
   * not through the sink. May be NULL if a manifest file is given. Must not touch devices. */
  assay_status (*describe)(const assay_text_sink*);
  /* Called once per process, before any facet. Cheap: no device context, no threads. The host lives until
   * close. With a status other than ASSAY_OK no case of the plugin runs; what fail said is their reason. */
  assay_status (*open)(const assay_host*, void** plugin);
  /* Releases what lives on the plugin object. The library itself is never unloaded. */
  void (*close)(void* plugin);
  /* A facet by id, or NULL. Static storage. */
  const void* (*query)(void* plugin, const char* id);
} assay_plugin_v1;

#define ASSAY_ENTRY_SYMBOL "assay_plugin_entry_v1"

/* The only symbol that a plugin exports. Returns static storage; never NULL. */
ASSAY_EXPORT const assay_plugin_v1* assay_plugin_entry_v1(void);
typedef const assay_plugin_v1* (*assay_plugin_entry_v1_function)(void);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_ABI_V1_H */
