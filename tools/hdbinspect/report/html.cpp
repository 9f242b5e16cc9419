// Escapes, numbers, and what all pages have in common.
#include "report/html.hpp"

#include <cmath>

#include "assets.hpp"
#include "hdb/inspect/text.hpp"
#include "version.hpp"

namespace hdb::inspect {

std::string html_of_shown(std::string_view shown) {
  std::string out;
  out.reserve(shown.size());
  for (const char c : shown) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_of(std::string_view text) { return html_of_shown(escape_text(text)); }

std::string bdi_of(std::string_view text) { return "<bdi>" + html_of(text) + "</bdi>"; }

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? grouped(first) : grouped(first) + " to " + grouped(last);
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part == 0) return "0 %";
  if (percent < 0.05) return "&lt; 0.1 %";
  return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string share(double part, double whole) {
  const double percent = whole > 0 ? 100.0 * part / whole : 0;
  return fmt::format("{:g}", std::round(percent * 100) / 100);
}

void Html::fact(std::string_view term, std::string_view fact, bool wide) {
  put("<div{}><dt>{}</dt><dd>{}</dd></div>\n", wide ? " class=\"wide\"" : "", term, fact);
}

void Html::section(std::string_view id, std::string_view heading) {
  put("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", id, heading);
}

void Html::begin_table(std::initializer_list<std::string_view> heads, std::string_view caption) {
  raw("<div class=\"scroll\"><table>");
  if (!caption.empty()) put("<caption>{}</caption>", caption);
  raw("\n<thead><tr>");
  cell_classes_.clear();
  for (std::string_view head : heads) {
    cell_classes_.push_back(head.starts_with('#')   ? " class=\"n\""
                            : head.starts_with('|') ? " class=\"bars\""
                                                    : "");
    if (!cell_classes_.back().empty()) head.remove_prefix(1);
    put("<th scope=\"col\"{}>{}</th>", cell_classes_.back(), head);
  }
  raw("</tr></thead>\n<tbody>\n");
}

void Html::begin_folded_table(std::string_view summary,
                              std::initializer_list<std::string_view> heads) {
  put("<details><summary>{} as a table</summary>", summary);
  begin_table(heads);
}

void Html::row(std::initializer_list<std::string_view> cells) {
  std::size_t column = 0;
  for (const std::string_view cell : cells) {
    if (column == 0) {
      put("<tr><th scope=\"row\">{}</th>", cell);
    } else {
      put("<td{}>{}</td>", cell_classes_[column], cell);
    }
    ++column;
  }
  raw("</tr>\n");
}

void Html::verdict(std::string_view kind, std::string_view word, std::string_view text) {
  put("<p class=\"verdict{}{}\"><b>{}</b> <span>{}</span></p>\n", kind.empty() ? "" : " ", kind,
      word, text);
}

void begin_page(Html& page, std::string_view title, std::string_view heading,
                std::string_view where, std::string_view links, std::string_view picture) {
  page.put(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
      "'none'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<meta name=\"generator\" content=\"hdbinspect {}\"/>\n"
      "<link rel=\"icon\" href=\"data:,\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      kVersion, html_of(title), page_style());
  page.put(
      "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"top\">\n"
      "<div class=\"title\">\n<div>\n<h1>{}</h1>\n{}</div>\n{}<button type=\"button\" id=\"theme\" "
      "hidden=\"hidden\">Dark colours</button>\n</div>\n"
      "<nav aria-label=\"Parts of this page\">{}</nav>\n</header>\n<main id=\"main\">\n",
      heading, where, picture, links);
}

void end_page(Html& page) {
  page.put(
      "</main>\n<footer><p>Made by hdbinspect {}. This page is self-contained: nothing is loaded "
      "from elsewhere.</p></footer>\n<script>\n{}</script>\n</body>\n</html>\n",
      kVersion, page_script());
}

std::string picture_attributes(Html& page, std::string_view title, std::string_view description,
                               std::string& children) {
  const std::string id = page.new_id();
  children = fmt::format("<title id=\"{0}t\">{1}</title><desc id=\"{0}d\">{2}</desc>\n", id, title,
                         description);
  return fmt::format(
      "role=\"img\" tabindex=\"0\" aria-labelledby=\"{0}t\" aria-describedby=\"{0}d\"", id);
}

}  // namespace hdb::inspect
