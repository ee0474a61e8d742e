// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// A product of powers of the base quantities that Assay knows. Percent and plain numbers have no dimension.
struct Dimension {
  std::int8_t time = 0;         // second
  std::int8_t data = 0;         // byte
  std::int8_t operations = 0;   // floating-point or integer operation (FLOP)
  std::int8_t items = 0;        // samples, tokens, images, messages
  std::int8_t power = 0;        // watt; an energy is power × time
  std::int8_t temperature = 0;  // degree Celsius

  friend bool operator==(const Dimension&, const Dimension&) = default;
  friend Dimension operator*(Dimension a, Dimension b);
  friend Dimension operator/(Dimension a, Dimension b);
  [[nodiscard]] bool none() const { return *this == Dimension{}; }
};

// A number in base units (seconds, bytes, FLOP/s, …) with its dimension. `percent` remembers that it was
// written as one: 5% is 0.05 of no dimension.
struct Quantity {
  double value = 0;
  Dimension dimension;
  bool percent = false;
};

// What a unit's name means: "B/s", "GB/s", "MiB", "TFLOP/s", "us", "µs", "ns", "W", "J", "C", "%", "Hz",
// "tokens/s", "1". Any other word over s, min or h counts items ("img/s"), and so does any other word below a
// unit ("s/epoch", "J/token"), unless it looks like a unit that is misspelt ("gb/s", "Tflops/s", "GB/sec").
struct Unit {
  double scale = 1;  // base units in one
  Dimension dimension;
};
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);

// Whether what stands below the line counts items in a word of somebody's own: "s/walk", and not "s/epoch". In an
// expression that is a division by what has this name.
[[nodiscard]] bool divides_by_own_word(std::string_view unit);

// A number of a unit that has this scale, in base units. Dividing by 1000 rounds once where multiplying by 0.001 rounds
// twice. The plugin that reads commands' numbers converts them in the same way (plugins/external/written_number.cpp), so that
// 9 ms that were printed are the 9 ms of a suite.
[[nodiscard]] double in_base_units(double number, double scale);

// Whether a double has the value that these digits spell: false only for whole numbers beyond 2^53, written without an
// exponent, that are rounded. `number` is what was read of them.
[[nodiscard]] bool is_exact(std::string_view digits, double number);

// "64MiB", "335 GB/s", "3µs", "5%", "1e-3", "-2". No value if it is not a quantity. Rejects numbers that are not finite
// or not is_exact().
[[nodiscard]] std::optional<Quantity> parse_quantity(std::string_view text);

// The name of a dimension for messages: "a time", "a data rate", "a plain number".
[[nodiscard]] std::string describe(const Dimension& dimension);

// The base unit of a dimension as text: "s", "B/s", "FLOP/s", "1".
[[nodiscard]] std::string base_unit(const Dimension& dimension);

// The base unit for values that were written in this one: as above, but what counts items keeps its word:
// "tokens/s" of "ktokens/s", "img/s" of "img/s", "s/epoch" of "ms/epoch". `unit` is one that parse_unit knows.
[[nodiscard]] std::string base_unit_of(std::string_view unit);

// Shortest exact text that parse_quantity reads back: 67108864 B is "64MiB", 0.002 s is "2ms", 3.35e11 B/s is
// "335GB/s". For identifiers and resolved suites; reports format by themselves.
[[nodiscard]] std::string to_text(const Quantity& quantity);

}  // namespace assay
