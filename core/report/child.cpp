// SPDX-License-Identifier: Apache-2.0
#include "report/child.hpp"

#include "base/error.hpp"
#include "text/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::report {
namespace {

constexpr off_t kPrintedLimit = 64 << 10;
constexpr std::size_t kPrintedTail = 2000;

// A file in memory that takes only so much.
process::Descriptor bounded_file() {
  process::Descriptor file(memfd_create("assay-reporter", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.open() || ftruncate(file.get(), kPrintedLimit) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    throw Error("worker.start", std::string("there is no memory for what a reporter prints: ") +
                                    std::strerror(errno) + "; check the limits of memory and files");
  }
  return file;
}

process::Launch launch_of(const Start& start, int socket, int output) {
  process::Launch launch;
  launch.arguments = {start.program.string(), "worker"};
  launch.environment = start.environment;
  launch.descriptors = {socket};
  launch.output = output;
  return launch;
}

}  // namespace

Child::Child(const Start& start, int socket)
    : output_(bounded_file()), process_(launch_of(start, socket, output_.get())) {}

void Child::finish(std::chrono::milliseconds patience) {
  pollfd death{process_.death_descriptor(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&death, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    process_.signal(SIGKILL);
    return;
  }
  if (!process_.reap()) return;
  if (WIFSIGNALED(process_.status())) {
    ending_ = process::signal_text(WTERMSIG(process_.status()));
  } else if (WIFEXITED(process_.status()) && WEXITSTATUS(process_.status()) != 0) {
    ending_ = "exit status " + std::to_string(WEXITSTATUS(process_.status()));
  }
}

std::string Child::printed() const {
  std::string text(static_cast<std::size_t>(kPrintedLimit), '\0');
  const ssize_t count = pread(output_.get(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t end = text.find_last_not_of(std::string_view("\0\n", 2));
  text.resize(end == std::string::npos ? 0 : end + 1);
  return tail(printable(text), kPrintedTail);
}

}  // namespace assay::report
