#include "model/judged.h"

namespace wavesmith::model {

double judged_error(std::string_view model, const gpus::Gpu& gpu) {
  for (const Judged& judged : judged_table())
    if (judged.model == model && judged.architecture == gpu.architecture) return judged.median;
  return 0;
}

}  // namespace wavesmith::model
