// SPDX-License-Identifier: Apache-2.0
#include "html/page_parts.hpp"

#include "lib/answer.hpp"
#include "lib/compared.hpp"
#include "lib/escape.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/phrases.hpp"
#include "lib/pivot.hpp"
#include "lib/stable_name.hpp"
#include "lib/svg.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace assay::reporters {
namespace {

std::string figure(const std::string& picture, const std::string& caption) {
  return picture.empty() ? std::string()
                         : "<figure>" + picture + "<figcaption>" + caption + "</figcaption></figure>\n";
}

std::string wide_table(const std::string& name, const std::string& head, const std::string& body) {
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_text(name) +
         "\"><table><thead><tr>" + head + "</tr></thead>\n<tbody>\n" + body + "</tbody></table></div>\n";
}

// A heading stands as its column does: the one at `first` and those behind it, `numbers` in all, are of numbers.
std::string head_cells(const std::vector<std::string>& names, std::size_t first, std::size_t numbers) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i >= first && i < first + numbers ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">";
    out += html_text(names[i]) + "</th>";
  }
  return out;
}

std::string operand_text(const Operand& operand) {
  return operand.value ? quantity(*operand.value, operand.unit) : std::string("–");
}

// What the rows came to with their intervals, and what the claim asks for.
std::string effects(const Finding& finding) {
  Plot plot;
  const std::string name = compared_name(finding);
  plot.title = name + " by row: " + finding.question;
  plot.x_name = "row";
  plot.lines = false;
  const std::vector<double> limits = asked_limits(finding);
  const std::vector<std::string> names = row_names(finding);
  PlotSeries series;
  std::vector<double> values;
  Unit unit;
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const auto shown = compared(finding, finding.rows[i]);
    if (!shown) continue;
    unit = shown->unit;
    values.push_back(shown->value);
    PlotPoint point{
        static_cast<double>(i + 1), shown->value, std::nullopt,
        (names[i].empty() ? "" : names[i] + ": ") + compared_text(*shown) + ", " + finding.rows[i].verdict};
    if (shown->bounds) point.bounds = {shown->bounds->low, shown->bounds->high};
    series.points.push_back(std::move(point));
  }
  if (series.points.size() < 2) return {};
  const bool plain = unit.base == "×" || unit.base == "%";
  const Scale scale = plain ? Scale{unit.base == "%" ? 0.01 : 1.0, unit.base}
                            : common_scale(unit, values).value_or(scale_for(unit, values.front()));
  for (PlotPoint& point : series.points) {
    point.y /= scale.factor;
    if (point.bounds)
      point.bounds = {point.bounds->first / scale.factor, point.bounds->second / scale.factor};
  }
  if (!limits.empty()) plot.asked = limits.front() / scale.factor;
  plot.y_name = name + (scale.unit.empty() ? "" : ", " + scale.unit);
  if (series.points.size() <= 3) plot.height = kLowPlot;
  plot.description = count_of(series.points.size(), "row") + ", in the order of the table";
  plot.series.push_back(std::move(series));
  return svg_plot(plot);
}

// Both sides under the suite's names, and what is held against what the claim asks.
std::string finding_rows(const Finding& finding) {
  const ShownSides sides = shown_sides(finding);
  const bool is_named = finding.rows.size() > 1;
  const std::string asked = asked_text(finding);
  const std::vector<std::string> names = row_names(finding);
  std::string body;
  const auto number = [&](const std::string& text) {
    body += "<td class=\"n\">" + html_text(text) + "</td>";
  };
  for (std::size_t i = 0; i < finding.rows.size(); ++i) {
    const FindingRow& row = finding.rows[i];
    const auto shown = compared(finding, row);
    body += "<tr>" + (is_named ? "<td>" + html_text(names[i]) + "</td>" : std::string());
    if (sides.has_left) number(operand_text(row.left));
    if (sides.has_right) number(operand_text(row.right));
    number(shown ? compared_value(*shown) : std::string());
    number(shown ? compared_interval(*shown) : std::string());
    number(asked);
    std::string verdict =
        row.verdict + (row.more_rounds ? ", " + count_of(*row.more_rounds, "more round") : "");
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    body += "<td>" + html_text(verdict) + (row.why.empty() ? "" : ": " + html_text(row.why)) + "</td></tr>\n";
  }
  std::vector<std::string> head;
  if (is_named) head.emplace_back("at");
  const std::size_t first = head.size();
  if (sides.has_left) head.push_back(sides.left);
  if (sides.has_right) head.push_back(sides.right);
  for (const std::string& name : {compared_name(finding), std::string("95 % interval"), std::string("asked")})
    head.push_back(name);
  const std::size_t numbers = head.size() - first;
  head.emplace_back("verdict");
  return body.empty() ? body : wide_table("Rows of " + finding.id, head_cells(head, first, numbers), body);
}

std::optional<double> number_of(const Case& one, const std::string& axis) {
  const Axis* found = one.axis(axis);
  if (found == nullptr) found = one.axis("env." + axis);
  return found != nullptr && found->value.is_number() ? std::optional(found->value.get<double>())
                                                      : std::nullopt;
}

std::string curves_of(const Block& block, std::size_t along) {
  constexpr std::size_t kMostSeries = 12;
  const std::string& metric = block.metrics.front();
  std::map<std::string, std::vector<PlotPoint>> found;
  std::vector<std::string> order;
  std::vector<double> values;
  std::set<double> xs;
  UnitText unit;
  for (const Row& row : block.rows) {
    const auto read = reading(row, metric);
    if (!read || !read->metric->value) continue;
    const auto x = number_of(*read->source, block.axes[along]);
    if (!x) continue;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < row.labels.size(); ++i)
      if (i != along) others.push_back(row.labels[i]);
    const std::string name = join(others, ", ");
    if (found.find(name) == found.end()) order.push_back(name);
    PlotPoint point{*x, *read->metric->value, std::nullopt,
                    (name.empty() ? "" : name + ", ") + row.labels[along] + ": " +
                        quantity(*read->metric->value, read->metric->unit, half_width(*read->metric))};
    if (read->metric->interval) point.bounds = {read->metric->interval->low, read->metric->interval->high};
    found[name].push_back(std::move(point));
    values.push_back(*read->metric->value);
    xs.insert(*x);
    unit = read->metric->unit;
  }
  if (xs.size() < 3 || order.size() > kMostSeries) return {};
  const Scale scale =
      common_scale(unit, values).value_or(scale_for(unit, *std::max_element(values.begin(), values.end())));
  Plot plot;
  plot.title = block.name + ": " + metric + " over " + block.axes[along];
  plot.description = count_of(order.size(), "curve") + " of " + count_of(xs.size(), "point") +
                     "; the table below has every value";
  plot.x_name = block.axes[along];
  plot.y_name = metric + (scale.unit.empty() ? "" : ", " + scale.unit);
  plot.log_x = *xs.begin() > 0 && *xs.rbegin() > 20 * *xs.begin();
  std::string key = html_text(plot.title) + (order.size() > 1 ? ":" : "");
  for (std::size_t i = 0; i < order.size(); ++i) {
    PlotSeries series{order[i], std::move(found[order[i]])};
    for (PlotPoint& point : series.points) {
      point.y /= scale.factor;
      if (point.bounds)
        point.bounds = {point.bounds->first / scale.factor, point.bounds->second / scale.factor};
    }
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    plot.series.push_back(std::move(series));
    if (order.size() > 1)
      key += "<span class=\"key s" + std::to_string(i % kSeriesColours) + "\"></span>" + html_text(order[i]);
  }
  return figure(svg_plot(plot), key);
}

std::string pictures_of(const Case& one) {
  std::string out;
  const Metric* metric = one.has_values() ? one.headline() : nullptr;
  if (metric != nullptr && metric->value && metric->rounds.size() > 1) {
    const Scale scale = scale_for(metric->unit, *metric->value);
    Plot plot;
    plot.title = metric->name + " of each round";
    plot.x_name = "round";
    plot.y_name = metric->name + (scale.unit.empty() ? "" : ", " + scale.unit);
    PlotSeries series;
    for (std::size_t i = 0; i < metric->rounds.size(); ++i)
      series.points.push_back({static_cast<double>(i + 1), metric->rounds[i] / scale.factor, std::nullopt,
                               "round " + std::to_string(i + 1) + ": " + quantity(metric->rounds[i], scale)});
    plot.series.push_back(std::move(series));
    out += figure(svg_plot(plot), html_text(plot.title));
  }
  if (!one.samples || one.samples->time_s.size() < 3) return out;
  const std::vector<double>& times = one.samples->time_s;
  const Scale scale = scale_for("s", *std::max_element(times.begin(), times.end()));
  Plot plot;
  plot.title = "Time of each sample in its order";
  plot.description = count_of(times.size(), "sample");
  plot.x_name = "sample";
  plot.y_name = "time, " + scale.unit;
  plot.lines = false;
  PlotSeries series;
  std::vector<double> scaled;
  for (std::size_t i = 0; i < times.size(); ++i) {
    scaled.push_back(times[i] / scale.factor);
    series.points.push_back({static_cast<double>(i + 1), scaled.back()});
  }
  plot.series.push_back(std::move(series));
  const std::string kept = one.samples->thinned ? " (evenly spaced ones of all)" : "";
  return out + figure(svg_plot(plot), html_text(plot.title + kept)) +
         figure(svg_histogram("How often samples took so long", "time, " + scale.unit, scaled),
                "How often samples took so long");
}

std::string metrics_table(const Case& one) {
  std::string body;
  for (const Metric& metric : one.metrics) {
    if (!metric.value) continue;
    const Scale scale = scale_for(metric.unit, *metric.value);
    body += "<tr><td>" + html_text(metric.name + index_text(metric)) + "</td><td class=\"n\">" +
            html_text(quantity(*metric.value, scale, half_width(metric))) + "</td><td class=\"n\">" +
            (metric.interval
                 ? html_text(interval(*metric.value, metric.interval->low, metric.interval->high, scale))
                 : std::string()) +
            "</td><td class=\"n\">" + std::to_string(metric.rounds.size()) + "</td><td class=\"n\">" +
            std::to_string(metric.n) + "</td></tr>\n";
  }
  return body.empty()
             ? body
             : wide_table("Metrics of " + one.id,
                          head_cells({"metric", "value", "95 % interval", "rounds", "samples"}, 1, 4), body);
}

std::string telemetry_table(const Case& one) {
  std::string body;
  const auto cell = [](const std::optional<double>& value, const std::string& unit) {
    return "<td class=\"n\">" +
           (value ? html_text(quantity(*value, unit.empty() ? Unit("1") : Unit(unit))) : std::string()) +
           "</td>";
  };
  for (const auto& each : one.telemetry) {
    body += "<tr><td>" + html_text(each.device) + "</td><td>" + html_text(each.quantity) + "</td>" +
            cell(each.minimum, each.unit) + cell(each.mean, each.unit) + cell(each.maximum, each.unit) +
            "</tr>\n";
  }
  return body.empty()
             ? body
             : "<h3>Telemetry</h3>\n" +
                   wide_table("Telemetry of " + one.id,
                              head_cells({"device", "quantity", "least", "mean", "greatest"}, 2, 3), body);
}

}  // namespace

std::string html_findings(const Document& document) {
  if (document.findings.empty()) return {};
  std::string out = "<h2>Findings</h2>\n";
  for (const Finding& finding : document.findings) {
    const char* tone = finding.verdict == "confirmed" ? "good"
                       : finding.verdict == "refuted" ? "bad"
                                                      : "warn";
    out += "<section class=\"finding\"><h3>" +
           html_text(finding.question.empty() ? finding.id : finding.question) +
           "</h3>\n<p><strong class=\"" + tone + "\">" + html_text(finding_word(finding)) + "</strong>";
    if (const std::string answer = finding_answer(finding); !answer.empty()) out += ": " + html_text(answer);
    const std::string measured = measured_text(finding), asked = asked_text(finding);
    if (!measured.empty())
      out += "<br>" + html_text(compared_name(finding) + " = " + measured) +
             (asked.empty() ? "" : " <span class=\"dim\">asked: " + html_text(asked) + "</span>");
    out += "</p>\n";
    if (!finding.say.empty()) out += "<p>" + html_text(fill(finding.say, finding)) + "</p>\n";
    if (!finding.because.empty())
      out += "<p>Because: " + html_text(fill(finding.because, finding)) + "</p>\n";
    if (!finding.background.empty()) out += "<p>" + html_text(finding.background) + "</p>\n";
    if (const std::string expected = expected_text(finding); !expected.empty())
      out += "<p>Expected: " + html_text(expected) + "</p>\n";
    if (const std::string why = finding_why(finding); !why.empty())
      out += "<p class=\"dim\">" + html_text(why) + "</p>\n";
    if (!finding.act.empty()) {
      const std::string act = fill(finding.act, finding);
      out +=
          "<p>Do: " + (is_sentence(act) ? html_text(act) : "<code>" + html_text(act) + "</code>") + "</p>\n";
    }
    out += "<p class=\"dim\">Claim: <code>" + html_text(finding.claim) + "</code></p>\n";
    out += figure(effects(finding),
                  "Each row with its 95 % interval; the dashed line is what the claim asks for");
    out += finding_rows(finding);
    if (!finding.notes.empty()) {
      out += "<ul>\n";
      for (const std::string& note : finding.notes) out += "<li>" + html_text(note) + "</li>\n";
      out += "</ul>\n";
    }
    out += "</section>\n";
  }
  return out;
}

std::string html_curves(const Document& document) {
  std::string out;
  for (const Block& block : pivot(document)) {
    if (block.metrics.empty()) continue;
    for (std::size_t i = 0; i < block.axes.size(); ++i)
      if (block.numbers[i]) out += curves_of(block, i);
  }
  return out.empty() ? out : "<h2>Over sizes</h2>\n<div class=\"pictures\">\n" + out + "</div>\n";
}

std::string html_case(const Case& one, std::size_t number, bool pictures) {
  std::string out = "<details id=\"c" + std::to_string(number) + "\"><summary>" + html_text(one.id) +
                    " <span class=\"dim\">" + html_text(outcome_text(one.outcome)) + "</span></summary>\n";
  if (one.reason) out += "<p>" + html_text(one.reason->text) + "</p>\n";
  out += metrics_table(one);
  if (pictures)
    if (const std::string drawn = pictures_of(one); !drawn.empty())
      out += "<div class=\"pictures\">\n" + drawn + "</div>\n";
  std::vector<std::string> words;
  for (const Parameter& parameter : parameters_of(one))
    words.push_back(parameter.name + ": " + parameter.text);
  for (const auto& [name, value] : one.facts) words.push_back(name + ": " + value);
  if (const std::string devices = devices_text(one); !devices.empty()) words.push_back("devices: " + devices);
  if (!words.empty()) out += "<p class=\"dim\">" + html_text(join(words, ", ")) + "</p>\n";
  if (!one.flags.empty() || !one.expectations.empty()) {
    out += "<ul>\n";
    for (const Expectation& each : one.expectations)
      out += "<li>" + html_text(each.text + ": " + each.status + (each.why.empty() ? "" : ", " + each.why)) +
             "</li>\n";
    for (const Flag& flag : one.flags)
      out += "<li><strong>" + html_text(flag.code) + "</strong> " + html_text(flag.text) + "</li>\n";
    out += "</ul>\n";
  }
  out += telemetry_table(one);
  if (!one.log.empty()) out += "<pre>" + xml_text(last_lines(one.log, 60, 8000)) + "</pre>\n";
  if (!one.reproduce.empty()) out += "<pre>" + html_text(one.reproduce) + "</pre>\n";
  return out + "</details>\n";
}

}  // namespace assay::reporters
