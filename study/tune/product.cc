#include "study/tune/product.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "kernels/library/failure.h"
#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::study {

namespace {

wavesmith_kernels_type type_of(const Product& product) {
  const auto named = std::ranges::find(kernels::kElementTypes, product.dtype, &kernels::ElementType::word);
  return static_cast<wavesmith_kernels_type>(named - std::begin(kernels::kElementTypes));
}
bool has_scales(const Product& product) { return type_of(product) == WAVESMITH_KERNELS_E2M1X2; }
/// Scales of a block, of all rows.
int64_t together(int64_t rows) { return (rows + 3) / 4 * 4; }

}  // namespace

wavesmith_kernels_gemm_description description_of(const Product& product, const Addresses& addresses) {
  const auto type = type_of(product);
  const auto matrix = [&](void* data, int64_t rows, int64_t columns, bool by_rows) {
    return wavesmith_kernels_matrix{data, type, by_rows ? std::max<int64_t>(columns, 1) : 1,
                                    by_rows ? 1 : std::max<int64_t>(rows, 1), rows * columns};
  };
  const int64_t k = kernels::elements_of(type, product.k);
  wavesmith_kernels_gemm_description gemm{.m = product.m,
                                          .n = product.n,
                                          .k = product.k,
                                          .batches = product.batch,
                                          .alpha = 1,
                                          .a = matrix(addresses[0], product.m, k, product.layout[0] == 't'),
                                          .b = matrix(addresses[1], k, product.n, product.layout[1] == 't'),
                                          .d = matrix(addresses[2], product.m, product.n, true)};
  if (has_scales(product)) {
    constexpr auto kMx = WAVESMITH_KERNELS_SCALE_MX;
    gemm.d.type = WAVESMITH_KERNELS_BF16;
    gemm.block_scales_a = {kMx, addresses[3], 0, 1, together(product.m)};
    gemm.block_scales_b = {kMx, addresses[4], 0, 1, together(product.n)};
  }
  return gemm;
}

std::array<size_t, 5> sizes_of(const Product& product) {
  const auto gemm = description_of(product, {});
  const auto bytes = [&](int64_t rows, int64_t columns, wavesmith_kernels_type type) {
    return static_cast<size_t>(rows * columns * product.batch * kernels::size_of(type));
  };
  const int64_t k = kernels::elements_of(gemm.a.type, product.k);
  const int64_t blocks = has_scales(product) ? product.k / kernels::kMxBlock : 0;
  return {bytes(product.m, k, gemm.a.type), bytes(k, product.n, gemm.b.type),
          bytes(product.m, product.n, gemm.d.type), static_cast<size_t>(blocks * together(product.m)),
          static_cast<size_t>(blocks * together(product.n))};
}

Result<kernels::GemmChoice> choose(const Product& product, const gpus::Gpu& gpu,
                                   const kernels::TunedGemms* tuned) {
  // Dispatch looks at addresses, at no memory.
  Addresses addresses{};
  constexpr int kApart = 58;  // bits: none reaches the next
  for (uintptr_t i = 0; i < addresses.size(); ++i) addresses[i] = reinterpret_cast<void*>((i + 1) << kApart);
  wavesmith_kernels_gemm_description gemm = description_of(product, addresses);
  gemm.workspace = reinterpret_cast<void*>((addresses.size() + 1) << kApart);
  gemm.workspace_bytes = size_t{1} << (kApart - 1);
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
