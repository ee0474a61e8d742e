// SPDX-License-Identifier: Apache-2.0
#include "external/command.hpp"

#include <assay/errors.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

extern char** environ;

namespace assay::plugins::external {
namespace {

constexpr int kLook_ms = 20;  // how often a request to end is looked for

[[noreturn]] void not_started(const std::string& text, int code = 0) {
  throw Failure(text, ASSAY_E_INVALID, "external.start", code);
}

std::string_view search_path() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.substr(0, 5) == "PATH=") return text.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::filesystem::path& path) {
  std::error_code unused;
  return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, unused);
}

// One of the command's streams.
class Stream {
 public:
  Stream(int copy, std::string& kept, std::size_t most) : copy_(copy), kept_(kept), most_(most) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "a pipe cannot be created");
    read_ = ends[0];
    write_ = ends[1];
    fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    ::close(read_);
    close_write();
  }

  [[nodiscard]] int write_end() const { return write_; }
  [[nodiscard]] pollfd polled() const { return {open_ ? read_ : -1, POLLIN, 0}; }
  [[nodiscard]] bool too_long() const { return too_long_; }
  void close_write() {
    if (write_ >= 0) ::close(std::exchange(write_, -1));
  }

  // Reads what is there, without blocking.
  void pump() {
    std::array<char, 65536> bytes{};
    while (open_) {
      const ssize_t got = read(read_, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;
      if (got == 0) open_ = false;
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      pass_on(text);
      if (kept_.size() + text.size() > most_) {
        too_long_ = true;
        return;
      }
      kept_ += text;
    }
  }

 private:
  void pass_on(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t done = write(copy_, text.data(), text.size());
      if (done < 0 && errno != EINTR) return;  // nobody reads it
      if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  int copy_;
  std::string& kept_;
  std::size_t most_;
  int read_ = -1, write_ = -1;
  bool open_ = true;
  bool too_long_ = false;
};

}  // namespace

std::string find_program(const Definition& definition) {
  std::error_code unused;
  if (!definition.directory.empty() && !std::filesystem::is_directory(definition.directory, unused))
    not_started("there is no folder '" + definition.directory + "' for the command to run in");
  const std::string& name = definition.arguments.front();
  if (name.find('/') != std::string::npos) {
    // A relative path is meant from where the command runs.
    const std::filesystem::path path = std::filesystem::path(definition.directory) / name;
    if (!is_program(path)) not_started("'" + path.string() + "' is not a program that can be run");
    return std::filesystem::absolute(path).string();
  }
  std::string_view rest = search_path();
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    const std::filesystem::path path = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (is_program(path)) return std::filesystem::absolute(path).string();
  }
  not_started("'" + name + "' is in no folder of PATH; install it, or give its whole path");
}

Finished run_command(const Definition& definition, const std::string& program,
                     const std::function<bool()>& cancelled, std::size_t most_output) {
  Finished finished;
  Stream out(STDOUT_FILENO, finished.output.out, most_output);
  Stream error(STDERR_FILENO, finished.output.error, most_output);
  Supervisor supervisor(
      {program, definition.arguments, definition.directory, out.write_end(), error.write_end()});
  out.close_write();
  error.close_write();
  bool is_cancelled = false;
  for (;;) {
    std::array<pollfd, 3> polled{pollfd{supervisor.descriptor(), POLLIN, 0}, out.polled(), error.polled()};
    poll(polled.data(), polled.size(), kLook_ms);
    out.pump();
    error.pump();
    is_cancelled = is_cancelled || cancelled();
    if (is_cancelled || out.too_long() || error.too_long()) supervisor.kill();
    if (polled[0].revents != 0) break;
  }
  finished.end = supervisor.take();
  out.pump();
  error.pump();
  if (is_cancelled) throw Cancelled();
  if (finished.end.survivors != 0)
    throw Failure("processes that the command started could not be ended; they may be stuck in a driver",
                  ASSAY_E_RESOURCE);
  if (finished.end.refused_step != 0) {
    const std::string why = std::generic_category().message(finished.end.refused_code);
    not_started("'" + program + "' cannot be executed: " + why +
                    (finished.end.refused_code == ENOEXEC ? "; a script begins with #!, like #!/bin/sh" : ""),
                finished.end.refused_code);
  }
  if (out.too_long() || error.too_long())
    throw Failure("the command wrote more than " + std::to_string(most_output >> 20) +
                      " MiB; let it write less, or send what no metric needs elsewhere",
                  ASSAY_E_RESOURCE, "external.output");
  const int status = finished.end.status;
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  finished.output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return finished;
}

}  // namespace assay::plugins::external
