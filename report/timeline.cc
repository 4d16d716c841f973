// Spans against time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/colours.h"
#include "report/write.h"

namespace wavesmith::report {
namespace {

constexpr double kWidth = 1000, kLeft = 150, kRow = 18, kTop = 22;
constexpr size_t kMostLetters = 22;

/// A step of 1, 2 or 5 times a power of ten, so that about ten fit.
double step_of(double range) {
  const double rough = range / 8, base = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0, 10.0})
    if (base * factor >= rough) return base * factor;
  return base * 10;
}

}  // namespace

std::string timeline(const Timeline& chart) {
  double begin = HUGE_VAL, end = -HUGE_VAL;
  for (const auto& row : chart.rows)
    for (const auto& span : row.spans) begin = std::min(begin, span.begin), end = std::max(end, span.end);
  if (!(end > begin)) return {};
  const double height = kTop + kRow * static_cast<double>(chart.rows.size()) + 4;
  const auto x = [&](double v) { return kLeft + (v - begin) / (end - begin) * (kWidth - kLeft - 10); };
  std::string out =
      fmt::format("<section class=\"part\">\n<h3>{}{}</h3>\n", escape(chart.title), tag(chart.tag));
  if (!chart.note.empty()) out += fmt::format("<p class=\"note\">{}</p>\n", escape(chart.note));
  out += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{2}\"><svg class=\"chart\" "
      "viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2}\">\n",
      kWidth, height, escape(chart.title));
  const double step = step_of(end - begin);
  const double first_tick = std::ceil(begin / step);
  for (int i = 0; (first_tick + i) * step <= end; ++i) {
    const double t = (first_tick + i) * step;
    const double at = x(t);
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0}\" y=\"14\" "
        "text-anchor=\"{3}\">{4}</text>\n",
        coordinate(at), kTop - 4, height, at > kWidth - 60 ? "end" : "middle", number(t));
  }
  Colours colours, waits('w');
  double y = kTop;
  for (const auto& row : chart.rows) {
    std::string label = row.label;
    if (label.size() > kMostLetters) label = label.substr(0, kMostLetters - 1) + "…";
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\"><title>{}</title>{}</text>\n", kLeft - 8,
                       coordinate(y + 13), escape(row.label), escape(label));
    for (const auto& span : row.spans)
      out += fmt::format(
          "<rect class=\"{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
          span.waits ? 'w' : 'c', span.waits ? waits.of(span.name) : colours.of(span.name),
          coordinate(x(span.begin)), coordinate(y + (span.waits ? kRow - 7 : 2)),
          coordinate(std::max(0.5, x(span.end) - x(span.begin))), span.waits ? 5 : kRow - 4,
          escape(fmt::format("{}: {} to {} {}{}{}", span.name, number(span.begin), number(span.end),
                             chart.unit, span.title.empty() ? "" : "; ", span.title)));
    out += "\n";
    y += kRow;
  }
  out += "</svg></div>\n" + colours.legend() + waits.legend();
  return out + fmt::format("<p class=\"note\">In {}.</p>\n</section>\n", escape(chart.unit));
}

}  // namespace wavesmith::report
