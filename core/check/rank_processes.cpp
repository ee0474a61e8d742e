// SPDX-License-Identifier: Apache-2.0
#include "check/rank_processes.hpp"

#include "base/error.hpp"
#include "check/messages.hpp"
#include "wire/channel.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace assay::check {
namespace {

constexpr int kStep_ms = 20;     // between two looks at who has ended
constexpr int kGrace_ms = 3000;  // for ranks whose peer died

struct RankProcess {
  pid_t number = -1;
  std::optional<wire::Channel> channel;  // until it is closed
  std::optional<Verdict> verdict;
  bool ended = false;
  int status = 0;

  [[nodiscard]] bool well() const {
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && verdict.has_value();
  }
};

// In the new process, which owns the socket; its end says the rest. Throws RankEnded.
[[noreturn]] void serve(const Subject& subject, const Rank& rank, const std::function<Verdict()>& body,
                        int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  subject.become(rank);
  int status = 1;
  try {
    wire::Channel channel(socket);
    Verdict verdict;
    try {
      verdict = body();
    } catch (const Error& error) {
      verdict = failed(error.what());
    } catch (const std::bad_alloc&) {
      verdict = not_checked("there was not enough memory for this check");
    }
    channel.send(to_json(verdict));
    status = 0;
  } catch (const RankLost&) {
    // The rank that was lost says why.
  } catch (const std::exception&) {
    // As if it had been lost.
  }
  throw RankEnded{status};
}

void read_from(RankProcess& rank) {
  try {
    if (const auto frame = rank.channel->receive(0)) {
      rank.verdict = verdict_from_json(*frame);
      return;
    }
  } catch (const Error&) {
    // Its end says more.
  }
  rank.channel.reset();
}

// Until all have ended. When one dies the others are told, and get a while to end by themselves.
void follow(std::vector<RankProcess>& ranks, wire::Segment& group, wire::Segment& talk) {
  bool died = false;
  int waited_ms = 0;
  for (std::size_t left = ranks.size(); left > 0;) {
    std::vector<pollfd> polled;
    for (const RankProcess& rank : ranks) {
      if (rank.channel) polled.push_back({rank.channel->descriptor(), POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), kStep_ms);
    for (RankProcess& rank : ranks) {
      for (const pollfd& one : polled) {
        if (rank.channel && one.fd == rank.channel->descriptor() && one.revents != 0) read_from(rank);
      }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      RankProcess& rank = ranks[i];
      if (rank.ended || ::waitpid(rank.number, &rank.status, WNOHANG) != rank.number) continue;
      rank.ended = true;
      --left;
      if (rank.channel && !rank.verdict) read_from(rank);
      if (rank.well()) continue;
      died = true;
      group.declare_dead(static_cast<int>(i));
      talk.declare_dead(static_cast<int>(i));
    }
    if (!died || (waited_ms += kStep_ms) < kGrace_ms) continue;
    for (const RankProcess& rank : ranks) {
      if (!rank.ended) ::kill(rank.number, SIGKILL);
    }
  }
}

std::string end_text(int status) {
  if (!WIFSIGNALED(status)) return "ended with exit status " + std::to_string(WEXITSTATUS(status));
  const char* name = ::sigabbrev_np(WTERMSIG(status));
  return std::string("was ended by SIG") + (name != nullptr ? name : "?");
}

}  // namespace

Verdict in_ranks(const Subject& subject, int ranks, const std::function<Verdict()>& body) {
  wire::Segment group = wire::Segment::create(ranks), talk = wire::Segment::create(ranks);
  std::vector<RankProcess> processes(static_cast<std::size_t>(ranks));
  for (int number = 0; number < ranks; ++number) {
    const auto [ours, theirs] = wire::make_socket_pair();
    RankProcess& process = processes[static_cast<std::size_t>(number)];
    process.channel.emplace(ours);
    process.number = ::fork();
    if (process.number == 0) serve(subject, Rank(number, group, talk), body, theirs);
    ::close(theirs);
    if (process.number < 0) throw Error("process.start", "no process is left for a rank");
  }
  follow(processes, group, talk);

  if (const int dead = talk.dead_rank(); dead >= 0) {
    const RankProcess& lost = processes[static_cast<std::size_t>(dead)];
    const std::string text = "rank " + std::to_string(dead) + " " + end_text(lost.status);
    if (lost.verdict) return failed(text + " after the check");
    return WIFSIGNALED(lost.status) && talk.progress(dead).first != 0 ? passed(text) : failed(text);
  }
  Verdict gravest = *processes.front().verdict;
  for (std::size_t i = 1; i < processes.size(); ++i) {
    const Verdict& verdict = *processes[i].verdict;
    if (!graver(verdict.result, gravest.result)) continue;
    gravest = {verdict.result, "rank " + std::to_string(i) + ": " + verdict.text};
  }
  return gravest;
}

}  // namespace assay::check
