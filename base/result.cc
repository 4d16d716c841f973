#include "base/result.h"

namespace wavesmith {

std::string Error::text() const {
  std::string line = what;
  if (!where.empty()) line += " (" + where + ")";
  if (!hint.empty()) line += "; " + hint;
  return line;
}

}  // namespace wavesmith
