#include "report/write.h"

#include <fmt/format.h>

#include <cmath>

namespace wavesmith::report {
namespace {

/// The length of the UTF-8 sequence at the start of `text`; 0: none.
size_t sequence(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = at(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, what lies beyond Unicode, and two that XML leaves out.
  if (length == 3 && ((first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) >= 0xa0))) return 0;
  if (length == 3 && first == 0xef && at(1) == 0xbf && at(2) >= 0xbe) return 0;
  if (length == 4 && ((first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) >= 0x90))) return 0;
  return length;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t length = sequence(text);
    const char first = text.front();
    if (length == 0 || (static_cast<uint8_t>(first) < 0x20 && first != '\n' && first != '\t') ||
        first == 0x7f) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    switch (first) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "unknown" : value > 0 ? "∞" : "-∞";
  const double size = std::fabs(value);
  if (size >= 100 || size == std::floor(size)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string tag(std::optional<Tag> tag) {
  if (!tag) return {};
  const std::string name(gpus::name_of(*tag));
  return fmt::format(" <span class=\"tag {0}\">{0}</span>", name);
}

std::string value(const Value& value, const Links& links) {
  std::string text = escape(value.text);
  const std::string title = value.title.empty() ? "" : fmt::format(" title=\"{}\"", escape(value.title));
  if (value.code < links.code)
    text = fmt::format("<a href=\"#{}-i{}\"{}>{}</a>", links.id, value.code, title, text);
  else if (!title.empty())
    text = fmt::format("<span{}>{}</span>", title, text);
  return text + tag(value.tag);
}

std::string table(const Table& table, const Links& links) {
  std::string out = fmt::format("<details class=\"part\"{}>\n<summary>{}</summary>\n",
                                table.folded ? "" : " open=\"open\"", escape(table.title));
  if (!table.note.empty()) out += fmt::format("<p class=\"note\">{}</p>\n", escape(table.note));
  const auto classes = [&](size_t column) {
    for (size_t right : table.right)
      if (right == column) return " class=\"n\"";
    return "";
  };
  out += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(table.title) +
         "\"><table>\n<thead><tr>";
  for (size_t i = 0; i < table.head.size(); ++i)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", classes(i), escape(table.head[i]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size(); ++i)
      out += fmt::format("<td{}>{}</td>", classes(i), value(row[i], links));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n</details>\n";
}

}  // namespace wavesmith::report
