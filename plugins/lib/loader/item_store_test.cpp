// SPDX-License-Identifier: Apache-2.0
#include "lib/loader/item_store.hpp"

#include "lib/loader/image_work.hpp"
#include "lib/loader/loader.hpp"

#include <assay/errors.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::loader {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kBytes = 100;

class LoaderFiles : public testing::Test {
 protected:
  LoaderFiles() {
    std::string name = (fs::temp_directory_path() / "assay-test-").string() + std::string(6, 'X');
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder '" + name + "'");
    parent_ = name;
  }
  ~LoaderFiles() override { fs::remove_all(parent_); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(parent_), fs::directory_iterator()));
  }
  static std::size_t descriptors() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  fs::path parent_;
};

std::vector<std::uint8_t> bytes_of(std::uint64_t item) {
  std::vector<std::uint8_t> bytes(kBytes);
  for (std::uint64_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::uint8_t>(item * 7 + i);
  return bytes;
}

void expect_kept(ItemStore& store) {
  for (const std::uint64_t item : {2, 0, 1}) store.write(item, bytes_of(item).data());
  for (std::uint64_t item = 0; item < 3; ++item) {
    std::vector<std::uint8_t> scratch(kBytes);
    EXPECT_EQ(std::memcmp(store.read(item, scratch.data()), bytes_of(item).data(), kBytes), 0) << item;
  }
}

TEST(LoaderMemory, GivesBackWhatWasWritten) {
  MemoryStore store(3, kBytes);
  expect_kept(store);
}

TEST_F(LoaderFiles, GiveBackWhatWasWrittenAndGoWithTheirFolder) {
  const std::size_t before = descriptors();
  {
    FileStore store(parent_, 3, kBytes);
    expect_kept(store);
    EXPECT_EQ(entries(), 1u);
    EXPECT_EQ(fs::file_size(store.folder() / FileStore::name_of(2)), kBytes);
    EXPECT_EQ(fs::status(store.folder()).permissions(), fs::perms::owner_all);
  }
  EXPECT_EQ(entries(), 0u);
  EXPECT_EQ(descriptors(), before);
}

TEST_F(LoaderFiles, ThatWereChangedAreNamedWithWhatIsWrong) {
  struct Fault {
    std::function<void(const fs::path&)> happen;
    std::string words;
  };
  for (const Fault& fault :
       {Fault{[](const fs::path& file) { fs::resize_file(file, 99); },
              "has 99 bytes, but was written with 100"},
        Fault{[](const fs::path& file) { fs::resize_file(file, 0); }, "has 0 bytes"},
        Fault{[](const fs::path& file) { fs::resize_file(file, 101); }, "has 101 bytes"},
        Fault{[](const fs::path& file) { fs::remove(file); }, "cannot be opened: No such file or directory"},
        Fault{[](const fs::path& file) {
                fs::remove(file);
                ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
              },
              "is no longer a regular file"},
        Fault{[](const fs::path& file) {
                fs::remove(file);
                fs::create_symlink("/dev/zero", file);
              },
              "cannot be opened"}}) {
    FileStore store(parent_, 1, kBytes);
    store.write(0, bytes_of(0).data());
    fault.happen(store.folder() / FileStore::name_of(0));
    const std::size_t before = descriptors();
    std::vector<std::uint8_t> scratch(kBytes);
    try {
      store.read(0, scratch.data());
      ADD_FAILURE() << "was read: " << fault.words;
    } catch (const Failure& error) {
      EXPECT_NE(std::string(error.what()).find(fault.words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("item-0"), std::string::npos) << error.what();
    }
    EXPECT_EQ(descriptors(), before);
  }
}

TEST_F(LoaderFiles, ThatWouldNotFitAreSkippedBeforeOneIsMade) {
  EXPECT_THROW(FileStore(parent_, std::uint64_t{1} << 24, std::uint64_t{1} << 40), Skip);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(LoaderFiles, AreSkippedWhereNoFolderCanBeMade) {
  try {
    ScratchFolder folder(parent_ / "missing");
    ADD_FAILURE() << "made " << folder.path();
  } catch (const Skip& skip) {
    EXPECT_NE(std::string(skip.what()).find("missing"), std::string::npos);
    EXPECT_NE(std::string(skip.what()).find("parameter folder"), std::string::npos);
  }
}

TEST_F(LoaderFiles, OfDeadProcessesAreRemovedAndThoseOfLivingOnesAreNot) {
  const fs::path dead = parent_ / (std::string(ScratchFolder::kPrefix) + "killed");
  const fs::path other = parent_ / "somebody-else";
  fs::create_directories(dead);
  fs::create_directories(other);
  std::ofstream(dead / "item-0") << "left";
  const ScratchFolder living(parent_);
  EXPECT_FALSE(fs::exists(dead));
  {
    const ScratchFolder second(parent_);
    EXPECT_TRUE(fs::exists(living.path()));
    EXPECT_NE(second.path(), living.path());
  }
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(other));
}

ImageShape small() {
  ImageShape shape;
  shape.side = 8;
  shape.decode_steps = 1;
  return shape;
}

// Of one seed after the other, by workers that were there before the second.
void expect_images(const std::shared_ptr<ItemStore>& store, WorkerKind kind) {
  const auto work = std::make_shared<ImageWork>(small(), 10, store);
  LoaderOptions options;
  options.data.items = 10;
  options.data.batch = 3;
  options.workers = 2;
  options.kind = kind;
  options.is_persistent = true;
  Loader loader(options, work, [] { return false; });
  std::uint64_t compared = 0;
  for (const std::uint64_t seed : {1, 2}) {
    work->fill(seed, [] { return true; });
    const Images images(small(), seed);
    loader.begin({seed, seed + 5});
    for (Batch batch; loader.next(batch);) {
      const auto* const values = reinterpret_cast<const float*>(batch.values);
      for (std::uint32_t i = 0; i < batch.count; ++i) {
        for (std::uint64_t at = 0; at < small().values(); ++at, ++compared)
          ASSERT_EQ(values[i * small().values() + at], images.expected(seed + 5, batch.items[i], at));
      }
    }
  }
  EXPECT_EQ(compared, 2 * 10 * small().values());
}

TEST(LoaderMemory, FollowsTheSeedAlsoInProcessesThatWereForkedBefore) {
  for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process})
    expect_images(std::make_shared<MemoryStore>(10, small().bytes()), kind);
}

TEST_F(LoaderFiles, FollowTheSeedAlsoInProcessesThatWereForkedBefore) {
  for (const WorkerKind kind : {WorkerKind::thread, WorkerKind::process})
    expect_images(std::make_shared<FileStore>(parent_, 10, small().bytes()), kind);
}

TEST_F(LoaderFiles, ThatCannotBeWrittenEndTheFilling) {
  const auto store = std::make_shared<FileStore>(parent_, 10, small().bytes());
  fs::create_directory(store->folder() / FileStore::name_of(4));  // where a file is to be
  ImageWork work(small(), 10, store);
  EXPECT_THROW(work.fill(1, [] { return true; }), Failure);
}

TEST(LoaderMemory, IsNotFilledAnyFurtherOnceNobodyWantsIt) {
  const auto store = std::make_shared<MemoryStore>(10, small().bytes());
  ImageWork work(small(), 10, store);
  work.fill(1, [] { return false; });
  std::vector<std::uint8_t> untouched(small().bytes(), 0);
  EXPECT_EQ(std::memcmp(store->read(0, nullptr), untouched.data(), untouched.size()), 0);
}

}  // namespace
}  // namespace assay::plugins::loader
