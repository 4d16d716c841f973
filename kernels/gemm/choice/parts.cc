#include "kernels/gemm/choice/parts.h"

#include <charconv>

namespace wavesmith::kernels {

int parts_of_name(std::string_view name) {
  const size_t slash = name.find('/');
  int parts = 0;
  if (slash == std::string_view::npos) return parts;
  const std::string_view behind = name.substr(slash + 1);
  if (behind == "stream") return kStreamed;
  std::from_chars(behind.data(), behind.data() + behind.size(), parts);
  return parts;
}

std::string word_of_parts(int parts) {
  return parts == kStreamed ? "/stream" : parts > 1 ? "/" + std::to_string(parts) : "";
}

std::string_view mark_of_parts(int parts) { return parts == kStreamed ? "s" : ""; }

}  // namespace wavesmith::kernels
