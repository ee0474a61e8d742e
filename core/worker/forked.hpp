// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::worker {

// A plugin that forks and forgets to end its child brings it back into the host, where it would measure and
// answer a second time. watch_forks() is called once in a worker; end_if_forked() ends the calling process,
// without a word, if it is such a child. It costs a load.
void watch_forks();
void end_if_forked();

}  // namespace assay::worker
