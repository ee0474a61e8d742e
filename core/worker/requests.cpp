// SPDX-License-Identifier: Apache-2.0
#include "worker/requests.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "wire/messages.hpp"
#include "worker/plugin_text.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::worker {
namespace {

constexpr std::size_t kMostText = std::size_t{200}
                                  << 20;  // of an inventory or of all files; a frame holds 256 MiB

// A call into the plugin that gives a status and should succeed.
template <class Body>
void succeed(const LoadedPlugin& plugin, const std::string& function, const std::string& code,
             const std::string& why, Body&& body) {
  std::optional<assay_status> status;
  std::string thrown;
  try {
    status = body();
  } catch (...) {
    // Only an exception of this very C++ runtime gets here.
    thrown = with_exception_text("an exception left its code");
  }
  if (status == ASSAY_OK) return;
  // Nothing is wrong with the plugin: what it needs is not on this machine.
  if (status == ASSAY_SKIPPED && !why.empty()) throw Error(code, why);
  std::string text = "plugin '" + plugin.id() + "' could not serve '" + function + "': ";
  if (!status) {
    text += thrown;
  } else if (!why.empty()) {
    text += why;
  } else {
    text += "it gave the status " + std::to_string(*status) + " and no reason";
  }
  throw Error(code, text);
}

std::vector<std::string> texts_of(const Json& request, const char* key) {
  try {
    return request.at(key).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw Error("wire.malformed", std::string("a request without a list of texts '") + key + "' came");
  }
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// What the sinks collect. Their callbacks run inside the plugin and must not throw into it.
struct Collected {
  std::string text;
  Json rows = Json::array();
  Json reasons = Json::array();
  Json environment = Json::object();
  std::string why;
  bool overflow = false;

  template <class Body>
  static void guarded(void* context, Body&& body) noexcept {
    auto& self = *static_cast<Collected*>(context);
    try {
      body(self);
    } catch (...) {
      self.overflow = true;
    }
  }

  static void write(void* context, const char* text, std::size_t length) {
    guarded(context, [&](Collected& self) {
      if (text == nullptr) return;
      self.overflow = self.overflow || length > kMostText || self.text.size() + length > kMostText;
      if (!self.overflow) self.text.append(text, length);
    });
  }
  static void reading(void* context, const char* device, const char* quantity, double value) {
    guarded(context, [&](Collected& self) {
      if (std::isfinite(value)) self.rows.push_back({plugin_text(device), plugin_text(quantity), value});
    });
  }
  static void reason(void* context, const char* device, const char* reason) {
    guarded(context, [&](Collected& self) {
      self.reasons.push_back({plugin_text(device), plugin_text(reason)});
    });
  }
  static void set(void* context, const char* name, const char* value) {
    guarded(context, [&](Collected& self) {
      if (name != nullptr) self.environment[plugin_text(name)] = plugin_text(value);
    });
  }
  static void fail(void* context, const char* text) {
    // The first counts.
    guarded(context, [&](Collected& self) {
      if (self.why.empty()) self.why = plugin_text(text);
    });
  }
};

void check_overflow(const LoadedPlugin& plugin, const std::string& function, bool overflow) {
  if (overflow)
    throw Error("plugin.memory",
                "plugin '" + plugin.id() + "' wrote more in '" + function + "' than memory holds");
}

}  // namespace

Json answer_inventory(const LoadedPlugin& plugin) {
  const assay_backend_v1& backend = plugin.backend();
  Collected collected;
  const assay_text_sink sink{sizeof sink, 0, &collected, Collected::write, Collected::fail};
  succeed(plugin, "inventory", "backend.unavailable", collected.why,
          [&] { return backend.inventory(plugin.self(), &sink); });
  check_overflow(plugin, "inventory", collected.overflow);
  if (const auto excess = json_excess(collected.text)) {
    throw Error("plugin.protocol", "plugin '" + plugin.id() + "' gave an inventory that " + excess->text);
  }
  Json json = Json::parse(collected.text, nullptr, false);
  if (!json.is_object()) {
    throw Error("plugin.protocol", "plugin '" + plugin.id() +
                                       "' gave an inventory that is not a JSON object; it begins '" +
                                       printable(std::string_view(collected.text).substr(0, 40)) + "'");
  }
  return {{"type", "inventory"}, {"json", std::move(json)}};
}

Json answer_read(const LoadedPlugin& plugin, const Json& request) {
  const assay_backend_v1& backend = plugin.backend();
  const std::vector<std::string> devices = texts_of(request, "devices");
  const std::vector<const char*> names = pointers(devices);
  Collected collected;
  const assay_reading_sink sink{sizeof sink,    0, &collected, Collected::reading, Collected::reason,
                                Collected::fail};
  succeed(plugin, "read", "backend.unavailable", collected.why, [&] {
    return backend.read(plugin.self(), names.data(), static_cast<std::uint32_t>(names.size()), &sink);
  });
  check_overflow(plugin, "read", collected.overflow);
  return {{"type", "readings"},
          {"readings", std::move(collected.rows)},
          {"reasons", std::move(collected.reasons)}};
}

Json answer_visibility(const LoadedPlugin& plugin, const Json& request) {
  const assay_backend_v1& backend = plugin.backend();
  const std::vector<std::string> devices = texts_of(request, "devices");
  const std::vector<const char*> names = pointers(devices);
  Collected collected;
  if (backend.visibility != nullptr) {
    const assay_environment_sink sink{sizeof sink, 0, &collected, Collected::set, Collected::fail};
    succeed(plugin, "visibility", "backend.unavailable", collected.why, [&] {
      return backend.visibility(plugin.self(), names.data(), static_cast<std::uint32_t>(names.size()), &sink);
    });
    check_overflow(plugin, "visibility", collected.overflow);
  }
  return {{"type", "visibility"}, {"environment", std::move(collected.environment)}};
}

namespace {

struct OpenFile {
  RenderedFile file;
  bool open = true;
};

struct OpenFiles {
  std::deque<OpenFile> files;  // a deque: the plugin holds addresses
  std::string why;
  std::size_t bytes = 0;

  [[nodiscard]] OpenFile* find(void* file) {
    return find_in(files, [&](const OpenFile& candidate) { return &candidate == file && candidate.open; });
  }

  static assay_status open(void* context, const char* name, void** file) noexcept {
    auto& self = *static_cast<OpenFiles*>(context);
    try {
      if (file == nullptr) return ASSAY_E_INVALID;
      self.files.push_back(
          {{name == nullptr ? std::nullopt : std::optional<std::string>(printable(name)), {}}, true});
      *file = &self.files.back();
      return ASSAY_OK;
    } catch (...) {
      return ASSAY_E_RESOURCE;
    }
  }
  static assay_status write(void* context, void* file, const char* data, std::size_t length) noexcept {
    auto& self = *static_cast<OpenFiles*>(context);
    OpenFile* found = self.find(file);
    if (found == nullptr || (data == nullptr && length > 0)) return ASSAY_E_INVALID;
    self.bytes += std::min(length, std::numeric_limits<std::size_t>::max() - self.bytes);
    if (self.bytes > kMostText) return ASSAY_E_RESOURCE;
    try {
      found->file.data.append(data, length);
      return ASSAY_OK;
    } catch (...) {
      return ASSAY_E_RESOURCE;
    }
  }
  static assay_status close(void* context, void* file) noexcept {
    OpenFile* found = static_cast<OpenFiles*>(context)->find(file);
    if (found == nullptr) return ASSAY_E_INVALID;
    found->open = false;
    return ASSAY_OK;
  }
  static void fail(void* context, const char* text) noexcept {
    try {
      auto& why = static_cast<OpenFiles*>(context)->why;
      if (why.empty()) why = plugin_text(text);
    } catch (...) {
      // The status says enough.
    }
  }
};

}  // namespace

std::vector<RenderedFile> answer_render(const LoadedPlugin& plugin, const Json& request,
                                        std::string_view document) {
  const assay_reporter_v1& reporter = plugin.reporter();
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
  try {
    request.at("reporter").get_to(name);
    request.at("options").get_to(options);
  } catch (const Json::exception&) {
    throw Error("wire.malformed", "a request to render without reporter or options came");
  }
  std::vector<assay_option> option_pointers;
  for (const auto& [key, value] : options) option_pointers.push_back({key.c_str(), value.c_str()});

  OpenFiles rendering;
  const assay_file_sink sink{
      sizeof sink, 0, &rendering, OpenFiles::open, OpenFiles::write, OpenFiles::close, OpenFiles::fail};
  const auto refuse_size = [&] {
    if (rendering.bytes > kMostText)
      throw Error(wire::kTooLargeReport, "its files come to " + std::to_string((rendering.bytes >> 20) + 1) +
                                             " MiB or more, beyond the limit of " +
                                             std::to_string(kMostText >> 20) + " MiB");
  };
  try {
    succeed(plugin, "render", "reporter.failed", rendering.why, [&] {
      return reporter.render(plugin.self(), name.c_str(), document.data(), document.size(),
                             option_pointers.data(), static_cast<std::uint32_t>(option_pointers.size()),
                             &sink);
    });
  } catch (const Error&) {
    refuse_size();  // says more than what the reporter makes of a write that failed
    throw;
  }
  refuse_size();
  if (rendering.files.empty()) {
    throw Error("reporter.failed", "reporter '" + printable(name) +
                                       "' wrote no file, and gave no reason why there is nothing to write");
  }
  std::vector<RenderedFile> files;
  for (OpenFile& each : rendering.files) {
    if (each.open) {
      throw Error("reporter.failed",
                  "reporter '" + printable(name) + "' did not close a file that it had opened");
    }
    if (!is_utf8(each.file.data)) {
      throw Error("reporter.failed", "reporter '" + printable(name) + "' wrote bytes that are not UTF-8");
    }
    files.push_back(std::move(each.file));
  }
  return files;
}

}  // namespace assay::worker
