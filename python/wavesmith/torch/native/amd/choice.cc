#include "amd/choice.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <c10/util/Exception.h>
#include <torch/library.h>

#include "amd/hipblaslt.h"
#include "amd/miopen.h"
#include "amd/rocblas.h"

namespace wavesmith::device::amd {
namespace {

std::atomic<Blas> blas{Blas::kWavesmith};
std::atomic<bool> miopen{false};

struct Calls {
  std::int64_t computed = 0, refused = 0;
};
std::mutex mutex;
std::map<std::pair<std::string, std::string>, Calls>& calls() {  // by library and operator
  static auto* const all = new std::map<std::pair<std::string, std::string>, Calls>;
  return *all;
}

bool quiet() {
  const char* const value = std::getenv("WAVESMITH_QUIET");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// Both return what the library says of itself, and raise PyTorch's error where there is none.
std::string prefer_blas(const std::string& name) {
  std::string which;
  Blas chosen = Blas::kWavesmith;
  if (name == "hipblaslt") {
    chosen = Blas::kHipblaslt;
    which = describe_hipblaslt();
  } else if (name == "rocblas") {
    chosen = Blas::kRocblas;
    which = describe_rocblas();
  } else {
    TORCH_CHECK_VALUE(name == "wavesmith", "'", name, "' is none of wavesmith, hipblaslt and rocblas");
  }
  blas = chosen;
  return which;
}

std::string prefer_convolution(const std::string& name) {
  TORCH_CHECK_VALUE(name == "wavesmith" || name == "miopen", "'", name, "' is neither wavesmith nor miopen");
  const std::string which = name == "miopen" ? describe_miopen() : "";
  miopen = name == "miopen";
  return which;
}

using Counts = std::tuple<std::vector<std::string>, std::vector<std::int64_t>, std::vector<std::int64_t>>;

Counts library_counts() {
  Counts counts;
  const std::lock_guard lock(mutex);
  for (const auto& [key, each] : calls()) {
    std::get<0>(counts).push_back(key.first + ": " + key.second);
    std::get<1>(counts).push_back(each.computed);
    std::get<2>(counts).push_back(each.refused);
  }
  return counts;
}

}  // namespace

Blas preferred_blas() noexcept { return blas.load(std::memory_order_relaxed); }
bool prefers_miopen() noexcept { return miopen.load(std::memory_order_relaxed); }

bool computed(const char* library, const char* what, const std::string& refusal) {
  static auto* const said = new std::set<std::tuple<std::string, std::string, std::string>>;
  const std::lock_guard lock(mutex);
  Calls& each = calls()[{library, what}];
  if (refusal.empty()) {
    ++each.computed;
    return true;
  }
  ++each.refused;
  if (said->emplace(library, what, refusal).second && !quiet()) {
    std::fprintf(stderr, "wavesmith: %s does not compute this %s (%s); Wavesmith's kernels do\n", library,
                 what, refusal.c_str());
  }
  return false;
}

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) {
  m.def("prefer_blas(str name) -> str", &prefer_blas);
  m.def("prefer_convolution(str name) -> str", &prefer_convolution);
  m.def("library_counts() -> (str[], int[], int[])", &library_counts);
}

}  // namespace wavesmith::device::amd
