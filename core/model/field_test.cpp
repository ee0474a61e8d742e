// SPDX-License-Identifier: Apache-2.0
#include "model/field_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace assay::model {
namespace {

using ::testing::HasSubstr;

enum class Colour { red, green };
std::string_view to_text(Colour colour) { return colour == Colour::red ? "red" : "green"; }
bool from_text(std::string_view text, Colour& colour) {
  if (text != "red" && text != "green") return false;
  colour = text == "red" ? Colour::red : Colour::green;
  return true;
}

struct Corner {
  double x = 0;
  int y = 0;
};
constexpr auto fields_of(const Corner*) { return row(field("x", &Corner::x), field("y", &Corner::y)); }

struct Note {
  std::string text;
};
bool is_absent(const Note& note) { return note.text.empty(); }
constexpr auto fields_of(const Note*) { return object(field("text", &Note::text)); }

struct Polygon {
  std::string name;
  bool filled = false;
  std::uint8_t sides = 0;
  Colour colour = Colour::red;
  std::vector<Corner> corners;
  std::map<std::string, double> sizes;
  Note note;
  int layer = 7;
  std::vector<std::string> labels;
  Json rest;
};
constexpr auto fields_of(const Polygon*) {
  return object(field("name", &Polygon::name), field("filled", &Polygon::filled),
                field("sides", &Polygon::sides), field("colour", &Polygon::colour),
                field("corners", &Polygon::corners), field("sizes", &Polygon::sizes),
                field("note", &Polygon::note), field("layer", &Polygon::layer).or_default(),
                field("labels", &Polygon::labels).if_any(), field("rest", &Polygon::rest));
}

const DocumentSource kSource = {"shape.malformed", "the shape", "draw it again"};

Polygon triangle() {
  return {"triangle",        true, 3,          Colour::green, {{0.5, 1}, {2, -3}}, {{"area", 1.5}},
          {"drawn by hand"}, 2,    {"a", "b"}, {{"free", 1}}};
}

TEST(Fields, ReadsBackWhatItWrote) {
  const Json json = to_json(triangle());
  EXPECT_EQ(
      json.dump(),
      R"({"name":"triangle","filled":true,"sides":3,"colour":"green","corners":[[0.5,1],[2.0,-3]],)"
      R"("sizes":{"area":1.5},"note":{"text":"drawn by hand"},"layer":2,"labels":["a","b"],"rest":{"free":1}})");
  EXPECT_EQ(to_json(from_json<Polygon>(json, kSource)), json);
}

TEST(Fields, WritesWhatIsAbsentAsNullAndReadsItAsItsDefault) {
  const Json json = to_json(Polygon{});
  EXPECT_TRUE(json.at("note").is_null());
  EXPECT_FALSE(json.contains("labels"));
  Json old = json;
  old.erase("layer");
  const auto shape = from_json<Polygon>(old, kSource);
  EXPECT_EQ(shape.note.text, "");
  EXPECT_EQ(shape.layer, 7);
}

TEST(Fields, CarriesANumberThatIsNotFiniteAsNull) {
  Polygon shape = triangle();
  shape.corners[0].x = HUGE_VAL;
  const Json json = to_json(shape);
  EXPECT_TRUE(json.at("corners")[0][0].is_null());
  EXPECT_TRUE(std::isnan(from_json<Polygon>(json, kSource).corners[0].x));
}

std::string problem_of(const char* pointer, const Json& damage) {
  Json json = to_json(triangle());
  json[Json::json_pointer(pointer)] = damage;
  try {
    static_cast<void>(from_json<Polygon>(json, kSource));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "shape.malformed");
    return error.what();
  }
  return "none";
}

TEST(Fields, NameThePlaceThatIsWrong) {
  EXPECT_EQ(problem_of("/corners/1/1", 0.5),
            "the shape: 'corners[1][1]' is not an integer of its range; draw it again");
  EXPECT_EQ(problem_of("/note", Json::object()), "the shape: 'note.text' is missing; draw it again");
  EXPECT_EQ(problem_of("/sizes/area", "big"), "the shape: 'sizes.area' is not a number; draw it again");
  EXPECT_THAT(problem_of("/sides", 256), HasSubstr("'sides' is not an integer"));
  EXPECT_THAT(problem_of("/sides", -1), HasSubstr("'sides' is not an integer"));
  EXPECT_THAT(problem_of("/filled", 1), HasSubstr("'filled' is not true or false"));
  EXPECT_THAT(problem_of("/name", nullptr), HasSubstr("'name' is not a text"));
  EXPECT_THAT(problem_of("/colour", "blue"), HasSubstr("'colour' is not a word that is known there"));
  EXPECT_THAT(problem_of("/colour", 1), HasSubstr("'colour' is not a text"));
  EXPECT_THAT(problem_of("/corners", 1), HasSubstr("'corners' is not an array"));
  EXPECT_THAT(problem_of("/corners/0", Json::array({1})), HasSubstr("'corners[0]' is not a row of 2"));
  EXPECT_THAT(problem_of("/sizes", Json::array()), HasSubstr("'sizes' is not an object"));
  EXPECT_THAT(problem_of("/labels", Json::array({1})), HasSubstr("'labels[0]' is not a text"));
  EXPECT_THAT(problem_of("/layer", "top"), HasSubstr("'layer' is not an integer"));
  EXPECT_EQ(problem_of("", 1), "the shape: it is not an object; draw it again");
}

struct BoxSize {
  std::string base;
  std::string written;
};
struct SparePart {
  BoxSize size;
  std::optional<double> weight, price;
  std::string owner;
  std::vector<std::pair<std::string, int>> counts;
  Json about = Json::object();
};
constexpr auto fields_of(const SparePart*) {
  return object(field("size", &SparePart::size, &BoxSize::base), field("weight", &SparePart::weight),
                field("price", &SparePart::price).if_any(),
                field("owner", &SparePart::owner).with(kNullIfEmpty), field("counts", &SparePart::counts),
                field("written", &SparePart::size, &BoxSize::written).if_any(),
                field("about", &SparePart::about));
}

TEST(Fields, WriteOptionalsPairsAndPartsOfMembers) {
  SparePart part{{"m", "inch"}, 2.5, std::nullopt, "", {{"z", 1}, {"a", 2}}, {{"k", 1}}};
  const char* const text =
      R"({"size":"m","weight":2.5,"owner":null,"counts":{"z":1,"a":2},"written":"inch","about":{"k":1}})";
  EXPECT_EQ(to_json(part).dump(), text);
  EXPECT_EQ(to_json(from_json<SparePart>(Json::parse(text), kSource)).dump(), text);
  part = {};
  EXPECT_EQ(to_json(part).dump(), R"({"size":"","weight":null,"owner":null,"counts":{},"about":{}})");
  const Json wrong = Json::parse(R"({"size":"m","weight":null,"owner":null,"counts":{},"about":1})");
  EXPECT_THROW(static_cast<void>(from_json<SparePart>(wrong, kSource)), Error);
}

TEST(Fields, AreReadLenientlyWhereverTheyAreRight) {
  const auto part = read_leniently<SparePart>(Json::parse(
      R"({"size": 1, "weight": "heavy", "price": 3, "owner": [], "counts": {"a": "many", "b": 2}, "about": []})"));
  EXPECT_EQ(part.size.base, "");
  EXPECT_FALSE(part.weight);
  EXPECT_EQ(part.price, 3);
  EXPECT_EQ(part.owner, "");
  EXPECT_EQ(part.counts, (std::vector<std::pair<std::string, int>>{{"a", 0}, {"b", 2}}));
  EXPECT_TRUE(part.about.is_object());
  EXPECT_EQ(read_leniently<Polygon>(1).layer, 7);
}

template <class T>
T of_text(std::string_view text, const DocumentSource& source = kSource) {
  JsonCursor cursor(text);
  auto out = from_text<T>(cursor, source);
  cursor.end();
  return out;
}

TEST(Fields, AreTheSameOfATextAsOfATree) {
  const std::string text = to_json(triangle()).dump(2);
  EXPECT_EQ(to_json(of_text<Polygon>(text)), to_json(triangle()));
  for (
      const char* lenient :
      {"1", "null", "{}",
       R"({"name":1,"corners":[[1],[1,2,3],[1,"x"],7],"sizes":{"a":[],"b":2},"rest":[null]})",
       R"({"layer":3,"colour":"blue","name":"a","name":7,"labels":["x",1],"layer":"top","note":null,"later":{}})"}) {
    EXPECT_EQ(to_json(of_text<Polygon>(lenient, kLenient)),
              to_json(read_leniently<Polygon>(Json::parse(lenient))))
        << lenient;
    EXPECT_EQ(to_json(of_text<SparePart>(lenient, kLenient)),
              to_json(read_leniently<SparePart>(Json::parse(lenient))))
        << lenient;
  }
  try {
    (void)of_text<Polygon>(R"({"name": "a", "corners": [[1, 0.5]]})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the shape: 'corners[0][1]' is not an integer of its range; draw it again");
  }
}

TEST(Fields, OfATextAreHarmless) {
  const auto shape = of_text<Polygon>(
      R"({"name":"\u001b[31m","sizes":{"\u0007":1},"rest":{"a\u0007":["\u0000"]}})", kLenient);
  EXPECT_EQ(shape.name, "\uFFFD[31m");
  EXPECT_EQ(shape.sizes.begin()->first, "\uFFFD");
  EXPECT_EQ(shape.rest.dump(), "{\"a\uFFFD\":[\"\uFFFD\"]}");
}

struct Store {
  Json large = Json::object();
};
constexpr auto fields_of(const Store*) { return object(field("large", &Store::large).with(kLarge)); }

TEST(Fields, OfATextAreWithoutWhatIsLarge) {
  EXPECT_EQ(of_text<Store>(R"({"large":{"a":1}})").large, Json::object());
  EXPECT_EQ(of_text<Store>("{}").large, Json::object());
  EXPECT_EQ(from_json<Store>(Json::parse(R"({"large":{"a":1}})"), kSource).large.at("a"), 1);
}

struct Record {
  int whole = 1, more = 2;
};
constexpr auto fields_of(const Record*) {
  return object(field("whole", &Record::whole), field("more", &Record::more).detail());
}

TEST(Fields, AreWithoutDetailsWhereReadInBrief) {
  const Json json = Json::parse(R"({"whole":3,"more":"not a number"})");
  EXPECT_EQ(from_json<Record>(json, kLenientInBrief).more, 2);
  const DocumentSource strict{"brief.bad", "the record", "write it anew", false, true};
  EXPECT_EQ(from_json<Record>(json, strict).whole, 3);
  EXPECT_EQ(from_json<Record>(Json::parse(R"({"whole":4})"), strict).whole, 4);
  EXPECT_THROW((void)from_json<Record>(Json::parse(R"({"more":4})"), strict), Error);
}

TEST(Fields, AreReadOneByOneByName) {
  Record record;
  const auto read_text = [&](const char* name, const char* text) {
    JsonCursor cursor(text);
    read_member(TextCursor(cursor), name, record, Path(kSource));
    cursor.end();
  };
  read_text("more", "5");
  read_text("unknown", R"({"a":[1]})");
  EXPECT_EQ(record.more, 5);
  EXPECT_EQ(record.whole, 1);
  EXPECT_THROW(read_text("more", "[]"), Error);
}

TEST(Fields, IgnoreUnknownKeys) { EXPECT_EQ(problem_of("/later", 1), "none"); }

struct WordChoice {
  std::optional<Note> note;
  std::set<std::string> words;
  std::optional<int> known;
};
constexpr auto fields_of(const WordChoice*) {
  return object(field("note", &WordChoice::note).if_any(), field("words", &WordChoice::words),
                field("known", &WordChoice::known));
}

TEST(Fields, WriteEmptyOptionalsAsDeclaredAndReadSetsInOrder) {
  EXPECT_EQ(to_json(WordChoice{{}, {"b", "a"}, {}}).dump(), R"({"words":["a","b"],"known":null})");
  EXPECT_EQ(to_json(WordChoice{Note{"n"}, {}, 3}).dump(), R"({"note":{"text":"n"},"words":[],"known":3})");
  const auto choice =
      from_json<WordChoice>(Json::parse(R"({"note":{"text":"n"},"words":["b","a","b"],"known":3})"), kSource);
  EXPECT_EQ(choice.note->text, "n");
  EXPECT_EQ(choice.words, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(choice.known, 3);
  const auto none = from_json<WordChoice>(Json::parse(R"({"words":[],"known":null})"), kSource);
  EXPECT_FALSE(none.note);
  EXPECT_FALSE(none.known);
  try {
    (void)from_json<WordChoice>(Json::parse(R"({"note":{"text":1},"words":[],"known":1})"), kSource);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the shape: 'note.text' is not a text; draw it again");
  }
}

}  // namespace
}  // namespace assay::model
