// Several global loads side by side where one wider one would do.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  check_narrow_loads(subject, {isa::Space::Global, isa::Space::Buffer}, "global loads", "x4 (dwordx4, b128)",
                     findings);
}

}  // namespace

extern const Rule narrow_global_loads{"narrow-global-loads", "global loads that could be wider", check};

}  // namespace wavesmith::analysis::rule
