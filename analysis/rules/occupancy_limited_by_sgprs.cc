// Fewer waves than there is room for, because of SGPRs.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {

extern const Rule occupancy_limited_by_sgprs{"occupancy-limited-by-sgprs",
                                             "waves that do not fit because of SGPRs",
                                             [](const Subject& subject, std::vector<Finding>& findings) {
                                               check_occupancy(subject, gpus::Limiter::Sgprs, findings);
                                             }};

}  // namespace wavesmith::analysis::rule
