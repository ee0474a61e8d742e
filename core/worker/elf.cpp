// SPDX-License-Identifier: Apache-2.0
#include "worker/elf.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace assay::worker {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
constexpr const char* kMachineName = "x86-64";
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
constexpr const char* kMachineName = "AArch64";
#endif

bool is_elf(const Elf64_Ehdr& header) { return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0; }

// All that is read of a file has this layout.
bool is_64_bit(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) : path_(path), bytes_(read_file(path)) {
    header_ = at<Elf64_Ehdr>(0);
    if (!is_elf(header_)) fault("it is not an ELF file");
    if (!is_64_bit(header_)) fault("it is not a 64-bit little-endian ELF file");
    if (header_.e_shnum == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) fault("it has no section headers");
  }

  [[nodiscard]] unsigned section_count() const { return header_.e_shnum; }
  [[nodiscard]] Elf64_Shdr section(unsigned index) const {
    if (index >= header_.e_shnum) fault("a section refers to one that is not there");
    return at<Elf64_Shdr>(header_.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr));
  }
  template <class Entry>
  [[nodiscard]] Entry entry(const Elf64_Shdr& table, std::uint64_t index) const {
    return at<Entry>(table.sh_offset + index * sizeof(Entry));
  }
  [[nodiscard]] std::string text(const Elf64_Shdr& strings, std::uint64_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset > bytes_.size() ||
        strings.sh_size > bytes_.size() - strings.sh_offset) {
      fault("a name lies outside of its table");
    }
    const std::string_view table(bytes_.data() + strings.sh_offset, strings.sh_size);
    const std::string_view rest = table.substr(offset);
    return printable(rest.substr(0, rest.find('\0')));
  }

 private:
  template <class Value>
  [[nodiscard]] Value at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Value)) fault("it ends too early");
    Value value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[noreturn]] void fault(const std::string& what) const {
    throw Error("plugin.load",
                "'" + printable(path_.string()) + "' cannot be read as a shared object: " + what);
  }

  std::filesystem::path path_;
  std::string bytes_;
  Elf64_Ehdr header_{};
};

void read_symbols(const ElfFile& file, const Elf64_Shdr& section, ElfFacts& facts) {
  const Elf64_Shdr strings = file.section(section.sh_link);
  for (std::uint64_t i = 1; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = file.entry<Elf64_Sym>(section, i);
    const int visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    if (visibility == STV_DEFAULT || visibility == STV_PROTECTED)
      facts.exported.push_back(file.text(strings, symbol.st_name));
  }
}

void read_dynamic(const ElfFile& file, const Elf64_Shdr& section, ElfFacts& facts) {
  const Elf64_Shdr strings = file.section(section.sh_link);
  for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
    const auto entry = file.entry<Elf64_Dyn>(section, i);
    if (entry.d_tag == DT_NULL) return;
    if (entry.d_tag == DT_NEEDED) facts.needed.push_back(file.text(strings, entry.d_un.d_val));
    if (entry.d_tag == DT_TEXTREL) facts.text_relocations = true;
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0) facts.text_relocations = true;
    if (entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    for (std::string& path : split(file.text(strings, entry.d_un.d_val), ':'))
      facts.run_paths.push_back(std::move(path));
  }
}

}  // namespace

std::string why_not_loadable(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header))
    return "it is too short for a shared object, or cannot be read";
  if (!is_elf(header)) return "it is not an ELF file";
  if (!is_64_bit(header) || header.e_machine != kMachine)
    return std::string("it was built for another processor than this one (") + kMachineName + ")";
  return header.e_type == ET_DYN ? "" : "it is an ELF file, but not a shared object; link it with -shared";
}

ElfFacts read_elf(const std::filesystem::path& path) {
  const ElfFile file(path);
  ElfFacts facts;
  for (unsigned i = 0; i < file.section_count(); ++i) {
    const Elf64_Shdr section = file.section(i);
    if (section.sh_type == SHT_DYNSYM) read_symbols(file, section, facts);
    if (section.sh_type == SHT_DYNAMIC) read_dynamic(file, section, facts);
  }
  return facts;
}

}  // namespace assay::worker
