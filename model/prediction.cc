#include "model/prediction.h"

namespace wavesmith::model {

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::Low:
      return "low";
    case Confidence::Medium:
      return "medium";
    case Confidence::High:
      return "high";
  }
  return "unknown";
}

}  // namespace wavesmith::model
