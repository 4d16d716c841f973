// The exported functions that nothing else in this folder defines. Each is a weak symbol: the function that
// serves it, wherever it stands, replaces it when the library is linked. So a new function of the API is a
// row in api.tsv, and serving it is writing it.
#include "runtime/api/exports.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "runtime/api/error.h"

namespace {
int stand_in(const char* function) {
  return wavesmith::runtime::finish(wavesmith::runtime::unsupported(function));
}
}  // namespace

// The callers pass arguments; what takes none ignores them (the caller cleans up).
#define WAVESMITH_EXPORT(name, version, programs, id)                    \
  extern "C" int wavesmith_unserved_##name();                            \
  extern "C" int wavesmith_unserved_##name() { return stand_in(#name); } \
  extern "C" [[gnu::weak, gnu::visibility("default"), gnu::alias("wavesmith_unserved_" #name)]] int name();
#include "runtime/exports.inc"
#undef WAVESMITH_EXPORT

namespace wavesmith::runtime {
namespace {

#define WAVESMITH_EXPORT(name, version, programs, id) \
  Export{#name,                                       \
         version,                                     \
         programs,                                    \
         id,                                          \
         reinterpret_cast<AnyFunction>(&::name),      \
         reinterpret_cast<AnyFunction>(&::wavesmith_unserved_##name)},
const Export kExports[] = {
#include "runtime/exports.inc"
};
#undef WAVESMITH_EXPORT

}  // namespace

std::span<const Export> exports() { return kExports; }

const Export* find_export(std::string_view name) {
  static const auto& index = *new auto([] {
    std::unordered_map<std::string_view, const Export*> by_name;
    for (const Export& each : kExports) by_name.emplace(each.name, &each);
    return by_name;
  }());
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

hipError_t unsupported(const char* function, const char* reason) {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;
  std::scoped_lock lock(mutex);
  if (said.insert(function).second) {
    if (reason) {
      std::fprintf(stderr, "wavesmith: %s is not supported: %s\n", function, reason);
    } else {
      std::fprintf(stderr, "wavesmith: %s is not supported; it returns hipErrorNotSupported\n", function);
    }
  }
  return hipErrorNotSupported;
}

}  // namespace wavesmith::runtime
