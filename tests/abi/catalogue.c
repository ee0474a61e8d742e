/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches every type of the interface from one exported function, because facets and services travel as const
 * void*, behind which no tool sees anything. tests/abi/gate.py compares what is reached with what was
 * published.
 */
#include <assay/abi/v1.h>

#define OF(type) const type* of_##type

struct assay_abi_catalogue {
  OF(assay_host);
  OF(assay_plugin_v1);
  OF(assay_case);
  OF(assay_conditions);
  OF(assay_device);
  OF(assay_traits);
  OF(assay_sample);
  OF(assay_verification);
  OF(assay_benchmark_v1);
  OF(assay_backend_v1);
  OF(assay_reporter_v1);
  OF(assay_text_sink);
  OF(assay_reading_sink);
  OF(assay_environment_sink);
  OF(assay_option);
  OF(assay_file_sink);
  OF(assay_group_v1);
  OF(assay_span_v1);
#if ASSAY_ABI_MINOR >= 3 /* the gate's test compiles this with older headers, too */
  OF(assay_rank);
  OF(assay_span);
#endif
  OF(assay_memory_v1);
  /* Named by comments and fields only, or as integers. */
  OF(assay_status);
  OF(assay_log_level);
  OF(assay_mode);
  OF(assay_verify_phase);
  OF(assay_cache);
  OF(assay_launch);
  OF(assay_data);
  OF(assay_thermal);
  OF(assay_clock);
  assay_plugin_entry_v1_function entry;
};

ASSAY_EXPORT const struct assay_abi_catalogue* assay_abi_catalogue(void);

const struct assay_abi_catalogue* assay_abi_catalogue(void) {
  static struct assay_abi_catalogue catalogue;
  return &catalogue;
}
