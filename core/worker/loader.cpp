// SPDX-License-Identifier: Apache-2.0
#include "worker/loader.hpp"

#include "base/error.hpp"
#include "base/file_stamp.hpp"
#include "base/hash.hpp"
#include "text/text.hpp"
#include "worker/elf.hpp"
#include "worker/plugin_text.hpp"

#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::worker {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error("plugin.load", "plugin '" + printable(path.string()) + "' cannot be loaded: " + what);
}

void check_file(const std::filesystem::path& path) {
  std::error_code code;
  if (!path.is_absolute()) refuse(path, "its path is not absolute");
  if (!std::filesystem::exists(path, code)) refuse(path, "there is no such file; check the plugin folders");
  if (!std::filesystem::is_regular_file(path, code)) refuse(path, "it is not a file");
  const std::string why = why_not_loadable(path);
  if (!why.empty()) refuse(path, why);
}

// Read without loading it, because what is not a plugin may do anything when its constructors run.
void check_entry_symbol(const std::filesystem::path& path) {
  const std::vector<std::string> symbols = read_elf(path).exported;
  if (std::find(symbols.begin(), symbols.end(), ASSAY_ENTRY_SYMBOL) == symbols.end())
    refuse(path, "it does not export " ASSAY_ENTRY_SYMBOL "; it is not a plugin of Assay's interface 1");
}

// The loader's own words without those of the library around it.
std::string loader_text(std::string_view text) {
  constexpr std::string_view kPrefix = "boost::dll::shared_library::load() failed";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == ':')) text.remove_prefix(1);
  if (const auto end = text.find(": Bad file descriptor"); end != std::string_view::npos)
    text = text.substr(0, end);
  if (text.starts_with("(") && text.ends_with(")")) text = text.substr(1, text.size() - 2);
  std::string result = printable(text);
  if (result.find("cannot open shared object file") != std::string::npos) {
    result += "; install that library or give its folder with --library-path";
  }
  return result;
}

}  // namespace

void require_unchanged(const std::filesystem::path& path, const std::string& stamp,
                       const std::string& sha256) {
  const std::string now = file_stamp(path);
  if (now == "none") return;
  if ((stamp.empty() || stamp == now) && (sha256.empty() || sha256 == sha256_of_file(path))) return;
  refuse(path, "it was changed since it was chosen; run the suite anew");
}

const assay_plugin_v1& load_library(const std::filesystem::path& given) {
  check_file(given);
  const std::filesystem::path path = std::filesystem::canonical(given);
  check_entry_symbol(path);
  auto library = std::make_unique<boost::dll::shared_library>();
  const assay_plugin_v1* (*entry)() = nullptr;
  try {
    library->load(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    entry = &library->get<const assay_plugin_v1*()>(ASSAY_ENTRY_SYMBOL);
  } catch (const std::exception& error) {
    refuse(given, loader_text(error.what()));
  }
  const assay_plugin_v1* plugin = nullptr;
  try {
    plugin = entry();
  } catch (...) {
    refuse(given, with_exception_text("an exception left " ASSAY_ENTRY_SYMBOL));
  }
  if (plugin == nullptr) refuse(given, ASSAY_ENTRY_SYMBOL " gave NULL");
  // Never destroyed, and so never unloaded; the list is what still knows of it.
  static auto& kept = *new std::vector<std::unique_ptr<boost::dll::shared_library>>;
  kept.push_back(std::move(library));
  return *plugin;
}

}  // namespace assay::worker
