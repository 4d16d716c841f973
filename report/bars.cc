// Horizontal bars of parts: cycles by pipe, stalls by cause.
#include <fmt/format.h>

#include <algorithm>

#include "report/colours.h"
#include "report/write.h"

namespace wavesmith::report {

std::string bars(const BarChart& chart, const Links& links) {
  constexpr double kWidth = 1000;
  double longest = 0;
  for (const Bar& bar : chart.bars) {
    double sum = 0;
    for (const Bar::Part& part : bar.parts) sum += part.size;
    longest = std::max(longest, sum);
  }
  if (longest <= 0) return {};
  std::string out =
      fmt::format("<section class=\"part\">\n<h3>{}{}</h3>\n", escape(chart.title), tag(chart.tag));
  if (!chart.note.empty()) out += fmt::format("<p class=\"note\">{}</p>\n", escape(chart.note));
  Colours colours;
  out += "<div class=\"bars\">\n";
  bool any_faint = false;
  for (const Bar& bar : chart.bars) {
    std::string text, spoken;
    double at = 0;
    for (const Bar::Part& part : bar.parts) {
      const double width = part.size / longest * kWidth;
      const int colour = colours.of(part.name);
      if (width <= 0) continue;
      any_faint |= part.faint;
      text += fmt::format(
          "<rect class=\"c{}{}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"16\"><title>{}: {} "
          "{}{}</title></rect>",
          colour, part.faint ? " faint" : "", coordinate(at), coordinate(width), escape(part.name),
          number(part.size), escape(chart.unit), part.faint ? ", hidden" : "");
      spoken += fmt::format("{}{} {}", spoken.empty() ? "" : ", ", part.name, number(part.size));
      at += width;
    }
    out += fmt::format(
        "<div class=\"label\">{}</div><svg viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" role=\"img\" "
        "aria-label=\"{}\">{}</svg><div class=\"total\">{}</div>\n",
        value(bar.label, links), escape(bar.label.text + ": " + spoken), text, escape(bar.total));
  }
  out += "</div>\n" + colours.legend();
  if (any_faint) out += "<p class=\"note\">Pale parts were hidden behind other work.</p>\n";
  return out + "</section>\n";
}

}  // namespace wavesmith::report
