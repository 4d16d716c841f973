// Fewer waves than there is room for, because of LDS.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {

extern const Rule occupancy_limited_by_lds{"occupancy-limited-by-lds", "waves that do not fit because of LDS",
                                           [](const Subject& subject, std::vector<Finding>& findings) {
                                             check_occupancy(subject, gpus::Limiter::Lds, findings);
                                           }};

}  // namespace wavesmith::analysis::rule
