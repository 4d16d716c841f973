// A matrix product as people name it, and which kernel of the library it gets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "kernels/gemm/choice/choice.h"

namespace wavesmith::study {

/// D = A * B, with D by rows and of A's type, or bf16 where A has scales of blocks.
struct Product {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t groups = 0;  ///< of the rows, with a B each; 0: none, and the rows have one B
  /// Types of A and B as the names of kernels have them (ProductTypes).
  std::string dtype = "bf16";
  std::string layout = "tn";  ///< BLAS letters of A and B: t has K contiguous in A
  std::string tile;           ///< of that name; empty: as dispatch chooses
};

/// "bf16": both; "e4m3xe5m2": A's and B's; "bf16xi4x2": weights of 4 bits, with a scale for each 128 along K;
/// "bf16xe2m1x2": those of MXFP4, with one for each 32.
/// Behind floats of 8 bits their scales of blocks of 128: "e4m3b1" A's and B's per block, "e4m3b128" B's per
/// square.
struct ProductTypes {
  wavesmith_kernels_type a, b;
  wavesmith_kernels_scaling scaling_a, scaling_b;  ///< of blocks

  static std::optional<ProductTypes> read(std::string_view word);
};

/// What lies where: A, B, D, the scales of A and B of types that have them, and where groups begin.
using Addresses = std::array<void*, 6>;

/// For the kernel library, without a workspace.
wavesmith_kernels_gemm_description description_of(const Product& product, const Addresses& addresses);

/// The rows at which groups begin, and where the last one ends: all of them of one size, or as near as can
/// be.
std::vector<int32_t> offsets_of(const Product& product);

/// Bytes of each of these.
std::array<size_t, 6> sizes_of(const Product& product);

/// What dispatch does with it on a GPU, its matrices somewhere in aligned memory, with all the workspace that
/// it wants. `tuned`: the table in force, or null. Errors: BadInput and Unsupported with the library's
/// message.
Result<kernels::GemmChoice> choose(const Product& product, const gpus::Gpu& gpu,
                                   const kernels::TunedGemms* tuned);

/// The table of tuned tiles in force: that which the kernel library reads beside its code objects, or where
/// WAVESMITH_KERNELS_TUNED says. Errors: BadInput with the library's message; NotFound: there is no library.
Result<const kernels::TunedGemms*> tuned_in_force();

/// The folder of the kernel library's code objects. Error: NotFound.
Result<std::string> kernels_folder();

/// A failure of the kernel library.
Error error_of(wavesmith_kernels_status status, const char* message);

}  // namespace wavesmith::study
