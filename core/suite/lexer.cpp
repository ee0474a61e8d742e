// SPDX-License-Identifier: Apache-2.0
#include "suite/lexer.hpp"

#include "base/suggest.hpp"
#include "suite/characters.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::suite {

namespace {

// For suggestions only; parse_unit decides what is a unit.
const std::vector<std::string>& common_units() {
  static const std::vector<std::string> units = {
      "s",        "ms",   "us",    "µs",    "ns",     "min",     "h",       "B",       "KiB",
      "MiB",      "GiB",  "TiB",   "KB",    "MB",     "GB",      "TB",      "B/s",     "MB/s",
      "GB/s",     "TB/s", "GiB/s", "MiB/s", "FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "tokens/s",
      "images/s", "Hz",   "MHz",   "GHz",   "W",      "J",       "C",       "%"};
  return units;
}

bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_unit(char c) { return is_letter(c) || c == '%' || is_beyond_ascii(c); }

class Lexer {
 public:
  Lexer(std::string_view text, const std::vector<Position>& places) : text_(text), places_(places) {}

  // Throws ExpressionProblem.
  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_space();
      // An axis may have a dot: spread(busbw over env.NCCL_ALGO).
      after_over_ =
          !tokens.empty() && tokens.back().kind == Token::Kind::name && tokens.back().text == "over";
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::end) return tokens;
    }
  }

 private:
  [[nodiscard]] char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  [[nodiscard]] char here() const { return at(here_); }
  void skip_space() {
    while (is_space(here())) ++here_;
  }
  [[nodiscard]] std::string_view word_at(std::size_t offset, bool (*accept)(char)) const {
    std::size_t end = offset;
    while (end < text_.size() && accept(text_[end])) ++end;
    return text_.substr(offset, end - offset);
  }

  Token next() {
    Token token;
    token.offset = here_;
    if (here_ >= text_.size()) return token;
    const char c = here();
    if (is_digit(c)) return number();
    if (c == '.' && is_digit(at(here_ + 1)))
      throw ExpressionProblem{
          here_, "a number begins with a digit",
          "write 0" + std::string(word_at(here_, [](char x) { return is_digit(x) || x == '.'; }))};
    if (is_letter(c)) return name();
    if (c == '"' || c == '\'') {
      token.kind = Token::Kind::text;
      token.text = quoted();
      return token;
    }
    return operator_sign();
  }

  Token operator_sign() {
    struct Sign {
      std::string_view text;
      Token::Kind kind;
    };
    using enum Token::Kind;
    static constexpr Sign kSigns[] = {{"<=", less_equal}, {">=", greater_equal},
                                      {"==", equal},      {"!=", not_equal},
                                      {"<", less},        {">", greater},
                                      {"+", plus},        {"-", minus},
                                      {"*", times},       {"/", Token::Kind::divide},
                                      {"(", open},        {")", close},
                                      {",", comma}};
    const std::string_view rest = text_.substr(here_);
    for (const Sign& sign : kSigns) {
      if (!rest.starts_with(sign.text)) continue;
      Token token;
      token.kind = sign.kind;
      token.text = sign.text;
      token.offset = here_;
      here_ += sign.text.size();
      return token;
    }
    struct Foreign {
      std::string_view text, hint;
    };
    static constexpr Foreign kForeign[] = {{"=>", "write >="},
                                           {"=<", "write <="},
                                           {"=", "write == to compare"},
                                           {"≤", "write <="},
                                           {"≥", "write >="},
                                           {"≠", "write !="},
                                           {"×", "write *"},
                                           {"·", "write *"},
                                           {"÷", "write /"},
                                           {"−", "write -"},
                                           {"&", "write two expectations"},
                                           {"|", "one comparison is one expectation"},
                                           {"!", "write != between two operands"}};
    for (const Foreign& foreign : kForeign)
      if (rest.starts_with(foreign.text))
        throw ExpressionProblem{here_, "'" + std::string(foreign.text) + "' is not an operator",
                                std::string(foreign.hint)};
    if (rest.starts_with("["))
      throw ExpressionProblem{here_, "'[' must follow a case's id without a space",
                              "write case[axis=value].metric"};
    std::size_t length = 1;
    while (is_beyond_ascii(rest[0]) && length < rest.size() &&
           (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80)
      ++length;
    throw ExpressionProblem{here_,
                            "'" + printable(rest.substr(0, length)) + "' has no meaning in an expression",
                            "expressions have numbers with units, names, + - * / ( ) and one comparison"};
  }

  Token number() {
    Token token;
    token.kind = Token::Kind::quantity;
    token.offset = here_;
    const std::size_t begin = here_;
    while (is_digit(here())) ++here_;
    if (here() == '.') {
      ++here_;
      if (!is_digit(here())) throw ExpressionProblem{here_, "digits must follow the decimal point", ""};
      while (is_digit(here())) ++here_;
    }
    if ((here() == 'e' || here() == 'E') &&
        (is_digit(at(here_ + 1)) ||
         ((at(here_ + 1) == '+' || at(here_ + 1) == '-') && is_digit(at(here_ + 2))))) {
      here_ += 2;
      while (is_digit(here())) ++here_;
    }
    std::string spelled(text_.substr(begin, here_ - begin));
    if (const std::string_view unit = unit_after_number(); !unit.empty()) {
      here_ = static_cast<std::size_t>(unit.data() - text_.data()) + unit.size();
      spelled += unit;
      token.unit = unit;
    }
    const auto quantity = parse_quantity(spelled);
    if (!quantity)
      throw ExpressionProblem{begin, "'" + printable(spelled) + "' is not a number that a double can hold",
                              "of whole numbers it holds all up to 2^53 = 9007199254740992"};
    token.quantity = *quantity;
    token.text = spelled;
    return token;
  }

  // The longest unit behind the number, directly or after spaces: in "5 s/x" it is "s" if "s/x" is none.
  std::string_view unit_after_number() {
    std::size_t begin = here_;
    while (is_space(at(begin))) ++begin;
    const bool apart = begin != here_;
    const auto first = word_at(begin, is_unit);
    // Digits inside are for the error only: "5GB2" is one wrong word.
    const auto word =
        first.empty() ? first : word_at(begin, [](char c) { return is_unit(c) || is_digit(c); });
    if (word.empty()) return {};
    if (word[0] == '%') return word.substr(0, 1);
    if (apart && (word == "of" || word == "over" || word == "and" || word == "or")) return {};
    std::size_t end = begin + word.size();
    std::vector<std::size_t> ends = {end};
    while (at(end) == '/' && is_unit(at(end + 1))) {
      end += 1 + word_at(end + 1, [](char c) { return is_unit(c) || is_digit(c); }).size();
      ends.push_back(end);
    }
    for (auto candidate = ends.rbegin(); candidate != ends.rend(); ++candidate) {
      const std::string_view unit = text_.substr(begin, *candidate - begin);
      if (parse_unit(unit) && !divides_by_own_word(unit)) return unit;
    }
    throw ExpressionProblem{begin, "'" + printable(word) + "' is not a unit",
                            suggestion(text_.substr(begin, ends.back() - begin), common_units(),
                                       "units are like s, us, MiB, GB/s, TFLOP/s, W, C, %")};
  }

  // A case's id may have '-' inside, but only before '['; elsewhere '-' subtracts.
  Token name() {
    const auto id = word_at(here_, [](char c) { return is_word(c) || c == '-'; });
    if (at(here_ + id.size()) == '[') return selector(std::string(id));
    Token token;
    token.kind = Token::Kind::name;
    token.offset = here_;
    token.text = word_at(here_, is_word);
    if (after_over_) token.text = word_at(here_, [](char c) { return is_word(c) || c == '.'; });
    here_ += token.text.size();
    if (here() == '.') {
      const auto metric = word_at(here_ + 1, is_word);
      throw ExpressionProblem{here_, "names have no dots",
                              "a row of another case is " + token.text + "[]." +
                                  (metric.empty() ? "METRIC" : std::string(metric))};
    }
    if (token.text == "and" || token.text == "or" || token.text == "not")
      throw ExpressionProblem{token.offset, "there is no '" + token.text + "' in expressions",
                              "write one entry for each comparison"};
    return token;
  }

  Token selector(std::string id) {
    Token token;
    token.kind = Token::Kind::selector;
    token.offset = here_;
    token.text = std::move(id);
    here_ += token.text.size() + 1;
    skip_space();
    while (here() != ']') {
      token.terms.push_back(term());
      const auto same = [&](const SelectorTerm& other) { return other.axis == token.terms.back().axis; };
      if (std::count_if(token.terms.begin(), token.terms.end(), same) > 1)
        throw ExpressionProblem{term_offset_, "axis '" + token.terms.back().axis + "' is there twice",
                                "keep one of them"};
      skip_space();
      if (here() == ']') break;
      if (here() != ',')
        throw ExpressionProblem{here_, "',' or ']' must follow a value", "quote a value with spaces in it"};
      ++here_;
      skip_space();
    }
    ++here_;
    if (here() != '.' || !is_letter(at(here_ + 1)))
      throw ExpressionProblem{here_, "a selector must end with a metric",
                              "write " + token.text + "[…].METRIC"};
    ++here_;
    token.metric = word_at(here_, is_word);
    here_ += token.metric.size();
    if (here() == '.') throw ExpressionProblem{here_, "names have no dots", ""};
    return token;
  }

  SelectorTerm term() {
    SelectorTerm term;
    term_offset_ = here_;
    term.position = places_.at(here_);
    if (!is_letter(here())) throw ExpressionProblem{here_, "an axis must be named here", "write axis=value"};
    term.axis = word_at(here_, [](char c) { return is_word(c) || c == '.'; });
    here_ += term.axis.size();
    skip_space();
    if (here() != '=' || at(here_ + 1) == '=')
      throw ExpressionProblem{here_, "'=' must follow the axis '" + term.axis + "'",
                              "write " + term.axis + "=value, or " + term.axis + "=~ for unset"};
    ++here_;
    skip_space();
    const std::size_t begin = here_;
    term.value_position = places_.at(here_);
    if (here() == '"' || here() == '\'') {
      term.text = quoted();
      return term;
    }
    term.text = word_at(here_, [](char c) {
      return is_word(c) || is_beyond_ascii(c) ||
             std::string_view(".:+-/%~*@").find(c) != std::string_view::npos;
    });
    if (term.text.empty())
      throw ExpressionProblem{begin, "a value must follow '='",
                              "~ stands for unset, * for every value but that"};
    here_ += term.text.size();
    if (term.text == "~") term.kind = SelectorTerm::Kind::unset;
    if (term.text == "*") term.kind = SelectorTerm::Kind::any;
    if (term.kind != SelectorTerm::Kind::value) {
      term.text.clear();
    } else if (term.text.find_first_of("~*") != std::string::npos) {
      throw ExpressionProblem{begin, "'" + printable(term.text) + "' mixes a value with '~' or '*'",
                              "patterns are not supported"};
    }
    return term;
  }

  // No escapes; either quote may hold the other.
  std::string quoted() {
    const std::size_t begin = here_;
    const std::size_t end = text_.find(here(), here_ + 1);
    if (end == std::string_view::npos) throw ExpressionProblem{begin, "a closing quote is missing", ""};
    here_ = end + 1;
    return std::string(text_.substr(begin + 1, end - begin - 1));
  }

  std::string_view text_;
  const std::vector<Position>& places_;
  std::size_t here_ = 0;
  std::size_t term_offset_ = 0;
  bool after_over_ = false;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::vector<Position>& places) {
  return Lexer(text, places).run();
}

}  // namespace assay::suite
