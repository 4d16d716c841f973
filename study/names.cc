#include "study/names.h"

#include "isa/llvm/demangle.h"

namespace wavesmith::study {

std::string readable(const std::string& name) { return isa::demangle(name); }

bool means(std::string_view asked, const std::string& name) {
  if (asked == name) return true;
  const std::string text = readable(name);
  if (asked == text) return true;
  // "void reduce<float>(float*)": the result's type stands before a template's name.
  std::string_view bare(text);
  int depth = 0;
  for (size_t i = 0; i < bare.size(); ++i) {
    depth += bare[i] == '<';
    depth -= bare[i] == '>';
    if (bare[i] == '(' && depth == 0 && !bare.substr(i).starts_with("(anonymous namespace)")) {
      bare = bare.substr(0, i);
      break;
    }
  }
  if (bare.starts_with("void ")) bare.remove_prefix(5);
  return asked == bare;
}

}  // namespace wavesmith::study
