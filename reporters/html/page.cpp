// SPDX-License-Identifier: Apache-2.0
#include "html/page.hpp"

#include "html/html.hpp"
#include "lib/escape.hpp"
#include "lib/text.hpp"

namespace assay::reporters {

std::string html_text(std::string_view text) { return xml_attribute(one_line(text)); }

std::string html_page(const std::string& title, const std::string& main) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
         "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '" +
         std::string(kPageStyleHash) + "'; script-src '" + kPageScriptHash +
         "'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\">\n<title>" +
         html_text(title) + "</title>\n<style>" + kPictureStyle + kPageStyle +
         "</style>\n</head>\n<body>\n<main>\n" + main + "</main>\n<script>" + kPageScript +
         "</script>\n</body>\n</html>\n";
}

std::string html_figure(const Picture& picture) {
  std::string caption =
      html_text(picture.title) + (picture.key.empty() || picture.title.ends_with('?') ? "" : ":");
  for (const KeyEntry& entry : picture.key)
    caption += "<span class=\"key " + entry.colour + "\"></span>" + html_text(entry.text);
  if (!picture.note.empty())
    caption += (picture.title.ends_with('?') && picture.key.empty() ? " " : ". ") + html_text(picture.note);
  return "<figure><div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"" +
         html_text(picture.title) + "\">" + svg_element(picture) + "</div><figcaption>" + caption +
         "</figcaption></figure>\n";
}

std::string html_wide_table(const std::string& name, const std::string& head, const std::string& body) {
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_text(name) +
         "\"><table><thead><tr>" + head + "</tr></thead>\n<tbody>\n" + body + "</tbody></table></div>\n";
}

std::string html_table_tools(const std::string& what, const std::set<std::string>& choices) {
  std::string out =
      "<div class=\"tools\"><label for=\"filter\">Filter</label><input id=\"filter\" type=\"search\" "
      "placeholder=\"words of a row\"><label for=\"outcome\">" +
      html_text(what) + "</label><select id=\"outcome\"><option value=\"\">all</option>";
  for (const std::string& choice : choices) out += "<option>" + html_text(choice) + "</option>";
  return out + "</select><span id=\"count\" role=\"status\"></span></div>\n";
}

std::string html_sorting_heads(const std::vector<std::string>& names, bool numbers) {
  std::string out;
  for (const std::string& name : names)
    out += std::string("<th scope=\"col\"") + (numbers ? " class=\"n\"" : "") + "><button type=\"button\">" +
           html_text(name) + "</button></th>";
  return out;
}

std::string html_number_cell(std::optional<double> value, const std::string& text) {
  return "<td class=\"n\" data-v=\"" + (value ? shortest(*value) : std::string()) + "\">" + html_text(text) +
         "</td>";
}

}  // namespace assay::reporters
