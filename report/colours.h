// Assigns colours to names, in the order in which names first appear.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "report/write.h"

namespace wavesmith::report {

class Colours {
 public:
  /// `prefix` of the classes of the style sheet: "c", or "w" for waits.
  explicit Colours(char prefix = 'c') : prefix_(prefix) {}
  int of(const std::string& name) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    const auto index = at - names_.begin();
    if (at == names_.end()) names_.push_back(name);
    return static_cast<int>(index % kColours);
  }
  [[nodiscard]] std::string legend() const {
    if (names_.empty()) return {};
    std::string out = "<ul class=\"legend\">";
    for (size_t i = 0; i < names_.size(); ++i)
      out += "<li><span class=\"swatch " + std::string(1, prefix_) + std::to_string(i % kColours) +
             "\"></span>" + escape(names_[i]) + "</li>";
    return out + "</ul>\n";
  }

 private:
  char prefix_;
  std::vector<std::string> names_;
};

}  // namespace wavesmith::report
