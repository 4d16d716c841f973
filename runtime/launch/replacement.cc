#include "runtime/launch/replacement.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "runtime/api/error.h"

namespace wavesmith::runtime {
namespace {

struct Replacement {
  std::vector<uint8_t> file;
  std::optional<object::CodeObject> object;

  Replacement() {
    const char* const path = std::getenv("WAVESMITH_CODE");
    if (!path || !*path) return;
    std::ifstream stream(path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(stream), {});
    auto parsed = object::CodeObject::parse(file);
    if (parsed)
      object = std::move(*parsed);
    else
      report(Error{parsed.error().kind, "WAVESMITH_CODE: " + parsed.error().what, path});
  }
};

std::atomic<unsigned> replaced = 0;

}  // namespace

std::span<const uint8_t> replacement_of(const object::CodeObject& object) {
  static const auto& other = *new Replacement;
  if (!other.object || object.kernels().empty() ||
      other.object->target().processor != object.target().processor)
    return {};
  if (!std::ranges::all_of(object.kernels(),
                           [](const object::Kernel& kernel) { return other.object->kernel(kernel.name); }))
    return {};
  ++replaced;
  return other.file;
}

unsigned replaced_objects() { return replaced; }

}  // namespace wavesmith::runtime
