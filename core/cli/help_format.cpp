// SPDX-License-Identifier: Apache-2.0
#include "cli/help_format.hpp"

#include "result/exit_code.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>

namespace assay::cli {
namespace {

// Usage and examples first: that is what somebody who asks for help is looking for.
class ExamplesFirst : public CLI::Formatter {
 public:
  // Lines longer than `width` columns are broken; 0 breaks none.
  explicit ExamplesFirst(int width) : width_(width) { column_width(kNames); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string text = make_description(app) + "\n";
    if (!app->get_footer().empty()) text += "Examples:\n" + app->get_footer() + "\n";
    text += make_usage(app, whole_name(app, std::move(name)));
    text += make_positionals(app);
    text += make_groups(app, mode);
    text += make_subcommands(app, mode);
    if (app->get_parent() == nullptr) text += variables() + exit_codes() + documentation();
    return narrowed(text);
  }

  // "PATTERN", "N=1", "FILE ...": written here because versions of CLI11 write it differently.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return option->get_required() ? text + " REQUIRED" : text;
  }

 private:
  static constexpr std::size_t kNames = 34;  // columns of an option's name; what it means stands beside it
  static constexpr int kNarrowest = 24;      // a column that is narrower is not worth breaking lines for

  // Breaks long lines; what stands beside a name or an example goes on under itself.
  [[nodiscard]] std::string narrowed(const std::string& text) const {
    std::string narrow, line;
    for (std::istringstream lines(text); std::getline(lines, line);) {
      if (line.empty() && narrow.ends_with("\n\n")) continue;  // between two groups of options
      const std::size_t begin = line.find_first_not_of(' ');
      const std::size_t gap = begin == std::string::npos ? begin : line.find("  ", begin);
      const bool is_alone =
          gap == std::string::npos && begin > 0 && begin < kNames;  // an example, or nothing
      const std::size_t column =
          std::min(gap == std::string::npos ? begin : line.find_first_not_of(' ', gap), line.size());
      const int room = width_ - static_cast<int>(column);
      if (is_alone || room < kNarrowest) {
        narrow += line + "\n";
        continue;
      }
      std::string left = line.substr(0, column);
      for (const std::string& part : wrap(line.substr(column), static_cast<std::size_t>(room))) {
        narrow.append(left).append(part).append("\n");
        left.assign(column, ' ');
      }
    }
    return narrow;
  }

  static std::string whole_name(const CLI::App* app, std::string name) {
    for (app = app->get_parent(); app != nullptr; app = app->get_parent())
      name.insert(0, app->get_name() + " ");
    return name;
  }

  static std::string variables() {
    return "\nEnvironment variables:\n"
           "  ASSAY_SUITE_PATH                folders to look for suites in, before those that come with assay\n"
           "  ASSAY_PLUGIN_PATH               folders to look for plugins in, likewise\n"
           "  ASSAY_LOCK_FOLDER               where runs lock the devices that they use\n"
           "  NO_COLOR, FORCE_COLOR           no colours; colours also where the output is not a terminal\n"
           "  COLUMNS                         the width of tables\n";
  }

  static std::string exit_codes() {
    std::string text = "\nExit codes:\n";
    for (const result::ExitCodeRow& row : result::exit_code_table()) {
      std::string code = std::to_string(row.code);
      code.resize(5, ' ');
      text += "  " + code + std::string(row.meaning) + "\n";
    }
    return text;
  }

  static std::string documentation() {
    return "\nDocumentation:\n"
           "  docs/README.md                  in the repository, and below share/doc/assay in an archive\n";
  }

  int width_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_with_examples_first(int width) {
  return std::make_shared<ExamplesFirst>(width);
}

}  // namespace assay::cli
