// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include "cli/output.hpp"
#include "cli/visit_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::cli {
namespace {

// The backend's first gauge in a unit: what it declares first is what people watch.
std::string first_in(const catalog::Manifest& backend, const std::string& unit) {
  for (const catalog::TelemetryQuantity& quantity : backend.telemetry)
    if (quantity.unit == unit && quantity.kind == catalog::QuantityKind::gauge) return quantity.name;
  return {};
}

// The power of all devices, the hottest and the slowest of them: one number a unit is enough to watch.
std::string telemetry_text(const catalog::Manifest& backend, const std::vector<result::Reading>& readings) {
  const std::string watts = first_in(backend, "W"), celsius = first_in(backend, "C"),
                    hertz = first_in(backend, "Hz");
  double power = 0, temperature = 0, clock = 0;
  for (const result::Reading& reading : readings) {
    if (reading.quantity == watts) power += reading.value;
    if (reading.quantity == celsius) temperature = std::max(temperature, reading.value);
    if (reading.quantity == hertz) clock = clock > 0 ? std::min(clock, reading.value) : reading.value;
  }
  std::string text;
  if (power > 0) text += fmt::format("  {:.0f} W", power);
  if (temperature > 0) text += fmt::format("  {:.0f} °C", temperature);
  if (clock > 0) text += fmt::format("  {:.2f} GHz", clock / 1e9);
  return text;
}

// Cuts at a character's border; every character counts as one column.
std::string fit(const std::string& text, int width) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
    if (++columns > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

void ProgressLine::draw(const run::RunProgress& progress) {
  constexpr int kBar = 20;
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
  const int full = static_cast<int>(share * kBar);
  std::string bar;
  for (int i = 0; i < kBar; ++i) bar += i < full ? "━" : "─";
  std::string line = fmt::format("{} {}/{}", bar, progress.done, progress.total);
  if (progress.done > 0) line += "  " + duration_text(progress.expected_remaining_s) + " left";
  if (progress.telemetry != nullptr && progress.current != nullptr &&
      progress.current->device_backend != nullptr)
    line += telemetry_text(*progress.current->device_backend, *progress.telemetry);
  if (progress.kind == run::RunProgress::Kind::cooling) line += "  cooling down";
  if (progress.current != nullptr) line += "  " + progress.current->id;
  print_error("\r\x1b[K" + fit(line, width_ - 1));
  drawn_ = true;
  last_drawn_s_ = progress.elapsed_s;
}

void ProgressLine::show(const run::RunProgress& progress) {
  if (quiet_) return;
  const bool has_ended = progress.kind == run::RunProgress::Kind::visit_finished && progress.visit != nullptr;
  if (terminal_) {
    if (has_ended) {
      clear();
      print_error(visit_line(progress, width_) + "\n");
    }
    if (has_ended || last_drawn_s_ < 0 || progress.elapsed_s - last_drawn_s_ >= 0.1) draw(progress);
    return;
  }
  if (has_ended) {
    print_error(visit_line(progress, 0) + "\n");
    last_line_s_ = progress.elapsed_s;
  } else if (progress.elapsed_s - last_line_s_ >= 60 && progress.current != nullptr) {
    print_error(fmt::format("{}/{}  {}  going on for {}\n", progress.done, progress.total,
                            progress.current->id, duration_text(progress.elapsed_s - last_line_s_)));
    last_line_s_ = progress.elapsed_s;
  }
}

void ProgressLine::clear() {
  if (drawn_) print_error("\r\x1b[K");
  drawn_ = false;
}

}  // namespace assay::cli
