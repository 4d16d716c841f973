// The C API of bins: checks a call and launches it.
#include <algorithm>
#include <string>

#include "kernels/bins/arguments.h"
#include "kernels/library/device.h"
#include "kernels/pointwise/number_types.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_bins_description;

constexpr const char* kName = "bins";

wavesmith_kernels_status check_bins(const Description& one) {
  if (!is_number(one.type)) return invalid(kName, "type is " + std::to_string(one.type) + ", no type");
  if (one.type != WAVESMITH_POINTWISE_F32 && one.type != WAVESMITH_POINTWISE_F64)
    return not_supported(kName, "type is " + std::string(word_of(one.type)) + ", neither f32 nor f64");
  if (one.coordinates < 1 || one.coordinates > WAVESMITH_BINS_COORDINATES)
    return invalid(kName, "coordinates is " + std::to_string(one.coordinates) + ", not 1 to 16");
  for (int c = 0; c < one.coordinates; ++c) {
    const std::string at = "[" + std::to_string(c) + "]";
    if (one.bins[c] < 1) return invalid(kName, "bins" + at + " is " + std::to_string(one.bins[c]));
    if (one.bins[c] > INT32_MAX - kBinsThreads)
      return not_supported(kName, "bins" + at + " is 2^31 - 256 or more");
    if (!one.edges[c]) return invalid(kName, "edges" + at + " is null");
    if (const auto status = check_aligned(kName, "edges" + at, one.edges[c], size_of(one.type)))
      return status;
  }
  return succeed();
}

wavesmith_kernels_status check_points(const Description& one) {
  if (one.points < 0) return invalid(kName, "points is negative");
  if (one.points > INT32_MAX) return not_supported(kName, "there are 2^31 points or more");
  if (one.points == 0) return succeed();
  if (!one.x) return invalid(kName, "x is null");
  if (!one.sums) return invalid(kName, "sums is null");
  for (const auto& [name, data] :
       {std::pair("x", one.x), {"weights", one.weights}, {"sums", static_cast<const void*>(one.sums)}})
    if (const auto status = check_aligned(kName, name, data, size_of(one.type))) return status;
  return succeed();
}

std::string kernel(const char* what, const Description& one) { return what + std::string(word_of(one.type)); }

constexpr unsigned workgroups(int64_t threads) {
  return static_cast<unsigned>((threads + kBinsThreads - 1) / kBinsThreads);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_bin_edges(const wavesmith_bins_description* bins, void* stream) {
  if (!bins) return invalid(kName, "the description is null");
  const Description& one = *bins;
  if (const auto status = check_bins(one)) return status;
  BinEdgesArguments made{};
  int most = 0;
  for (int c = 0; c < one.coordinates; ++c) {
    made.edges[c] = one.edges[c], made.bins[c] = one.bins[c];
    made.low[c] = one.low[c], made.high[c] = one.high[c];
    made.width[c] = (one.high[c] - one.low[c]) / one.bins[c];
    most = std::max(most, one.bins[c]);
  }
  const unsigned groups = workgroups(static_cast<int64_t>(most) + 1);
  made.groups = static_cast<int>(groups);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch(*device, kernel("bin_edges_", one).c_str(),
                {.x = groups * static_cast<unsigned>(one.coordinates), .y = 1, .threads = kBinsThreads},
                &made, sizeof(made), stream);
}

wavesmith_kernels_status wavesmith_kernels_bins(const wavesmith_bins_description* bins, void* stream) {
  if (!bins) return invalid(kName, "the description is null");
  const Description& one = *bins;
  if (const auto status = check_bins(one)) return status;
  if (const auto status = check_points(one)) return status;
  if (one.points == 0) return succeed();
  BinsArguments made{.x = one.x,
                     .weights = one.weights,
                     .sums = one.sums,
                     .point_step = one.point_stride,
                     .coordinate_step = one.coordinate_stride,
                     .weight_step = one.weight_stride,
                     .edges = {},
                     .bins = {},
                     .coordinates = one.coordinates,
                     .points = static_cast<unsigned>(one.points)};
  std::copy_n(one.edges, one.coordinates, made.edges);
  std::copy_n(one.bins, one.coordinates, made.bins);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch(*device, kernel("bins_", one).c_str(),
                {.x = workgroups(one.points), .y = 1, .threads = kBinsThreads}, &made, sizeof(made), stream);
}
