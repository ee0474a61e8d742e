// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::result {

// Of the journal's lines. Keys and kinds of lines may be added, and readers ignore what they don't know; what
// is there keeps its meaning.
inline constexpr int kJournalFormat = 1;

}  // namespace assay::result
