#include "study/tune/product.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "kernels/library/failure.h"
#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::study {

namespace {

constexpr int64_t kBlock = 128;  ///< of scales, along K

std::optional<wavesmith_kernels_type> type_of(std::string_view word) {
  const auto named = std::ranges::find(kernels::kElementTypes, word, &kernels::ElementType::word);
  if (named == std::end(kernels::kElementTypes)) return std::nullopt;
  return static_cast<wavesmith_kernels_type>(named - std::begin(kernels::kElementTypes));
}

ProductTypes types_of(const Product& product) {
  // Of what is no type the library says that it has no kernels.
  constexpr auto kNone = WAVESMITH_KERNELS_I32;
  return ProductTypes::read(product.dtype).value_or(ProductTypes{kNone, kNone, {}, {}});
}

/// Scales of `lines` rows of A or columns of B, those of a block side by side.
wavesmith_kernels_scales scales_of(wavesmith_kernels_scaling scaling, void* data, int64_t lines, int64_t k) {
  const bool mx = scaling == WAVESMITH_KERNELS_SCALE_MX;
  const int64_t block = mx ? kernels::kMxBlock : kBlock;
  if (scaling == WAVESMITH_KERNELS_SCALE_PER_SQUARE) lines = (lines + kBlock - 1) / kBlock;
  const int64_t together = mx ? (lines + 3) / 4 * 4 : lines;
  return {scaling, data, block, 1, together, (k + block - 1) / block * together};
}

/// So many matrices of scales, which are of four bytes or less.
size_t bytes_of(const wavesmith_kernels_scales& scales, int64_t matrices) {
  if (scales.scaling == WAVESMITH_KERNELS_UNSCALED) return 0;
  const int64_t size = scales.scaling == WAVESMITH_KERNELS_SCALE_MX ? 1 : 4;
  return static_cast<size_t>(size * scales.batch_stride * matrices);
}

}  // namespace

std::optional<ProductTypes> ProductTypes::read(std::string_view word) {
  constexpr auto kNone = WAVESMITH_KERNELS_UNSCALED, kMx = WAVESMITH_KERNELS_SCALE_MX,
                 kPerBlock = WAVESMITH_KERNELS_SCALE_PER_BLOCK;
  if (const auto both = type_of(word)) {
    const auto scaling = *both == WAVESMITH_KERNELS_E2M1X2 ? kMx : kNone;
    return ProductTypes{*both, *both, scaling, scaling};
  }
  ProductTypes types{};
  for (const auto& [ending, scaling_b] :
       {std::pair{std::string_view("b128"), WAVESMITH_KERNELS_SCALE_PER_SQUARE}, {"b1", kPerBlock}}) {
    if (types.scaling_a != kNone || !word.ends_with(ending)) continue;
    types.scaling_a = kPerBlock, types.scaling_b = scaling_b;
    word.remove_suffix(ending.size());
  }
  const size_t cross = std::min(word.find('x'), word.size());
  const auto a = type_of(word.substr(0, cross));
  const auto b = cross == word.size() ? a : type_of(word.substr(cross + 1));
  if (!a || !b) return std::nullopt;
  types.a = *a, types.b = *b;
  if (*b == WAVESMITH_KERNELS_I4X2) types.scaling_b = kPerBlock;
  if (*b == WAVESMITH_KERNELS_E2M1X2) types.scaling_b = kMx;
  return types;
}

wavesmith_kernels_gemm_description description_of(const Product& product, const Addresses& addresses) {
  const ProductTypes types = types_of(product);
  const auto matrix = [](void* data, wavesmith_kernels_type type, int64_t rows, int64_t columns,
                         bool by_rows) {
    return wavesmith_kernels_matrix{data, type, by_rows ? std::max<int64_t>(columns, 1) : 1,
                                    by_rows ? 1 : std::max<int64_t>(rows, 1), rows * columns};
  };
  const bool has_scales = types.scaling_a != WAVESMITH_KERNELS_UNSCALED;
  const int64_t k_a = kernels::elements_of(types.a, product.k),
                k_b = kernels::elements_of(types.b, product.k);
  wavesmith_kernels_gemm_description gemm{
      .m = product.m,
      .n = product.n,
      .k = product.k,
      .batches = product.groups > 0 ? product.groups : product.batch,
      .alpha = 1,
      .a = matrix(addresses[0], types.a, product.m, k_a, product.layout[0] == 't'),
      .b = matrix(addresses[1], types.b, k_b, product.n, product.layout[1] == 't'),
      .d = matrix(addresses[2], has_scales ? WAVESMITH_KERNELS_BF16 : types.a, product.m, product.n, true)};
  if (has_scales) gemm.block_scales_a = scales_of(types.scaling_a, addresses[3], product.m, product.k);
  if (types.scaling_b != WAVESMITH_KERNELS_UNSCALED)
    gemm.block_scales_b = scales_of(types.scaling_b, addresses[4], product.n, product.k);
  if (types.b == WAVESMITH_KERNELS_I4X2) gemm.block_scales_type = types.a;
  if (product.groups > 0) gemm.group_offsets = static_cast<const int32_t*>(addresses[5]);
  return gemm;
}

std::vector<int32_t> offsets_of(const Product& product) {
  std::vector<int32_t> offsets;
  for (int64_t i = 0; product.groups > 0 && i <= product.groups; ++i)
    offsets.push_back(static_cast<int32_t>(i * product.m / product.groups));
  return offsets;
}

std::array<size_t, 6> sizes_of(const Product& product) {
  const auto gemm = description_of(product, {});
  const auto bytes = [](const wavesmith_kernels_matrix& matrix, int64_t matrices) {
    return static_cast<size_t>(matrix.batch_stride * matrices * kernels::size_of(matrix.type));
  };
  const int64_t of_rows = product.groups > 0 ? 1 : product.batch;
  return {bytes(gemm.a, of_rows),
          bytes(gemm.b, gemm.batches),
          bytes(gemm.d, of_rows),
          bytes_of(gemm.block_scales_a, of_rows),
          bytes_of(gemm.block_scales_b, gemm.batches),
          offsets_of(product).size() * sizeof(int32_t)};
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
