// Several LDS reads side by side where one wider one would do.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {
namespace {

void check(const Subject& subject, std::vector<Finding>& findings) {
  check_narrow_loads(subject, {isa::Space::Lds}, "LDS reads", "ds_read_b128 (ds_load_b128)", findings);
}

}  // namespace

extern const Rule narrow_lds_reads{"narrow-lds-reads", "LDS reads that could be wider", check};

}  // namespace wavesmith::analysis::rule
