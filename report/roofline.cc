// The roofline: what the memories and the pipes allow, and where the kernel is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/colours.h"
#include "report/write.h"

namespace wavesmith::report {
namespace {

constexpr double kWidth = 760, kHeight = 400, kLeft = 64, kRight = 150, kTop = 16, kBottom = 44;

std::string power(double value) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  return fmt::format("{:.3g}{}", value, kUnits[unit]);
}

/// Moves labels apart: positions sorted ascending, at least `gap` between them.
void spread(std::vector<std::pair<double, std::string>>& labels, double gap) {
  std::sort(labels.begin(), labels.end());
  for (size_t i = 1; i < labels.size(); ++i)
    labels[i].first = std::max(labels[i].first, labels[i - 1].first + gap);
}

}  // namespace

std::string roofline(const Roofline& chart) {
  double least_x = 1, most_x = 1, least_y = HUGE_VAL, most_y = 0;
  for (const auto& ceiling : chart.ceilings) {
    most_y = std::max(most_y, ceiling.flops);
    for (const auto& roof : chart.roofs)
      if (roof.bytes_per_second > 0) most_x = std::max(most_x, ceiling.flops / roof.bytes_per_second * 4);
  }
  for (const auto& point : chart.points) {
    if (!(point.intensity > 0) || !(point.flops > 0)) continue;
    least_x = std::min(least_x, point.intensity / 2), most_x = std::max(most_x, point.intensity * 2);
    least_y = std::min(least_y, point.flops / 2), most_y = std::max(most_y, point.flops);
  }
  if (most_y <= 0) return {};
  for (const auto& roof : chart.roofs) least_y = std::min(least_y, roof.bytes_per_second * least_x);
  least_y = std::clamp(least_y, most_y * 1e-6, most_y / 10);
  const double x0 = std::floor(std::log10(least_x)), x1 = std::ceil(std::log10(most_x)),
               y0 = std::floor(std::log10(least_y)), y1 = std::ceil(std::log10(most_y * 1.05));
  const auto x = [&](double v) {
    return kLeft + (std::log10(v) - x0) / (x1 - x0) * (kWidth - kLeft - kRight);
  };
  const auto y = [&](double v) {
    return kHeight - kBottom - (std::log10(v) - y0) / (y1 - y0) * (kHeight - kTop - kBottom);
  };
  const double right = kWidth - kRight, bottom = kHeight - kBottom;

  std::string out = fmt::format("<section class=\"part\">\n<h3>Roofline{}</h3>\n", tag(chart.tag));
  if (!chart.note.empty()) out += fmt::format("<p class=\"note\">{}</p>\n", escape(chart.note));
  out += fmt::format(
      "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-label=\"Roofline\">\n",
      kWidth, kHeight);
  for (int i = 0; x0 + i <= x1; ++i) {
    const double e = x0 + i;
    const std::string at = coordinate(x(std::pow(10, e)));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        at, kTop, bottom, bottom + 16, power(std::pow(10, e)));
  }
  for (int i = 0; y0 + i <= y1; ++i) {
    const double e = y0 + i;
    const std::string at = coordinate(y(std::pow(10, e)));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/><text x=\"{3}\" y=\"{2}\" "
        "dy=\"4\" text-anchor=\"end\">{4}</text>\n",
        kLeft, right, at, kLeft - 6, power(std::pow(10, e)));
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">FLOP a byte</text>\n",
                     (kLeft + right) / 2, kHeight - 6);
  out += fmt::format(
      "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">FLOP a second</text>\n",
      coordinate((kTop + bottom) / 2));
  double highest = 0;
  for (const auto& ceiling : chart.ceilings) highest = std::max(highest, ceiling.flops);
  std::vector<std::pair<double, std::string>> labels;
  for (const auto& ceiling : chart.ceilings) {
    const std::string at = coordinate(y(ceiling.flops));
    out += fmt::format("<line class=\"ceiling\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", kLeft, right,
                       at, at);
    labels.emplace_back(y(ceiling.flops), ceiling.name + " " + power(ceiling.flops));
  }
  spread(labels, 13);
  for (const auto& [at, text] : labels)
    out +=
        fmt::format("<text x=\"{}\" y=\"{}\" dy=\"4\">{}</text>\n", right + 6, coordinate(at), escape(text));
  Colours colours;
  for (const auto& roof : chart.roofs) {
    if (!(roof.bytes_per_second > 0)) continue;
    const int colour = colours.of(roof.name + ": " + power(roof.bytes_per_second) + "B/s");
    const double from = std::max(std::pow(10, x0), std::pow(10, y0) / roof.bytes_per_second);
    const double knee = std::clamp((highest > 0 ? highest : std::pow(10, y1)) / roof.bytes_per_second, from,
                                   std::pow(10, x1));
    out += fmt::format(
        "<line class=\"roof s{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"><title>{}</title></line>\n", colour,
        coordinate(x(from)), coordinate(y(from * roof.bytes_per_second)), coordinate(x(knee)),
        coordinate(y(knee * roof.bytes_per_second)), escape(roof.name));
  }
  struct Mark {
    double x, y;
    int first, last;
    std::string title;
  };
  std::vector<Mark> marks;
  int index = 0;
  std::string list;
  constexpr double kRadius = 8;
  for (const auto& point : chart.points) {
    if (!(point.intensity > 0) || !(point.flops > 0)) continue;
    ++index;
    const double px = x(point.intensity), py = std::clamp(y(point.flops), kTop, bottom);
    // Points that would cover each other are one.
    if (!marks.empty() && std::hypot(px - marks.back().x, py - marks.back().y) < kRadius) {
      marks.back().last = index;
      marks.back().title += ", " + point.name;
    } else {
      marks.push_back({px, py, index, index, point.name});
    }
    list += fmt::format(
        "<li>{}: {} FLOP a byte, {}FLOP/s{}</li>", escape(point.name), number(point.intensity),
        power(point.flops) + (power(point.flops).find(' ') == std::string::npos ? " " : ""),
        highest > 0 ? fmt::format(", {:.0f} % of the highest line", 100 * point.flops / highest) : "");
  }
  for (const Mark& mark : marks)
    out += fmt::format(
        "<circle class=\"point\" cx=\"{0}\" cy=\"{1}\" r=\"{4}\"><title>{2}</title></circle><text "
        "class=\"mark\" x=\"{0}\" y=\"{1}\" dy=\"4\" text-anchor=\"middle\">{3}</text>\n",
        coordinate(mark.x), coordinate(mark.y), escape(mark.title),
        mark.first == mark.last ? fmt::format("{}", mark.first) : fmt::format("{}-{}", mark.first, mark.last),
        mark.first == mark.last ? kRadius : 1.5 * kRadius);
  out += "</svg></div>\n" + colours.legend();
  if (!list.empty()) out += "<ol class=\"points\">" + list + "</ol>\n";
  return out + "</section>\n";
}

}  // namespace wavesmith::report
