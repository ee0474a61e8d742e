// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <array>
#include <csignal>

namespace assay::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> previous;
volatile std::sig_atomic_t first_signal = 0;
volatile std::sig_atomic_t signal_count = 0;

extern "C" void note_signal(int number) {
  if (first_signal == 0) first_signal = number;
  if (signal_count < 100) signal_count = signal_count + 1;
}

}  // namespace

SignalCatcher::SignalCatcher() {
  first_signal = 0;
  signal_count = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: the controller's poll shall wake up.
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous[i]);
    // Whoever starts a program with a signal ignored wants it so: nohup, and a shell's jobs in the
    // background.
    if (previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalCatcher::~SignalCatcher() {
  // Who asked for the end shall get its exit code, and not a death by the next impatient Ctrl-C on the way
  // out.
  if (first_signal != 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
}

SignalCatcher::Received SignalCatcher::received() { return {first_signal, signal_count}; }

}  // namespace assay::cli
