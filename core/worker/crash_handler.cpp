// SPDX-License-Identifier: Apache-2.0
#include "worker/crash_handler.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <execinfo.h>
#include <string_view>
#include <ucontext.h>

namespace assay::worker {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr int kMostFrames = 64;
constexpr unsigned kPatience_s = 1;

struct Caught {
  int number;
  const char* name;
};
constexpr Caught kCaught[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},  {SIGILL, "SIGILL"},
                              {SIGFPE, "SIGFPE"},   {SIGSYS, "SIGSYS"},  {SIGTRAP, "SIGTRAP"},
                              {SIGABRT, "SIGABRT"}, {SIGTERM, "SIGTERM"}};

// Everything that the handler needs, made before: it may not allocate.
std::span<char> room;
std::array<char, 2048> line;  // for standard error, when there is no room
pid_t owner = 0;
std::atomic<int> dying{0};  // the signal that came first

// Text into fixed memory, cut at its end, always terminated.
class Writer {
 public:
  explicit Writer(std::span<char> memory) : memory_(memory) {}

  void text(std::string_view part) {
    const std::size_t fits = std::min(part.size(), memory_.size() - 1 - used_);
    std::memcpy(memory_.data() + used_, part.data(), fits);
    used_ += fits;
    memory_[used_] = '\0';
  }
  void decimal(std::uint64_t value) { number(value, 10); }
  void hexadecimal(std::uint64_t value) {
    text("0x");
    number(value, 16);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  void number(std::uint64_t value, unsigned base) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    text({digits.data() + at, digits.size() - at});
  }

  std::span<char> memory_;
  std::size_t used_ = 0;
};

std::uintptr_t place_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#endif
}

void write_frame(Writer& out, void* address, bool returns) {
  // What follows a call may belong to the next function.
  const auto at = reinterpret_cast<std::uintptr_t>(address) - (returns ? 1 : 0);
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_fname == nullptr) {
    out.hexadecimal(at);
    return;
  }
  const std::string_view path = info.dli_fname;
  out.text(path.substr(path.rfind('/') + 1));
  out.text("+");
  out.hexadecimal(at - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  if (info.dli_sname != nullptr) {
    out.text(" ");
    out.text(std::string_view(info.dli_sname).substr(0, 200));
  }
}

// Innermost first, without the handler's own. Equal neighbours, as recursion leaves them, count as one.
void write_backtrace(Writer& out, const void* context, std::string_view before, std::string_view between) {
  std::array<void*, kMostFrames> frames{};
  const int count = backtrace(frames.data(), kMostFrames);
  int first = 0;
  while (first < count &&
         reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(first)]) != place_of(context)) {
    ++first;
  }
  // A jump to nowhere cannot be unwound from; the place itself is known.
  if (first == count) {
    out.text(before);
    write_frame(out, reinterpret_cast<void*>(place_of(context)), false);
    return;
  }
  for (int at = first; at < count;) {
    void* const* frame = frames.data() + at;
    int same = 1;
    while (at + same < count && frame[same] == *frame) ++same;
    out.text(at == first ? before : between);
    write_frame(out, *frame, at != first);
    if (same > 1) {
      out.text(" (");
      out.decimal(static_cast<std::uint64_t>(same));
      out.text(" times)");
    }
    at += same;
  }
  if (count == kMostFrames) {
    out.text(between);
    out.text("and more");
  }
}

const char* name_of(int number) {
  for (const Caught& caught : kCaught) {
    if (caught.number == number) return caught.name;
  }
  return "?";
}

void take_usual_course(int number) {
  signal(number, SIG_DFL);
  raise(number);  // delivered once the handler has returned, where the signal came from
}

// The handler got stuck.
void give_up(int) {
  const int number = dying.load();
  signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
}

void on_death(int number, siginfo_t* info, void* context) {
  int none = 0;
  // A child that a plugin forked has this handler, too, and dies for itself.
  if (getpid() != owner || !dying.compare_exchange_strong(none, number)) return take_usual_course(number);
  struct sigaction stuck {};
  stuck.sa_handler = give_up;
  sigaction(SIGALRM, &stuck, nullptr);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm_only, nullptr);
  alarm(kPatience_s);

  const bool to_memory = !room.empty();
  Writer out(to_memory ? room : std::span<char>(line));
  out.text("backtrace of signal ");
  out.decimal(static_cast<std::uint64_t>(number));
  out.text(" (");
  out.text(name_of(number));
  out.text(")");
  if (info->si_code > 0 && (number == SIGSEGV || number == SIGBUS)) {
    out.text(" at address ");
    out.hexadecimal(reinterpret_cast<std::uintptr_t>(info->si_addr));
  }
  write_backtrace(out, context, to_memory ? ":\n  " : ": ", to_memory ? "\n  " : " < ");
  out.text("\n");
  if (!to_memory) {
    // A first line break ends what the plugin had begun to write.
    [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, "\n", 1);
    ignored = write(STDERR_FILENO, line.data(), out.used());
  }
  take_usual_course(number);
}

bool give_stack() {
  void* memory =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  return sigaltstack(&stack, nullptr) == 0;
}

}  // namespace

void install_crash_handler(std::span<char> given) {
  room = given;
  owner = getpid();
  dying = 0;
  // Loads the unwinder, which the handler may not.
  std::array<void*, 1> unused{};
  backtrace(unused.data(), 1);
  const bool own_stack = give_stack();
  for (const Caught& caught : kCaught) {
    struct sigaction before {};
    if (sigaction(caught.number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = on_death;
    action.sa_flags = SA_SIGINFO | (own_stack ? SA_ONSTACK : 0);
    sigaction(caught.number, &action, nullptr);
  }
}

}  // namespace assay::worker
