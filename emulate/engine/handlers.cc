#include "emulate/engine/handlers.h"

#include <cstdlib>
#include <unordered_map>
#include <vector>

#define WAVESMITH_ENGINE(level) extern "C" const wavesmith::emulate::Engine* wavesmith_engine_##level();
#include "base/split.h"
#include "emulate/engine/levels.inc"
#undef WAVESMITH_ENGINE

namespace wavesmith::emulate {
namespace {

bool host_has(std::string_view level) {
#if defined(__x86_64__)
  if (level == "v4") return __builtin_cpu_supports("x86-64-v4");
  if (level == "v3") return __builtin_cpu_supports("x86-64-v3");
#endif
  return level == "v2" || level == "generic";
}

const Engine& choose() {
  const char* asked = std::getenv("WAVESMITH_LEVEL");
  const Engine* best = nullptr;
#define WAVESMITH_ENGINE(name)                                 \
  if (host_has(#name)) {                                       \
    const Engine* candidate = wavesmith_engine_##name();       \
    if (asked && candidate->level == asked) return *candidate; \
    best = candidate;                                          \
  }
#include "emulate/engine/levels.inc"
#undef WAVESMITH_ENGINE
  return *best;
}

using Index = std::unordered_map<std::string_view, std::vector<const Implementation*>>;

Index make_index() {
  Index index;
  for (const Implementation& implementation : engine().implementations)
    for (const std::string_view name : words(implementation.row.mnemonics))
      index[name].push_back(&implementation);
  return index;
}

}  // namespace

const Engine& engine() {
  static const Engine& chosen = choose();
  return chosen;
}

const Implementation* find_implementation(std::string_view mnemonic, const isa::Target& target,
                                          bool saturates) {
  // Never destroyed: kernels may run on while the process ends.
  static const Index& index = *new Index(make_index());
  const auto found = index.find(mnemonic);
  if (found == index.end()) return nullptr;
  for (const Implementation* implementation : found->second)
    if (target.is(implementation->row.facts.generations) && implementation->row.facts.saturates == saturates)
      return implementation;
  return nullptr;
}

}  // namespace wavesmith::emulate
