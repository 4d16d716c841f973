// The C API of elements that are not 0: checks a call and launches it.
#include <string>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/sort/nonzero_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_nonzero_description;

constexpr const char* kName = "nonzero";

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (const auto status = check_shape(kName, sizes_of(one))) return status;
  if (!one.count) return invalid(kName, "count is null");
  if (one.most < 0) return invalid(kName, "most is negative");
  if (one.places.data && one.places.type != WAVESMITH_POINTWISE_I64)
    return not_supported(kName, "places are of type " + std::to_string(one.places.type) + ", not i64");
  if (is_empty(sizes_of(one))) return succeed();
  if (!one.x.data) return invalid(kName, "x.data is null");
  if (const auto status = check_type(kName, one.x, "x")) return status;
  return check_span(kName, one.x, "x", sizes_of(one));
}

/// The bits that make an element not 0.
unsigned long bits_of(Number type) {
  switch (type) {
    case WAVESMITH_POINTWISE_F16:
    case WAVESMITH_POINTWISE_BF16:
      return 0x7fff;
    case WAVESMITH_POINTWISE_F32:
      return 0x7fffffff;
    case WAVESMITH_POINTWISE_C64:
      return 0x7fffffff7fffffff;
    case WAVESMITH_POINTWISE_F64:
    case WAVESMITH_POINTWISE_C128:
      return 0x7fffffffffffffff;
    default:
      return ~0UL;
  }
}

NonzeroArguments arguments_of(const Description& one) {
  NonzeroArguments made{};
  made.x = one.x.data, made.bytes = static_cast<int>(size_of(one.x.type)), made.bits = bits_of(one.x.type);
  made.elements = 1;
  int64_t last = 0;
  for (int d = 0; d < one.dimensions; ++d) {
    const int64_t size = one.sizes[d];
    if (!one.is_flat)
      made.coordinates[made.coordinate_dimensions++] = Division::by(static_cast<unsigned>(size));
    made.elements *= static_cast<unsigned>(size);
    int& count = made.dimensions;
    if (count > 0 && made.steps[count - 1] * last == one.x.strides[d]) {
      last *= size;
      made.sizes[count - 1] = Division::by(static_cast<unsigned>(last));
    } else if (size > 1) {
      made.steps[count] = static_cast<int>(one.x.strides[d]);
      made.sizes[count++] = Division::by(static_cast<unsigned>(size));
      last = size;
    }
  }
  if (one.is_flat) made.coordinates[made.coordinate_dimensions++] = Division::by(made.elements);
  made.chunks = (made.elements + kNonzeroChunk - 1) / kNonzeroChunk;
  made.places = one.places.data;
  made.place_strides[0] = one.places.strides[0], made.place_strides[1] = one.places.strides[1];
  made.most = one.most;
  made.counts = static_cast<unsigned*>(one.workspace);
  made.count = one.count;
  return made;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_nonzero_workspace(const wavesmith_nonzero_description* nonzero) {
  if (!nonzero || check(*nonzero) != WAVESMITH_KERNELS_SUCCESS || is_empty(sizes_of(*nonzero))) return 0;
  return arguments_of(*nonzero).chunks * sizeof(unsigned);
}

wavesmith_kernels_status wavesmith_kernels_nonzero(const wavesmith_nonzero_description* nonzero,
                                                   void* stream) {
  if (!nonzero) return invalid(kName, "the description is null");
  const Description& one = *nonzero;
  if (const auto status = check(one)) return status;
  NonzeroArguments made{};
  if (is_empty(sizes_of(one)))
    made.count = one.count;
  else
    made = arguments_of(one);
  if (const auto status =
          check_workspace(kName, one.workspace, one.workspace_bytes, made.chunks * sizeof(unsigned)))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const auto run = [&](const char* kernel, unsigned workgroups, unsigned threads) {
    return launch(*device, kernel, {.x = workgroups, .y = 1, .threads = threads}, &made, sizeof(made),
                  stream);
  };
  if (!one.has_counted) {
    if (made.chunks > 0)
      if (const auto status = run("nonzero_count", made.chunks, kNonzeroThreads)) return status;
    if (const auto status = run("nonzero_place", 1, kNonzeroPlaceThreads)) return status;
  }
  if (!one.places.data || made.chunks == 0) return succeed();
  return run("nonzero_write", made.chunks, kNonzeroThreads);
}
