// SPDX-License-Identifier: Apache-2.0
//
// A reporter: renders one result document (docs/reference/result.md), once. Pure: the same document and
// options give the same bytes, whatever the clock, the environment and the locale say.
//
//   class Table final : public assay::Reporter {
//    public:
//     static void describe(assay::ReporterDescription& is) {
//       is.named("table").summary("A plain table").file("report.txt");
//       is.option("width", 100).help("columns of the page");
//     }
//     void render(std::string_view document, const assay::Options& options, assay::Files& files) override {
//       files.main().write("…");
//     }
//   };
#pragma once

#include <assay/abi/v1.h>
#include <assay/detail/benchmark_description.hpp>
#include <assay/errors.hpp>

#include <charconv>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

namespace detail {

struct OptionDescription {
  ParameterDescription json;  // an option is described as a parameter is
  std::string default_text;
};

}  // namespace detail

class OptionBuilder {
 public:
  explicit OptionBuilder(detail::OptionDescription& option) : option_(&option) {}

  OptionBuilder& help(std::string text) {
    option_->json.help = std::move(text);
    return *this;
  }
  // What a text may be.
  OptionBuilder& values(std::initializer_list<const char*> texts) {
    option_->json.values.assign(texts.begin(), texts.end());
    return *this;
  }

 private:
  detail::OptionDescription* option_;
};

class ReporterDescription {
 public:
  ReporterDescription& named(std::string name) {
    name_ = std::move(name);
    return *this;
  }
  ReporterDescription& summary(std::string line) {
    summary_ = std::move(line);
    return *this;
  }
  // Default name of the main output; "-": standard output.
  ReporterDescription& file(std::string name) {
    file_ = std::move(name);
    return *this;
  }

  // An option and its default, whose type is the option's: text, integer, number or boolean.
  template <class Value>
  OptionBuilder option(std::string name, const Value& initial) {
    detail::OptionDescription& option = options_.emplace_back();
    option.json.name = std::move(name);
    detail::JsonWriter json;
    json.value(initial);
    option.json.default_json = json.text();
    if constexpr (std::is_same_v<Value, bool>) {
      option.json.type = "boolean";
      option.default_text = json.text();
    } else if constexpr (std::is_integral_v<Value>) {
      option.json.type = "integer";
      option.default_text = json.text();
    } else if constexpr (std::is_floating_point_v<Value>) {
      option.json.type = "number";
      option.default_text = json.text();
    } else {
      option.json.type = "text";
      option.default_text = initial;
    }
    return OptionBuilder(option);
  }

  const std::string& name() const { return name_; }
  const std::deque<detail::OptionDescription>& options() const { return options_; }

  void write(detail::JsonWriter& json) const {
    json.begin_object().member("name", name_).member("summary", summary_).member("file", file_);
    json.key("options").begin_array();
    for (const auto& option : options_) write_json(json, option.json);
    json.end_array().end_object();
  }

 private:
  std::string name_, summary_, file_;
  std::deque<detail::OptionDescription> options_;  // a deque: builders keep references
};

// The options of one rendering, defaults filled in.
class Options {
 public:
  // Throws Failure for an option that was not described.
  Options(const ReporterDescription& description, const assay_option* given, std::uint32_t count) {
    for (const auto& option : description.options())
      values_.emplace_back(option.json.name, option.default_text);
    for (std::uint32_t i = 0; i < count; ++i) {
      find(given[i].key) = given[i].value;
    }
  }

  const std::string& text(std::string_view name) const { return const_cast<Options*>(this)->find(name); }
  bool boolean(std::string_view name) const {
    const std::string& value = text(name);
    if (value == "true") return true;
    if (value == "false") return false;
    refuse(name, value, "true or false");
  }
  std::int64_t integer(std::string_view name) const {
    const std::string& value = text(name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) refuse(name, value, "an integer");
    return number;
  }
  // A stream, because not every C++ library has from_chars for it; in the plain locale, whatever the
  // program's.
  double number(std::string_view name) const {
    const std::string& value = text(name);
    std::istringstream in(value);
    in.imbue(std::locale::classic());
    double number = 0;
    const bool plain = value.find_first_not_of("0123456789+-.eE") == std::string::npos && value[0] != '+';
    if (!plain || !(in >> number) || in.peek() != std::istringstream::traits_type::eof())
      refuse(name, value, "a number");
    return number;
  }

 private:
  std::string& find(std::string_view name) {
    for (auto& [key, value] : values_) {
      if (key == name) return value;
    }
    throw Failure("the reporter has no option '" + std::string(name) + "'", ASSAY_E_INVALID);
  }

  [[noreturn]] static void refuse(std::string_view name, const std::string& value, const char* what) {
    throw Failure("option '" + std::string(name) + "' is '" + value + "', it must be " + what,
                  ASSAY_E_INVALID);
  }

  std::vector<std::pair<std::string, std::string>> values_;
};

// One file that is being written. Closed at the end of its life at the latest.
class File {
 public:
  File(const assay_file_sink* sink, const char* name) : sink_(sink) {
    require(sink_->open(sink_->context, name, &handle_), "opened");
    open_ = true;
  }
  File(File&& other) noexcept
      : sink_(other.sink_), handle_(other.handle_), open_(std::exchange(other.open_, false)) {}
  File& operator=(File&&) = delete;  // a file is closed by its own scope
  ~File() {
    if (open_) sink_->close(sink_->context, handle_);
  }

  File& write(std::string_view text) {
    require(sink_->write(sink_->context, handle_, text.data(), text.size()), "written");
    return *this;
  }
  // Throws Failure if the file could not be completed, which the destructor cannot.
  void close() {
    if (!std::exchange(open_, false)) return;
    require(sink_->close(sink_->context, handle_), "closed");
  }

 private:
  static void require(assay_status status, const char* done) {
    if (status != ASSAY_OK) throw Failure(std::string("an output file could not be ") + done, status);
  }

  const assay_file_sink* sink_;
  void* handle_ = nullptr;
  bool open_ = false;
};

// Where a reporter writes. The host puts files in place when render() has returned.
class Files {
 public:
  explicit Files(const assay_file_sink* sink) : sink_(sink) {}

  // The main output. Once.
  File main() const { return File(sink_, nullptr); }
  // A file beside it: a relative name without "..".
  File open(const std::string& name) const { return File(sink_, name.c_str()); }

 private:
  const assay_file_sink* sink_;
};

// A reporter class has `static void describe(assay::ReporterDescription&)` and a constructor without
// arguments. Errors are thrown (assay/errors.hpp).
class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  virtual ~Reporter() = default;

  virtual void render(std::string_view document, const Options& options, Files& files) = 0;
};

}  // namespace assay
