// SPDX-License-Identifier: Apache-2.0
#include "check/check_process.hpp"

#include "base/error.hpp"
#include "check/check_frames.hpp"
#include "check/check_table.hpp"
#include "check/rank_processes.hpp"
#include "text/text.hpp"
#include "wire/channel.hpp"
#include "worker/plugin_text.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include <optional>

namespace assay::check {
namespace {

// Of several ranks: the segment for the check itself, after the plugin's.
constexpr int kCheckSegmentDescriptor = wire::kSegmentDescriptor + 1;

// What a check needs and does not have; a verdict only if something is missing.
std::optional<CheckVerdict> lacking(const CheckDefinition& row, const Subject& subject,
                                    const std::string& missing_library) {
  if (row.needs == Needs::file) return std::nullopt;
  if (!subject.manifest()) return not_checked("it needs a valid manifest; see manifest-valid");
  if (row.needs == Needs::manifest) return std::nullopt;
  if (!missing_library.empty()) return not_checked(missing_library);
  if (row.needs == Needs::benchmarks && subject.manifest()->benchmarks.empty())
    return skipped("it has no benchmark");
  return std::nullopt;
}

CheckVerdict run(const CheckDefinition& row, const Subject& subject, const std::string& missing_library) {
  if (auto verdict = lacking(row, subject, missing_library)) return *verdict;
  try {
    return row.run(subject);
  } catch (const Error& error) {
    return failed(error.what());
  } catch (const std::bad_alloc&) {
    return not_checked("there was not enough memory for this check");
  } catch (const RankLost&) {
    throw;
  } catch (...) {
    // From a function that is called without an instance, such as query.
    return failed(worker::with_exception_text("an exception left it"));
  }
}

}  // namespace

int run_check_process(int socket, const process::Launch& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  try {
    wire::Channel channel(socket);
    const auto first = channel.receive(-1), frame = channel.receive(-1);
    if (!first || !frame) return 1;
    const wire::Load load = wire::load_from_json(*first);
    const CheckRequest request = request_from_json(*frame);
    const CheckDefinition* row = find_check(request.check);
    if (row == nullptr) return 1;
    Subject subject(
        request.library, request.manifest, request.contracts, request.devices,
        [&](const std::string& stage, bool may_die) {
          channel.send(to_json(Stage{stage, may_die}));
        },
        request.given,
        [&](const catalog::Benchmark& benchmark) {
          return in_ranks(subject, request, benchmark.name, benchmark.ranks.minimum, launch);
        });
    std::optional<wire::Segment> group, check_segment;
    if (load.rank_count > 1) {
      group = wire::Segment::attach(wire::kSegmentDescriptor);
      check_segment = wire::Segment::attach(kCheckSegmentDescriptor);
      subject.set_rank(CheckedRank(load.rank, *group, *check_segment), request.benchmark);
    }
    CheckVerdict verdict = run(*row, subject, request.missing_library);
    verdict.text = printable(verdict.text);
    channel.send(to_json(verdict));
    return 0;
  } catch (const RankLost&) {
    return 1;  // the rank that was lost says why
  } catch (const std::exception&) {
    return 1;  // the parent sees the end
  }
}

}  // namespace assay::check
