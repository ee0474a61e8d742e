// SPDX-License-Identifier: Apache-2.0
#include "html/table.hpp"

#include "html/page.hpp"
#include "lib/text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>

namespace assay::reporters {
namespace {

std::string box(const std::string& name, const std::string& table) {
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_text(name) + "\">" +
         table + "</div>\n";
}

// A number stays with its sign of percent.
std::string heading(const std::string& name) {
  std::string out = html_text(name);
  for (std::size_t at = out.find(" %"); at != std::string::npos; at = out.find(" %", at))
    out.replace(at, 1, "\u00a0");
  return out;
}

// Which columns have something in some row.
std::vector<std::size_t> drawn(const std::vector<HtmlColumn>& columns, const std::vector<HtmlRow>& rows,
                               const std::string& kept) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == kept ||
        std::any_of(rows.begin(), rows.end(), [i](const HtmlRow& row) { return !row.cells[i].html.empty(); }))
      out.push_back(i);
  return out;
}

const char* class_of(const HtmlColumn& column) {
  return column.kind == HtmlKind::number ? " class=\"n\"" : "";
}

// Of an environment variable or a plugin, which a narrow column would break anywhere: behind "_" and "." instead.
std::string breakable_name(const std::string& name) {
  std::string out, part;
  for (const char c : one_line(name)) {
    part += c;
    if (c != '_' && c != '.') continue;
    out += html_text(part) + "<wbr>";
    part.clear();
  }
  return out + html_text(part);
}

std::string tools(const std::string& what, const std::set<std::string>& choices) {
  std::string out =
      "<div class=\"tools\"><label for=\"filter\">Filter</label><input id=\"filter\" type=\"search\" "
      "placeholder=\"words of a row\"><label for=\"outcome\">" +
      html_text(what) + "</label><select id=\"outcome\"><option value=\"\">all</option>";
  for (const std::string& choice : choices) out += "<option>" + html_text(choice) + "</option>";
  return out + "</select><span id=\"count\" role=\"status\"></span></div>\n";
}

}  // namespace

std::string html_table(const std::string& name, const std::vector<HtmlColumn>& columns,
                       const std::vector<HtmlRow>& rows) {
  if (rows.empty()) return {};
  const std::vector<std::size_t> shown = drawn(columns, rows, {});
  std::string out = "<table><thead><tr>";
  for (const std::size_t i : shown)
    out += std::string("<th scope=\"col\"") + class_of(columns[i]) + ">" + heading(columns[i].name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const HtmlRow& row : rows) {
    out += "<tr>";
    for (const std::size_t i : shown)
      out += std::string("<td") + class_of(columns[i]) + ">" + row.cells[i].html + "</td>";
    out += "</tr>\n";
  }
  return box(name, out + "</tbody></table>");
}

std::string html_results_table(const std::string& name, const std::string& what,
                               const std::vector<HtmlColumn>& columns, const std::vector<HtmlRow>& rows,
                               const std::string& kept) {
  if (rows.empty()) return {};
  const std::vector<std::size_t> shown = drawn(columns, rows, kept);
  std::set<std::string> outcomes;
  std::string out = "<table id=\"results\"><thead><tr>";
  for (const std::size_t i : shown)
    out += std::string("<th scope=\"col\"") + class_of(columns[i]) + "><button type=\"button\">" +
           heading(columns[i].name) + "</button></th>";
  out += "</tr></thead>\n<tbody>\n";
  std::vector<std::string> texts;
  for (const HtmlRow& row : rows) {
    outcomes.insert(row.outcome);
    std::string& text = texts.emplace_back("<tr data-outcome=\"" + html_text(row.outcome) + "\">");
    for (const std::size_t i : shown) {
      const HtmlCell& cell = row.cells[i];
      text += std::string("<td") + class_of(columns[i]) + " data-l=\"" + html_text(columns[i].name) + "\"";
      if (columns[i].kind == HtmlKind::number)
        text += " data-v=\"" + (cell.value ? shortest(*cell.value) : std::string()) + "\"";
      text += ">" + cell.html + "</td>";
    }
    text += "</tr>\n";
  }
  const std::span<const std::string> all = texts;
  const std::span<const std::string> first = all.first(std::min(all.size(), kMostParsedAtOnce));
  for (const std::string& text : first) out += text;
  out += html_kept(all.subspan(first.size()));
  return tools(what, outcomes) + box(name, out + "</tbody></table>");
}

std::string html_text_table(const std::string& name, const HtmlHead& head,
                            const std::vector<std::vector<std::string>>& rows) {
  std::vector<HtmlColumn> columns;
  for (const auto& [text, is_number] : head)
    columns.push_back({text, is_number ? HtmlKind::number : HtmlKind::text});
  std::vector<HtmlRow> cells;
  for (const std::vector<std::string>& row : rows) {
    HtmlRow& out = cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      out.cells.push_back({i == 0 && !row[i].empty() ? html_id(row[i]) : html_text(row[i])});
  }
  return html_table(name, columns, cells);
}

std::string html_pairs(const std::string& name, const std::vector<HtmlPair>& pairs,
                       const std::vector<std::string>& heads) {
  std::string out;
  for (const HtmlPair& pair : pairs) {
    if (std::all_of(pair.texts.begin(), pair.texts.end(), [](const auto& text) { return text.empty(); }))
      continue;
    out += "<tr><th scope=\"row\">" + breakable_name(pair.name) + "</th>";
    for (const std::string& text : pair.texts)
      out += "<td>" + html_text(text.empty() ? "none" : text) + "</td>";
    out += "</tr>\n";
  }
  if (out.empty()) return out;
  std::string head;
  for (const std::string& text : heads)
    head += text.empty() ? "<td></td>" : "<th scope=\"col\">" + html_text(text) + "</th>";
  if (!head.empty()) head = "<thead><tr>" + head + "</tr></thead>\n";
  return box(name, "<table class=\"pairs\">" + head + "<tbody>\n" + out + "</tbody></table>");
}

}  // namespace assay::reporters
