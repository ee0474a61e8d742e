/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay/abi/drafts.h: services that are tried out before they are promised.
 *
 * A draft's id ends in "-draft.N". It is served by a host that has this very N, and by no other: a plugin that
 * asks for another one gets NULL, and a line of the case's log says which one this host has. A draft is outside
 * of the gate that holds assay/abi/v1.h to what was published; it changes, with another N, or goes in any
 * release. What proves itself comes back without "-draft", under rules ABI-3 and ABI-5 of docs/reference/abi.md.
 *
 * A plugin does without: it asks for a draft, and goes on if it gets NULL.
 */
#ifndef ASSAY_ABI_DRAFTS_H
#define ASSAY_ABI_DRAFTS_H

#include <assay/abi/v1.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a call of minutes has come, such as a prepare that loads a model. `share` is from 0 to 1, or below 0 if
 * it is not known. The first call, the last one (1) and at most one a second become lines of the case's log, which
 * is kept if the case runs into its time limit. From assay_case.query. [any thread] */
typedef struct assay_progress_draft {
  uint32_t size;
  uint32_t reserved;
  void (*progress)(const assay_case*, double share, const char* text);
} assay_progress_draft;

#define ASSAY_DRAFT_PROGRESS "assay.progress/1-draft.1"

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_ABI_DRAFTS_H */
