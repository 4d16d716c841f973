#include "model/judged.h"

namespace wavesmith::model {

const Judged* find_judged(std::string_view model, const gpus::Gpu& gpu) {
  for (const Judged& judged : judged_table())
    if (judged.model == model && judged.architecture == gpu.architecture) return &judged;
  return nullptr;
}

}  // namespace wavesmith::model
