// Fewer waves than there is room for, because of VGPRs.
#include "analysis/rules_common.h"

namespace wavesmith::analysis::rule {

extern const Rule occupancy_limited_by_vgprs{"occupancy-limited-by-vgprs",
                                             "waves that do not fit because of VGPRs",
                                             [](const Subject& subject, std::vector<Finding>& findings) {
                                               check_occupancy(subject, gpus::Limiter::Vgprs, findings);
                                             }};

}  // namespace wavesmith::analysis::rule
