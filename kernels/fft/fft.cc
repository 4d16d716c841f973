// The C API of Fourier transforms: checks one, and launches what its plan has.
#include <string>

#include "kernels/fft/plan.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_fft_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "fft";
constexpr int64_t kLongest = int64_t{1} << 24;

std::vector<int64_t> sizes_of(const Description& one, bool is_half) {
  std::vector<int64_t> sizes(one.sizes, one.sizes + one.dimensions);
  if (is_half) sizes[static_cast<size_t>(one.along)] = sizes[static_cast<size_t>(one.along)] / 2 + 1;
  return sizes;
}

wavesmith_kernels_status check_operand(const Description& one, const Operand& operand,
                                       const std::string& name, bool is_real, bool is_half) {
  if (!operand.data) return invalid(kName, name + ".data is null");
  if (const auto status = check_type(kName, operand, name)) return status;
  const Number narrow = is_real ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_C64;
  const Number wide = is_real ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_C128;
  if (operand.type != narrow && operand.type != wide)
    return not_supported(kName, name + " is of " + std::string(word_of(operand.type)) + ", neither " +
                                    std::string(word_of(narrow)) + " nor " + std::string(word_of(wide)));
  return check_span(kName, operand, name, sizes_of(one, is_half));
}

bool is_narrow(const Operand& operand) {
  return operand.type == WAVESMITH_POINTWISE_F32 || operand.type == WAVESMITH_POINTWISE_C64;
}

wavesmith_kernels_status check(const Description& one) {
  if (one.kind < WAVESMITH_FFT_COMPLEX || one.kind > WAVESMITH_FFT_TO_REAL)
    return invalid(kName, "kind is " + std::to_string(one.kind) + ", no kind");
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (one.along < 0 || one.along >= one.dimensions)
    return invalid(kName, "along is " + std::to_string(one.along) + ", no dimension");
  const auto sizes = sizes_of(one, false);
  if (const auto status = check_shape(kName, sizes)) return status;
  const int64_t length = one.sizes[one.along];
  if (length == 0) return invalid(kName, "the length is 0");
  if (is_empty(sizes)) return succeed();
  const bool from_real = one.kind == WAVESMITH_FFT_FROM_REAL, to_real = one.kind == WAVESMITH_FFT_TO_REAL;
  const bool x_is_real = one.kind == WAVESMITH_FFT_COMPLEX ? one.x.type < WAVESMITH_POINTWISE_C64 : from_real;
  if (const auto status = check_operand(one, one.x, "x", x_is_real, to_real)) return status;
  if (const auto status = check_operand(one, one.y, "y", to_real, from_real)) return status;
  if (is_narrow(one.x) != is_narrow(one.y))
    return invalid(kName, "x is of " + std::string(word_of(one.x.type)) + ", and y of " +
                              std::string(word_of(one.y.type)));
  if (length > kLongest || !FftPlan(one, nullptr).is_served())
    return not_supported(kName, "a length of " + std::to_string(length) + " is too long");
  return succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_fft_workspace(const wavesmith_fft_description* fft) {
  if (!fft || check(*fft) != WAVESMITH_KERNELS_SUCCESS || is_empty(sizes_of(*fft, false))) return 0;
  return FftPlan(*fft, nullptr).workspace_bytes();
}

wavesmith_kernels_status wavesmith_kernels_fft(const wavesmith_fft_description* fft, void* stream) {
  if (!fft) return invalid(kName, "the description is null");
  if (const auto status = check(*fft)) return status;
  if (is_empty(sizes_of(*fft, false))) return succeed();
  const FftPlan plan(*fft, fft->workspace);
  if (const auto status =
          check_workspace(kName, fft->workspace, fft->workspace_bytes, plan.workspace_bytes()))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  if (plan.table_count() > 0) {
    const Grid grid{.x = (plan.longest_table() + kFftTableThreads - 1) / kFftTableThreads,
                    .y = static_cast<unsigned>(plan.table_count()),
                    .threads = kFftTableThreads};
    if (const auto status =
            launch(*device, "fft_tables", grid, &plan.tables(), sizeof(plan.tables()), stream))
      return status;
  }
  const char* const kernel = is_narrow(fft->x) ? "fft_f32" : "fft_f64";
  for (const FftLaunch& one : plan.launches())
    if (const auto status = launch(*device, kernel, one.grid, &one.arguments, sizeof(one.arguments), stream))
      return status;
  return succeed();
}
