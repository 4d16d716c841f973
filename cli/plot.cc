#include "cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/write.h"

namespace wavesmith::cli {
namespace {

constexpr double kWidth = 880, kHeight = 500, kLeft = 80, kRight = 230, kTop = 48, kBottom = 60;
// Okabe and Ito's colours, told apart by everybody.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#777777"};
constexpr const char* kDashes[] = {"", "7 4", "2 3", "9 3 2 3"};

std::string short_number(double value) {
  constexpr std::pair<double, const char*> kSteps[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [least, letter] : kSteps)
    if (value >= least * 0.9995) return fmt::format("{:.3g}{}", value / least, letter);
  return fmt::format("{:.3g}", value);
}

/// A logarithmic axis with ticks at 1, 2 and 5 where there is room, or at powers of two for sizes.
struct Axis {
  double low = 1, high = 10;
  std::vector<double> ticks;

  Axis(double least, double most) {
    if (least == most) least /= 1.5, most *= 1.5;
    low = least, high = most;
    const double decades = std::log10(high / low);
    for (int power = static_cast<int>(std::floor(std::log10(low))); power <= std::log10(high * 1.0001);
         ++power)
      for (const double step : {1.0, 2.0, 5.0}) {
        if (decades > 2.5 && step != 1) continue;
        const double tick = std::pow(10, power) * step;
        if (tick >= low * 0.9999 && tick <= high * 1.0001) ticks.push_back(tick);
      }
  }
  [[nodiscard]] double share(double value) const { return std::log(value / low) / std::log(high / low); }
};

}  // namespace

std::string svg_of(const Plot& plot) {
  double x_low = 1e300, x_high = 0, y_low = 1e300, y_high = 0;
  for (const PlotLine& line : plot.lines)
    for (const auto& [x, y] : line.points) {
      x_low = std::min(x_low, x), x_high = std::max(x_high, x);
      y_low = std::min(y_low, y), y_high = std::max(y_high, y);
    }
  if (x_high <= 0 || y_high <= 0) x_low = y_low = 1, x_high = y_high = 10;
  const Axis xs(x_low, x_high), ys(y_low / 1.15, y_high * 1.15);
  const auto px = [&](double x) { return kLeft + xs.share(x) * (kWidth - kLeft - kRight); };
  const auto py = [&](double y) { return kHeight - kBottom - ys.share(y) * (kHeight - kTop - kBottom); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" "
      "aria-label=\"{2}\">\n"
      "<style>svg{{font:13px system-ui,sans-serif;background:#fff}}text{{fill:#222}}.grid{{stroke:#ddd}}"
      "@media(prefers-color-scheme:dark){{svg{{background:#181818}}text{{fill:#eee}}.grid{{stroke:#444}}}}</"
      "style>\n"
      "<title>{2}</title>\n<text x=\"{3}\" y=\"26\" font-size=\"16\" font-weight=\"600\">{2}</text>\n",
      kWidth, kHeight, report::escape(plot.title), kLeft);
  for (const double tick : xs.ticks)
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" "
        "y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        px(tick), kTop, kHeight - kBottom, kHeight - kBottom + 18, short_number(tick));
  for (const double tick : ys.ticks)
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        py(tick), kLeft, kWidth - kRight, kLeft - 8, py(tick) + 4, short_number(tick));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, kHeight - 16, report::escape(plot.x));
  svg +=
      fmt::format("<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                  (kTop + kHeight - kBottom) / 2, report::escape(plot.y));
  size_t number = 0;
  for (const PlotLine& line : plot.lines) {
    const char* const colour = kColours[number % std::size(kColours)];
    const char* const dash = kDashes[number / std::size(kColours) % std::size(kDashes)];
    std::string points;
    for (const auto& [x, y] : line.points) points += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
    svg += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
        colour, dash, points);
    const double y = kTop + 8 + 20.0 * static_cast<double>(number);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"2\" "
        "stroke-dasharray=\"{4}\"/><text x=\"{5}\" y=\"{6}\">{7}</text>\n",
        kWidth - kRight + 14, kWidth - kRight + 42, y, colour, dash, kWidth - kRight + 48, y + 4,
        report::escape(line.name));
    ++number;
  }
  return svg + "</svg>\n";
}

}  // namespace wavesmith::cli
