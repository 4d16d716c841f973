// The roofline: what the memories and the pipes allow, and where the kernel is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/colours.h"
#include "report/write.h"

namespace wavesmith::report {
namespace {

constexpr double kWidth = 760, kHeight = 400, kLeft = 64, kRight = 150, kTop = 16, kBottom = 44;
constexpr double kRightEdge = kWidth - kRight, kBottomEdge = kHeight - kBottom;

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

/// One chart: the range of its axes, then its parts in the order in which they are drawn.
class Drawing {
 public:
  explicit Drawing(const Roofline& chart) : chart_(chart) {
    for (const auto& ceiling : chart.ceilings) highest_ = std::max(highest_, ceiling.flops);
    find_range();
  }
  /// Whether there is anything to be seen.
  [[nodiscard]] bool has_range() const { return y1_ > y0_; }

  std::string draw() {
    out_ = fmt::format("<section class=\"part\">\n<h3>Roofline{}</h3>\n", tag(chart_.tag));
    if (!chart_.note.empty()) out_ += fmt::format("<p class=\"note\">{}</p>\n", escape(chart_.note));
    out_ += fmt::format(
        "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "role=\"img\" aria-label=\"Roofline\">\n",
        kWidth, kHeight);
    axes();
    ceilings();
    roofs();
    const std::string list = points();
    out_ += "</svg></div>\n" + colours_.legend();
    if (!list.empty()) out_ += "<ol class=\"points\">" + list + "</ol>\n";
    return out_ + "</section>\n";
  }

 private:
  /// Both axes are logarithmic and end at powers of ten.
  void find_range() {
    double least_x = 1, most_x = 1, least_y = HUGE_VAL, most_y = 0;
    for (const auto& ceiling : chart_.ceilings) {
      most_y = std::max(most_y, ceiling.flops);
      for (const auto& roof : chart_.roofs)
        if (roof.bytes_per_second > 0) most_x = std::max(most_x, ceiling.flops / roof.bytes_per_second * 4);
    }
    for (const auto& point : chart_.points) {
      if (!(point.intensity > 0) || !(point.flops > 0)) continue;
      least_x = std::min(least_x, point.intensity / 2), most_x = std::max(most_x, point.intensity * 2);
      least_y = std::min(least_y, point.flops / 2), most_y = std::max(most_y, point.flops);
    }
    if (most_y <= 0) return;
    for (const auto& roof : chart_.roofs) least_y = std::min(least_y, roof.bytes_per_second * least_x);
    least_y = std::clamp(least_y, most_y * 1e-6, most_y / 10);
    x0_ = std::floor(std::log10(least_x)), x1_ = std::ceil(std::log10(most_x));
    y0_ = std::floor(std::log10(least_y)), y1_ = std::ceil(std::log10(most_y * 1.05));
  }

  [[nodiscard]] double x(double v) const {
    return kLeft + (std::log10(v) - x0_) / (x1_ - x0_) * (kRightEdge - kLeft);
  }
  [[nodiscard]] double y(double v) const {
    return kBottomEdge - (std::log10(v) - y0_) / (y1_ - y0_) * (kBottomEdge - kTop);
  }

  void axes() {
    for (int i = 0; x0_ + i <= x1_; ++i) {
      const double e = x0_ + i;
      const std::string at = coordinate(x(std::pow(10, e)));
      out_ += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          at, kTop, kBottomEdge, kBottomEdge + 16, power(std::pow(10, e)));
    }
    for (int i = 0; y0_ + i <= y1_; ++i) {
      const double e = y0_ + i;
      const std::string at = coordinate(y(std::pow(10, e)));
      out_ += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/><text x=\"{3}\" y=\"{2}\" "
          "dy=\"4\" text-anchor=\"end\">{4}</text>\n",
          kLeft, kRightEdge, at, kLeft - 6, power(std::pow(10, e)));
    }
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">FLOP a byte</text>\n",
                        (kLeft + kRightEdge) / 2, kHeight - 6);
    out_ += fmt::format(
        "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">FLOP a second</text>\n",
        coordinate((kTop + kBottomEdge) / 2));
  }

  void ceilings() {
    std::vector<std::pair<double, std::string>> labels;
    for (const auto& ceiling : chart_.ceilings) {
      const std::string at = coordinate(y(ceiling.flops));
      out_ += fmt::format("<line class=\"ceiling\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", kLeft,
                          kRightEdge, at, at);
      labels.emplace_back(y(ceiling.flops), ceiling.name + " " + power(ceiling.flops));
    }
    spread(labels, 13);
    for (const auto& [at, text] : labels)
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" dy=\"4\">{}</text>\n", kRightEdge + 6, coordinate(at),
                          escape(text));
  }

  void roofs() {
    for (const auto& roof : chart_.roofs) {
      if (!(roof.bytes_per_second > 0)) continue;
      const int colour = colours_.of(roof.name + ": " + power(roof.bytes_per_second) + "B/s");
      const double from = std::max(std::pow(10, x0_), std::pow(10, y0_) / roof.bytes_per_second);
      const double knee = std::clamp((highest_ > 0 ? highest_ : std::pow(10, y1_)) / roof.bytes_per_second,
                                     from, std::pow(10, x1_));
      out_ += fmt::format(
          "<line class=\"roof s{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"><title>{}</title></line>\n",
          colour, coordinate(x(from)), coordinate(y(from * roof.bytes_per_second)), coordinate(x(knee)),
          coordinate(y(knee * roof.bytes_per_second)), escape(roof.name));
    }
  }

  struct Mark {
    double x, y;
    int first, last;
    std::string title;
  };

  /// Draws the points, and returns what they are called, as items of a list.
  std::string points() {
    std::vector<Mark> marks;
    int index = 0;
    std::string list;
    constexpr double kRadius = 8;
    for (const auto& point : chart_.points) {
      if (!(point.intensity > 0) || !(point.flops > 0)) continue;
      ++index;
      const double px = x(point.intensity), py = std::clamp(y(point.flops), kTop, kBottomEdge);
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
          highest_ > 0 ? fmt::format(", {:.0f} % of the highest line", 100 * point.flops / highest_) : "");
    }
    for (const Mark& mark : marks)
      out_ += fmt::format(
          "<circle class=\"point\" cx=\"{0}\" cy=\"{1}\" r=\"{4}\"><title>{2}</title></circle><text "
          "class=\"mark\" x=\"{0}\" y=\"{1}\" dy=\"4\" text-anchor=\"middle\">{3}</text>\n",
          coordinate(mark.x), coordinate(mark.y), escape(mark.title),
          mark.first == mark.last ? fmt::format("{}", mark.first)
                                  : fmt::format("{}-{}", mark.first, mark.last),
          mark.first == mark.last ? kRadius : 1.5 * kRadius);
    return list;
  }

  const Roofline& chart_;
  double x0_ = 0, x1_ = 0, y0_ = 0, y1_ = 0;  ///< powers of ten
  double highest_ = 0;                        ///< of the ceilings
  Colours colours_;
  std::string out_;
};

}  // namespace

std::string roofline(const Roofline& chart) {
  Drawing drawing(chart);
  return drawing.has_range() ? drawing.draw() : std::string();
}

}  // namespace wavesmith::report
