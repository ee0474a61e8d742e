// SPDX-License-Identifier: Apache-2.0
#include "wire/segment.hpp"

#include "base/error.hpp"
#include "wire/futex.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace assay::wire {

struct Segment::Header {
  static constexpr std::uint64_t kMagic = 0x31746e6d67657361;  // "asegmnt1"

  std::uint64_t magic;
  std::uint64_t bytes;
  std::uint32_t rank_count;
  alignas(64) std::atomic<std::int32_t> dead;
  std::atomic<std::uint32_t> cancelled;
  std::atomic<std::uint32_t> disagree;                // 1: the calls that the ranks last made differ
  alignas(64) std::atomic<std::uint32_t> generation;  // the futex: counts barriers
  std::atomic<std::uint32_t> sleepers;
  alignas(64) std::atomic<std::uint32_t> arrived;
};

struct Segment::RankWords {
  alignas(64) std::atomic<std::uint32_t> phase;
  std::atomic<std::uint64_t> samples;
  std::atomic<std::uint32_t> waits;  // 1 while the rank waits for others
  std::atomic<std::uint64_t> call;   // what it takes part in: Call::word()
};

// A call that all ranks make alike.
struct Segment::Call {
  enum class Kind : std::uint64_t { barrier, broadcast, allgather };
  Kind kind = Kind::barrier;
  std::uint64_t root = 0, bytes = 0;

  [[nodiscard]] std::uint64_t word() const {
    return bytes << 16U | root << 2U | static_cast<std::uint64_t>(kind);
  }
  [[nodiscard]] static std::string text(std::uint64_t word) {
    const std::string of = " of " + std::to_string(word >> 16U) + " bytes";
    const auto kind = static_cast<Kind>(word & 3U);
    if (kind == Kind::broadcast)
      return "a broadcast" + of + " from rank " + std::to_string(word >> 2U & 0x3fffU);
    return kind == Kind::allgather ? "an allgather" + of : "a barrier";
  }
};

namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "the words in the segment are used by several processes");

constexpr std::size_t kExchangeBytes = std::size_t{1} << 20;
constexpr int kSpinsWithCores = 4000;  // 10 to 300 us: what a pause takes differs by processor
constexpr int kSpinsShared = 50;       // the rank waited for may need this very core

std::size_t exchange_offset(std::size_t header, std::size_t words, int rank_count) {
  return (header + (words + Segment::kCrashReport) * static_cast<std::size_t>(rank_count) + 4095) / 4096 *
         4096;
}

int usable_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

Segment::Segment(int descriptor, void* memory, std::size_t bytes)
    : descriptor_(descriptor),
      memory_(memory),
      bytes_(bytes),
      rank_count_(static_cast<int>(header().rank_count)),
      spins_(rank_count_ <= usable_processors() ? kSpinsWithCores : kSpinsShared) {}

Segment::Segment(Segment&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      rank_count_(other.rank_count_),
      spins_(other.spins_) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  if (this != &other) {
    release();
    descriptor_ = std::exchange(other.descriptor_, -1);
    memory_ = std::exchange(other.memory_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    rank_count_ = other.rank_count_;
    spins_ = other.spins_;
  }
  return *this;
}

Segment::~Segment() { release(); }

void Segment::release() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
  memory_ = nullptr;
  descriptor_ = -1;
}

Segment Segment::create(int rank_count) {
  if (rank_count < 1) throw std::invalid_argument("Segment::create: rank_count");
  if (rank_count > kRankLimit) {
    throw Error("segment.unavailable", std::to_string(rank_count) + " ranks are more than the limit of " +
                                           std::to_string(kRankLimit));
  }
  const std::size_t bytes = whole_bytes(rank_count);
  const int descriptor = ::memfd_create("assay-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  void* memory = MAP_FAILED;
  // Sealed, so that no rank can shrink it under the others.
  if (descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  if (memory == MAP_FAILED) {
    const int code = errno;
    if (descriptor >= 0) ::close(descriptor);
    throw Error("segment.unavailable", "no shared memory of " + std::to_string(bytes) + " bytes for " +
                                           std::to_string(rank_count) + " ranks: " + std::strerror(code) +
                                           "; check the memory limit and the limit of open files");
  }
  auto* header = new (memory) Header{};
  header->bytes = bytes;
  header->rank_count = static_cast<std::uint32_t>(rank_count);
  header->dead.store(-1);
  header->magic = Header::kMagic;
  Segment segment(descriptor, memory, bytes);
  for (int rank = 0; rank < rank_count; ++rank) {
    new (&segment.words(rank)) RankWords{};
    segment.mailbox(rank).clear();
  }
  return segment;
}

Segment Segment::attach(int descriptor) {
  struct stat status {};
  std::size_t bytes = 0;
  void* memory = MAP_FAILED;
  if (::fstat(descriptor, &status) == 0 && status.st_size > static_cast<off_t>(sizeof(Header))) {
    bytes = static_cast<std::size_t>(status.st_size);
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  if (memory != MAP_FAILED) {
    const auto* header = static_cast<const Header*>(memory);
    if (header->magic == Header::kMagic && header->bytes == bytes && header->rank_count >= 1 &&
        header->rank_count <= kRankLimit && whole_bytes(static_cast<int>(header->rank_count)) == bytes) {
      return Segment(descriptor, memory, bytes);
    }
    ::munmap(memory, bytes);
  }
  ::close(descriptor);
  throw Error("segment.malformed",
              "descriptor " + std::to_string(descriptor) +
                  " is not the shared memory of a rank set; workers are started by 'assay run' only");
}

Segment::Header& Segment::header() const { return *static_cast<Header*>(memory_); }

Segment::RankWords& Segment::words(int rank) const {
  return *reinterpret_cast<RankWords*>(static_cast<char*>(memory_) + sizeof(Header) +
                                       sizeof(RankWords) * static_cast<std::size_t>(rank));
}

std::size_t Segment::whole_bytes(int rank_count) {
  return exchange_offset(sizeof(Header), sizeof(RankWords), rank_count) + kExchangeBytes +
         sizeof(Mailbox) * static_cast<std::size_t>(rank_count);
}

char* Segment::exchange() const {
  return static_cast<char*>(memory_) + exchange_offset(sizeof(Header), sizeof(RankWords), rank_count_);
}

Mailbox& Segment::mailbox(int rank) const {
  return *reinterpret_cast<Mailbox*>(exchange() + kExchangeBytes +
                                     sizeof(Mailbox) * static_cast<std::size_t>(rank));
}

int Segment::descriptor() const { return descriptor_; }

int Segment::rank_count() const { return rank_count_; }

void Segment::declare_dead(int rank) {
  std::int32_t none = -1;
  header().dead.compare_exchange_strong(none, rank);
  futex_wake_all(header().generation);
}

void Segment::declare_cancelled() {
  header().cancelled.store(1);
  futex_wake_all(header().generation);
}

void Segment::clear_cancelled() {
  // Ranks that left a wait early have arrived in it; the next visit starts counting afresh.
  header().arrived.store(0);
  header().sleepers.store(0);
  header().cancelled.store(0);
  header().disagree.store(0);
  for (int rank = 0; rank < rank_count_; ++rank) {
    words(rank).waits.store(0);
    mailbox(rank).clear();
  }
}

int Segment::dead_rank() const { return header().dead.load(std::memory_order_relaxed); }

bool Segment::cancelled() const { return header().cancelled.load(std::memory_order_relaxed) != 0; }

bool Segment::interrupted(Wait& why) const {
  if (dead_rank() >= 0) {
    why = Wait::dead;
    return true;
  }
  why = Wait::cancelled;
  return cancelled();
}

Segment::Wait Segment::barrier(int rank) { return meet(rank, {}); }

Segment::Wait Segment::meet(int rank, const Call& call) {
  Wait why{};
  if (interrupted(why)) return why;
  std::atomic<std::uint32_t>& waits = words(rank).waits;
  waits.store(1, std::memory_order_relaxed);
  words(rank).call.store(call.word(), std::memory_order_relaxed);
  const Wait result = meet();
  // Who was told to stop waiting was waiting when the visit was given up: that is kept until the next
  // meeting.
  if (result == Wait::done) waits.store(0, std::memory_order_relaxed);
  return result;
}

Segment::Wait Segment::meet() {
  Header& head = header();
  Wait why{};
  const std::uint32_t generation = head.generation.load(std::memory_order_acquire);
  if (head.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(rank_count_)) {
    if (calls_differ()) {
      head.disagree.store(1);
      declare_cancelled();
      return Wait::cancelled;
    }
    head.arrived.store(0, std::memory_order_relaxed);
    head.generation.store(generation + 1);
    if (head.sleepers.load() != 0) futex_wake_all(head.generation);
    return Wait::done;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (head.generation.load(std::memory_order_acquire) != generation) return Wait::done;
    relax();
  }
  head.sleepers.fetch_add(1);
  Wait result = Wait::done;
  // The sleep is bounded: a rank that dies between its arrival and its wake-up call must not strand the
  // others.
  while (head.generation.load() == generation) {
    if (interrupted(why)) {
      result = why;
      break;
    }
    futex_wait(head.generation, generation);
  }
  head.sleepers.fetch_sub(1);
  return result;
}

bool Segment::calls_differ() const {
  const std::uint64_t first = words(0).call.load(std::memory_order_relaxed);
  for (int rank = 1; rank < rank_count_; ++rank) {
    if (words(rank).call.load(std::memory_order_relaxed) != first) return true;
  }
  return false;
}

std::string Segment::disagreement() const {
  if (header().disagree.load() == 0) return {};
  const std::uint64_t first = words(0).call.load();
  for (int rank = 1; rank < rank_count_; ++rank) {
    const std::uint64_t other = words(rank).call.load();
    if (other == first) continue;
    return "rank " + std::to_string(rank) + " takes part in " + Call::text(other) + ", rank 0 in " +
           Call::text(first);
  }
  return "the ranks took part in different calls";
}

Segment::Wait Segment::broadcast(int rank, void* data, std::size_t bytes, int root) {
  const Call call{Call::Kind::broadcast, static_cast<std::uint64_t>(root), bytes};
  auto* at = static_cast<char*>(data);
  for (std::size_t done = 0; done < bytes; done += kExchangeBytes) {
    const std::size_t piece = std::min(kExchangeBytes, bytes - done);
    if (rank == root) std::memcpy(exchange(), at + done, piece);
    if (const Wait wait = meet(rank, call); wait != Wait::done) return wait;
    if (rank != root) std::memcpy(at + done, exchange(), piece);
    // Nobody may overwrite the piece before all have it.
    if (const Wait wait = meet(rank, call); wait != Wait::done) return wait;
  }
  return Wait::done;
}

Segment::Wait Segment::allgather(int rank, const void* mine, void* all, std::size_t bytes) {
  const Call call{Call::Kind::allgather, 0, bytes};
  const auto ranks = static_cast<std::size_t>(rank_count());
  const std::size_t slot = kExchangeBytes / ranks;
  for (std::size_t done = 0; done < bytes; done += slot) {
    const std::size_t piece = std::min(slot, bytes - done);
    std::memcpy(exchange() + slot * static_cast<std::size_t>(rank), static_cast<const char*>(mine) + done,
                piece);
    if (const Wait wait = meet(rank, call); wait != Wait::done) return wait;
    for (std::size_t other = 0; other < ranks; ++other) {
      std::memcpy(static_cast<char*>(all) + other * bytes + done, exchange() + slot * other, piece);
    }
    if (const Wait wait = meet(rank, call); wait != Wait::done) return wait;
  }
  return Wait::done;
}

std::optional<TransferStatus> Segment::interruption() const {
  Wait why{};
  if (!interrupted(why)) return std::nullopt;
  return why == Wait::dead ? TransferStatus::dead : TransferStatus::cancelled;
}

TransferStatus Segment::send(int rank, int to, const void* data, std::size_t bytes,
                             std::int64_t deadline_ns) {
  if (const auto why = interruption()) return *why;
  words(rank).waits.store(1, std::memory_order_relaxed);
  const TransferStatus passed =
      mailbox(rank).send(to, data, bytes, {deadline_ns, spins_, [this] { return interruption(); }});
  return waited(rank, passed);
}

TransferStatus Segment::receive(int rank, int from, void* data, std::size_t bytes, std::int64_t deadline_ns) {
  if (const auto why = interruption()) return *why;
  words(rank).waits.store(1, std::memory_order_relaxed);
  const TransferStatus passed =
      mailbox(from).receive(rank, data, bytes, {deadline_ns, spins_, [this] { return interruption(); }});
  return waited(rank, passed);
}

// As meet(): who was told to stop waiting was waiting when the visit was given up.
TransferStatus Segment::waited(int rank, TransferStatus passed) {
  if (passed != TransferStatus::dead && passed != TransferStatus::cancelled)
    words(rank).waits.store(0, std::memory_order_relaxed);
  return passed;
}

void Segment::set_progress(int rank, int phase, std::uint64_t samples) {
  words(rank).phase.store(static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
  words(rank).samples.store(samples, std::memory_order_relaxed);
}

std::pair<int, std::uint64_t> Segment::progress(int rank) const {
  const std::uint32_t phase = words(rank).phase.load(std::memory_order_relaxed);
  return {phase < kPhaseNames.size() ? static_cast<int>(phase) : 0,
          words(rank).samples.load(std::memory_order_relaxed)};
}

bool Segment::waits(int rank) const { return words(rank).waits.load(std::memory_order_relaxed) != 0; }

std::span<char> Segment::crash_report(int rank) const {
  char* first = static_cast<char*>(memory_) + sizeof(Header) +
                sizeof(RankWords) * static_cast<std::size_t>(rank_count_);
  return {first + kCrashReport * static_cast<std::size_t>(rank), kCrashReport};
}

bool Segment::intact() const {
  const Header& head = header();
  if (head.magic != Header::kMagic || head.bytes != bytes_ ||
      head.rank_count != static_cast<std::uint32_t>(rank_count_)) {
    return false;
  }
  const std::int32_t dead = head.dead.load();
  if (dead < -1 || dead >= rank_count_ || head.cancelled.load() > 1 || head.disagree.load() > 1) return false;
  for (int rank = 0; rank < rank_count_; ++rank) {
    if (words(rank).phase.load() >= kPhaseNames.size()) return false;
  }
  return true;
}

}  // namespace assay::wire
