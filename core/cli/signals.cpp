// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <array>
#include <csignal>

namespace assay::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> previous;
volatile std::sig_atomic_t received_signal = 0;

extern "C" void note_signal(int number) {
  const int seen = received_signal;
  received_signal = seen == 0 ? number : -(seen > 0 ? seen : -seen);
}

}  // namespace

SignalCatcher::SignalCatcher() {
  received_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: the controller's poll shall wake up.
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous[i]);
  // A closed pipe behind standard output is noticed when writing to it, not by dying.
  std::signal(SIGPIPE, SIG_IGN);
}

SignalCatcher::~SignalCatcher() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
}

int SignalCatcher::received() { return received_signal; }

}  // namespace assay::cli
