// SPDX-License-Identifier: Apache-2.0
#include "html/page.hpp"

#include "html/html.hpp"
#include "lib/escape.hpp"
#include "lib/finding_texts.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <array>
#include <cstddef>

namespace assay::reporters {
namespace {

// A line may end behind "[" and "," of a name; where a space or a number follows, they are not a name's.
std::string with_breaks(const std::string& text) {
  std::string out, part;
  for (std::size_t i = 0; i < text.size(); ++i) {
    part += text[i];
    const bool opens = text[i] == ',' || text[i] == '[';
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (!opens || !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'))) continue;
    out += xml_attribute(part) + "<wbr>";
    part.clear();
  }
  return out + xml_attribute(part);
}

}  // namespace

std::string html_text(std::string_view text) { return xml_attribute(one_line(text)); }

std::string html_sentence(std::string_view text) {
  std::string out;
  for (const SentencePiece& piece : sentence_pieces(text))
    out += piece.is_code ? "<code>" + with_breaks(piece.text) + "</code>" : with_breaks(piece.text);
  return out;
}

std::string html_id(std::string_view text) {
  return "<span class=\"id\">" + with_breaks(one_line(text)) + "</span>";
}

std::string html_whole(std::string_view text) {
  return "<span class=\"whole\">" + html_text(text) + "</span>";
}

std::string html_act(std::string_view act) {
  return is_sentence(act) ? html_sentence(act) : "<code>" + html_text(act) + "</code>";
}

const char* html_tone(std::string_view verdict) {
  constexpr std::array<std::string_view, 4> kGood{"passed", "confirmed", "faster", "better"};
  constexpr std::array<std::string_view, 8> kBad{"failed",  "refuted", "slower",  "worse",
                                                 "crashed", "error",   "timeout", "invalid"};
  constexpr std::array<std::string_view, 6> kDim{"same",       "skipped",       "not run",
                                                 "not judged", "not available", "reference"};
  const std::string word = in_words(verdict);
  const auto is_one_of = [&](const auto& words) { return contains(words, word); };
  return is_one_of(kGood) ? "good" : is_one_of(kBad) ? "bad" : is_one_of(kDim) ? "dim" : "warn";
}

std::string html_verdict(std::string_view verdict) {
  if (verdict.empty()) return {};
  return std::string("<span class=\"") + html_tone(verdict) + "\">" + html_text(in_words(verdict)) +
         "</span>";
}

std::string html_kept(std::span<const std::string> parts) {
  if (parts.empty()) return {};
  // A script of this type is text to a browser.
  std::string out = "<script type=\"text/html\">";
  for (const std::string& part : parts) out += (&part == &parts.front() ? "" : "<hr>") + part;
  return out + "</script>";
}

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
    caption += " <span class=\"entry\"><span class=\"key " + entry.colour + "\"></span>" +
               html_text(entry.text) + "</span>";
  if (!picture.note.empty())
    caption += (picture.title.ends_with('?') && picture.key.empty() ? " " : ". ") + html_text(picture.note);
  // On a narrow screen the picture scrolls in its box, which says so: smaller, nobody could read it.
  return "<figure><div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"" +
         html_text(picture.title) + "\">" + svg_element(picture) + "</div><figcaption>" + caption +
         "</figcaption></figure>\n";
}

}  // namespace assay::reporters
