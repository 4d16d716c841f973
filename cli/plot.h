// A line plot as a self-contained SVG: logarithmic axes, a legend, one colour and dash pattern per line. It
// is readable in light and dark mode, and the same input gives the same bytes.
#pragma once

#include <string>
#include <vector>

namespace wavesmith::cli {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< both above 0
};

struct Plot {
  std::string title, x, y;
  std::vector<PlotLine> lines;
};

std::string svg_of(const Plot& plot);

}  // namespace wavesmith::cli
