// SPDX-License-Identifier: Apache-2.0
#include "external/json_output.hpp"

#include "external/written_number.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace assay::plugins::external {
namespace {

using Json = nlohmann::json;

// The library's own reading makes a double of a number above 2^64 and forgets how it was written.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(ParsedJson& parsed) : parsed_(parsed) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return is_rounded(text, value) ? put(text) : put(value);
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    if (open_.back()->contains(value)) parsed_.doubled.insert(value);
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Json& place(Json value) {
    if (open_.empty()) return parsed_.json = std::move(value);
    Json& around = *open_.back();
    if (!around.is_array()) return around[key_] = std::move(value);
    around.push_back(std::move(value));
    return around.back();
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  // What is around an open one does not grow, and so does not move, until it is closed.
  bool open(Json value) {
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  ParsedJson& parsed_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

ParsedJson parse_json(std::string_view text) {
  ParsedJson parsed;
  if (text.find('\0') != std::string_view::npos) return parsed;  // the library would take it for the end
  Builder builder(parsed);
  if (!Json::sax_parse(text, &builder)) parsed.json = Json(Json::value_t::discarded);
  return parsed;
}

}  // namespace assay::plugins::external
