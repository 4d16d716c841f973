// A matrix product as people name it, and which kernel of the library it gets.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "gpus/gpu.h"
#include "kernels/gemm/choice/choice.h"

namespace wavesmith::study {

/// D = A * B, with D by rows and of the type of A and B, of numbers of 4 bits of bf16.
struct Product {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  std::string dtype = "bf16";
  std::string layout = "tn";  ///< BLAS letters of A and B: t has K contiguous in A
  std::string tile;           ///< of that name; empty: as dispatch chooses
};

/// What lies where: A, B, D, and the scales of A and B of types that have them.
using Addresses = std::array<void*, 5>;

/// For the kernel library, without a workspace.
wavesmith_kernels_gemm_description description_of(const Product& product, const Addresses& addresses);

/// Bytes of each of these.
std::array<size_t, 5> sizes_of(const Product& product);

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
