// SPDX-License-Identifier: Apache-2.0
#include <assay/plugin.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class Echo final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("echo").summary("the document again").file("echo.txt");
    is.option("width", 80).help("columns");
    is.option("style", "short").values({"short", "long"});
    is.option("colour", false);
    is.option("scale", 1.5);
  }
  void render(std::string_view document, const assay::Options& options, assay::Files& files) override {
    assay::File main = files.main();
    main.write(document).write("|").write(options.text("style"));
    main.write("|" + std::to_string(options.integer("width")) +
               (options.boolean("colour") ? "|colour" : "|plain"));
    main.close();
    files.open("extra/scale").write(std::to_string(options.number("scale")));
  }
};

struct EchoPlugin {
  static constexpr const char* id = "com.acme.echo";
  static constexpr const char* version = "1.0.0";
  static constexpr const char* backend = "";
};

struct Files {
  std::map<std::string, std::string> files;
  std::map<void*, std::string> open;
  int closed = 0;
  bool full = false;
  std::string reason;
};

assay_status open_file(void* context, const char* name, void** file) {
  Files& files = *static_cast<Files*>(context);
  const std::string key = name ? name : "<main>";
  *file = &files.files[key];
  files.open[*file] = key;
  return ASSAY_OK;
}
assay_status write_file(void* context, void* file, const char* data, std::size_t length) {
  if (static_cast<Files*>(context)->full) return ASSAY_E_RESOURCE;
  static_cast<std::string*>(file)->append(data, length);
  return ASSAY_OK;
}
assay_status close_file(void* context, void* file) {
  ++static_cast<Files*>(context)->closed;
  return static_cast<Files*>(context)->open.erase(file) == 1 ? ASSAY_OK : ASSAY_E_INTERNAL;
}
void keep_reason(void* context, const char* text) { static_cast<Files*>(context)->reason = text; }

class ReporterLayer : public ::testing::Test {
 protected:
  assay_status render(const char* name, std::vector<assay_option> options) {
    const assay_file_sink sink = {sizeof(sink), 0,           &files,      &open_file,
                                  &write_file,  &close_file, &keep_reason};
    const auto* facet = static_cast<const assay_reporter_v1*>(entry->query(nullptr, ASSAY_FACET_REPORTER));
    return facet->render(nullptr, name, "{}garbage", 2, options.data(),
                         static_cast<std::uint32_t>(options.size()), &sink);
  }

  const assay_plugin_v1* entry = assay::detail::Plugin<EchoPlugin, Echo>::entry();
  Files files;
};

TEST_F(ReporterLayer, DescribesReportersAndTheirOptions) {
  std::string text;
  const assay_text_sink sink = {sizeof(sink), 0, &text,
                                [](void* context, const char* part, std::size_t length) {
                                  static_cast<std::string*>(context)->append(part, length);
                                },
                                nullptr};
  ASSERT_EQ(entry->describe(&sink), ASSAY_OK);
  EXPECT_EQ(Json::parse(text)["reporters"], Json::parse(R"([{"name": "echo", "summary": "the document again",
      "file": "echo.txt", "options": [
        {"name": "width", "type": "integer", "default": 80, "help": "columns"},
        {"name": "style", "type": "text", "default": "short", "values": ["short", "long"], "help": ""},
        {"name": "colour", "type": "boolean", "default": false, "help": ""},
        {"name": "scale", "type": "number", "default": 1.5, "help": ""}]}])"));
}

TEST_F(ReporterLayer, WritesFilesWithDefaultsFilledIn) {
  ASSERT_EQ(render("echo", {}), ASSAY_OK);
  EXPECT_EQ(files.files["<main>"], "{}|short|80|plain");
  EXPECT_EQ(files.files["extra/scale"], "1.500000");
  EXPECT_EQ(files.closed, 2);
  EXPECT_TRUE(files.open.empty());
}

TEST_F(ReporterLayer, TakesGivenOptions) {
  ASSERT_EQ(render("echo", {{"width", "100"}, {"colour", "true"}, {"style", "long"}}), ASSAY_OK);
  EXPECT_EQ(files.files["<main>"], "{}|long|100|colour");
}

TEST_F(ReporterLayer, RefusesOptionsThatItDoesNotHaveOrCannotRead) {
  EXPECT_EQ(render("echo", {{"wdith", "100"}}), ASSAY_E_INVALID);
  EXPECT_THAT(files.reason, HasSubstr("'wdith'"));
  EXPECT_EQ(render("echo", {{"width", "100x"}}), ASSAY_E_INVALID);
  EXPECT_EQ(files.reason, "option 'width' is '100x', it must be an integer");
  EXPECT_EQ(render("echo", {{"colour", "yes"}}), ASSAY_E_INVALID);
  EXPECT_EQ(render("table", {}), ASSAY_E_UNSUPPORTED);
  EXPECT_THAT(files.reason, HasSubstr("'table'"));
}

TEST_F(ReporterLayer, TakesNumbersAsTheyAreWrittenInAnyLocaleAndNothingElse) {
  for (const char* text : {"2", "-0.5", "1e3", ".25", "2.E-2"}) {
    files.files.clear();
    EXPECT_EQ(render("echo", {{"scale", text}}), ASSAY_OK) << text;
    EXPECT_EQ(files.files["extra/scale"], std::to_string(std::stod(text)));
  }
  for (const char* text : {"", " 2", "2 ", "+2", "2,5", "0x10", "1e", "1e999", "nan", "inf", "-", "2.5.1"}) {
    EXPECT_EQ(render("echo", {{"scale", text}}), ASSAY_E_INVALID) << text;
    EXPECT_EQ(files.reason, "option 'scale' is '" + std::string(text) + "', it must be a number");
  }
}

TEST_F(ReporterLayer, PassesOnThatADiskIsFullAndClosesWhatIsOpen) {
  files.full = true;
  EXPECT_EQ(render("echo", {}), ASSAY_E_RESOURCE);
  EXPECT_TRUE(files.open.empty());
}

}  // namespace
