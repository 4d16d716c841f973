// What the kernel library has for a target: the kernels of its code object, with what they need of a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "gpus/occupancy.h"
#include "kernels/gemm/configuration.h"
#include "object/kernel.h"

namespace wavesmith::cli {

struct LibraryKernel {
  object::Kernel kernel;
  uint64_t code_bytes = 0;
  gpus::Occupancy occupancy;  ///< on the GPU that was asked about

  /// "gemm": what a kernel's name begins with.
  [[nodiscard]] std::string_view operation() const {
    return std::string_view(kernel.name).substr(0, kernel.name.find('_'));
  }
  /// Whether it serves some types alone; operations on rows learn theirs when they run.
  [[nodiscard]] bool is_of_types() const {
    return operation() == "gemm" || operation() == "attention" || operation() == "decode" ||
           operation() == "mla" || operation() == "allreduce";
  }
  /// "bf16" of "gemm_bf16_128x128x32_kn_elements" and of "attention_backward_bf16_128_queries".
  [[nodiscard]] std::string_view types() const {
    constexpr std::string_view kBackward = "backward_";
    std::string_view rest = std::string_view(kernel.name).substr(kernel.name.find('_') + 1);
    if (rest.starts_with(kBackward)) rest.remove_prefix(kBackward.size());
    return rest.substr(0, rest.find('_'));
  }
};

struct Library {
  const gpus::Gpu* gpu = nullptr;
  std::string file;    ///< the code object
  uint64_t bytes = 0;  ///< of the file
  std::vector<LibraryKernel> kernels;
};

/// The GPUs that have a code object, one of each target, in the order of `wavesmith gpus`.
std::vector<const gpus::Gpu*> gpus_with_kernels();

/// The library as it serves a GPU. Errors: NotFound where there is no code object for it.
Result<Library> read_library(const gpus::Gpu& gpu);

/// The kernels of a tile's row, all types, layouts and ways of reading.
std::vector<const LibraryKernel*> kernels_of(const Library& library, const kernels::GemmConfiguration& tile);

}  // namespace wavesmith::cli
