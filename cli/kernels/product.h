// Which kernel a matrix product gets on a GPU, and what the others would take.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::cli {

/// A product, as the options name it.
struct Product {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string dtype = "bf16";
  std::string layout = "tn";  ///< BLAS letters of A and B: t has K contiguous in A
  std::string tile;           ///< of that name; empty: as dispatch chooses
};

/// What dispatch says, as `wavesmith kernels gemm --m ... --json` prints it. Errors: BadInput and Unsupported
/// with the library's message.
Result<nlohmann::ordered_json> choice_json(const Product& product, const gpus::Gpu& gpu);

/// Prints the same for people.
void print_choice(const nlohmann::ordered_json& choice, const gpus::Gpu& gpu);

}  // namespace wavesmith::cli
