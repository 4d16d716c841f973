// Fewer waves than there is room for, because of the workgroup's size.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {

extern const Rule occupancy_limited_by_workgroup{
    "occupancy-limited-by-workgroup", "waves that do not fit because of the workgroup's size",
    [](const Subject& subject, std::vector<Finding>& findings) {
      check_occupancy(subject, gpus::Limiter::Workgroups, findings);
    }};

}  // namespace wavesmith::analysis::rule
