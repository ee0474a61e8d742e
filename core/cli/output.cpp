// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include "text/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace assay::cli {
namespace {

int first_output_error = 0;

// Gives the error's number, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {  // somebody else made the terminal or pipe non-blocking
      pollfd room{descriptor, POLLOUT, 0};
      static_cast<void>(::poll(&room, 1, -1));
      continue;
    }
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

void print(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) text += printable(to_text(diagnostic, {}));
  print_error(text);
}

int print_out(std::string_view text) {
  const int code = write_all(STDOUT_FILENO, text);
  if (code == EPIPE) return 0;
  if (first_output_error == 0 && code != EBADF) first_output_error = code;
  return code;
}

int output_error() { return first_output_error; }

void print_error(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

void ensure_standard_streams() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    // For reading only: what is written there is still an error.
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace assay::cli
