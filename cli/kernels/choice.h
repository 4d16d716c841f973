// Which kernel a matrix product gets on a GPU, and what the others would take.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "study/tune/product.h"

namespace wavesmith::cli {

/// What dispatch says, as `wavesmith kernels gemm --m ... --json` prints it. Errors: those of study::choose
/// and study::tuned_in_force.
Result<nlohmann::ordered_json> choice_json(const study::Product& product, const gpus::Gpu& gpu);

/// Prints the same for people.
void print_choice(const nlohmann::ordered_json& choice, const gpus::Gpu& gpu);

}  // namespace wavesmith::cli
