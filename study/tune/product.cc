#include "study/tune/product.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "kernels/library/failure.h"
#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::study {

wavesmith_kernels_gemm_description description_of(const Product& product,
                                                  const std::array<void*, 3>& matrices) {
  const auto named = std::ranges::find(kernels::kElementTypes, product.dtype, &kernels::ElementType::word);
  const auto type = static_cast<wavesmith_kernels_type>(named - std::begin(kernels::kElementTypes));
  const auto matrix = [&](void* data, int64_t rows, int64_t columns, bool by_rows) {
    return wavesmith_kernels_matrix{data, type, by_rows ? std::max<int64_t>(columns, 1) : 1,
                                    by_rows ? 1 : std::max<int64_t>(rows, 1), rows * columns};
  };
  return {.m = product.m,
          .n = product.n,
          .k = product.k,
          .batches = product.batch,
          .alpha = 1,
          .a = matrix(matrices[0], product.m, product.k, product.layout[0] == 't'),
          .b = matrix(matrices[1], product.k, product.n, product.layout[1] == 't'),
          .d = matrix(matrices[2], product.m, product.n, true)};
}

Result<kernels::GemmChoice> choose(const Product& product, const gpus::Gpu& gpu,
                                   const kernels::TunedGemms* tuned) {
  // Dispatch looks at addresses, at no memory.
  std::array<void*, 3> matrices{};
  constexpr int kApart = 58;  // bits: none of three reaches the next
  for (uintptr_t i = 0; i < matrices.size(); ++i) matrices[i] = reinterpret_cast<void*>((i + 1) << kApart);
  const wavesmith_kernels_gemm_description gemm = description_of(product, matrices);
  if (const auto status = kernels::check_gemm(gemm))
    return tl::unexpected(error_of(status, kernels::message()));
  kernels::GemmChoice choice;
  if (const auto status =
          kernels::choose_gemm(gemm, gpu.target, static_cast<int>(gpu.multiprocessors()),
                               product.tile.empty() ? nullptr : product.tile.c_str(), choice, tuned))
    return tl::unexpected(error_of(status, kernels::message()));
  return choice;
}

Result<std::string> kernels_folder() {
  // Where the library itself looks (kernels/library/device.cc): beside it, or where the variable says.
  if (const char* const named = std::getenv("WAVESMITH_KERNELS_FOLDER")) return std::string(named);
  const Result<std::string> libraries = library_folder(toolchain::discover());
  if (!libraries) return tl::unexpected(libraries.error());
  return *libraries + "/kernels";
}

Result<const kernels::TunedGemms*> tuned_in_force() {
  const Result<std::string> folder = kernels_folder();
  if (!folder) return tl::unexpected(folder.error());
  const kernels::TunedGemms* table = nullptr;
  if (const auto status = kernels::tuned_gemms(*folder, table))
    return tl::unexpected(error_of(status, kernels::message()));
  return table;
}

Error error_of(wavesmith_kernels_status status, const char* message) {
  switch (status) {
    case WAVESMITH_KERNELS_INVALID_ARGUMENT:
    case WAVESMITH_KERNELS_INVALID_TABLE:
      return {ErrorKind::BadInput, message};
    case WAVESMITH_KERNELS_NOT_SUPPORTED:
      return {ErrorKind::Unsupported, message};
    case WAVESMITH_KERNELS_NO_CODE:
      return {ErrorKind::NotFound, message};
    default:
      return {ErrorKind::Internal, message};
  }
}

}  // namespace wavesmith::study
