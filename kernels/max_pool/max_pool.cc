// The C API of max pooling: checks a call and launches it.
#include <array>
#include <string>

#include "kernels/max_pool/max_pool_arguments.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_max_pool_description;
using Gradient = wavesmith_max_pool_gradient_description;
using Operand = wavesmith_pointwise_operand;
using Five = std::array<int64_t, 5>;

constexpr const char *kName = "max_pool", *kGradientName = "max_pool_gradient";

Five sizes_of_x(const Description& one) {
  return {one.sizes[0], one.sizes[1], one.sizes[2], one.channels, one.batches};
}
Five sizes_of_y(const Description& one) {
  return {one.places[0], one.places[1], one.places[2], one.channels, one.batches};
}

bool is_float(Number type) { return type >= WAVESMITH_POINTWISE_F16 && type <= WAVESMITH_POINTWISE_F64; }

/// The numerators of places must have halves.
constexpr int64_t kMostAdaptive = int64_t{1} << 50;

wavesmith_kernels_status check_windows(const char* what, const Description& one, bool random) {
  const auto at_least = [&](const char* name, const int64_t (&given)[3], int64_t least) {
    for (int d = 0; d < 3; ++d)
      if (given[d] < least || given[d] > INT32_MAX / 4)
        return invalid(what,
                       std::string(name) + "[" + std::to_string(d) + "] is " + std::to_string(given[d]));
    return succeed();
  };
  if (const auto status = at_least("sizes", one.sizes, 1)) return status;
  if (const auto status = at_least("places", one.places, 1)) return status;
  if (one.adaptive != 0) {
    if (random) return invalid(what, "adaptive windows are not at samples");
    for (int d = 0; d < 3; ++d)
      if (one.sizes[d] * one.places[d] > kMostAdaptive)
        return not_supported(what, "places by elements are more than 2^50");
    return succeed();
  }
  if (const auto status = at_least("window", one.window, 1)) return status;
  for (int d = 0; d < 3 && random; ++d)
    if (one.window[d] > one.sizes[d])
      return invalid(what, "window[" + std::to_string(d) + "] is larger than the size");
  if (random) return succeed();
  if (const auto status = at_least("stride", one.stride, 1)) return status;
  if (const auto status = at_least("padding", one.padding, 0)) return status;
  if (const auto status = at_least("dilation", one.dilation, 1)) return status;
  for (int d = 0; d < 3; ++d)
    if ((one.places[d] - 1) * one.stride[d] > INT32_MAX / 4 ||
        one.window[d] * one.dilation[d] > INT32_MAX / 4)
      return not_supported(what, "windows reach 2^29 elements or more");
  return succeed();
}

bool has_nothing(const Description& one) { return one.channels == 0 || one.batches == 0; }

/// Without samples.
wavesmith_kernels_status check(const char* what, const Description& one, bool random) {
  if (const auto status = check_windows(what, one, random)) return status;
  if (const auto status = check_shape(what, sizes_of_x(one))) return status;
  if (const auto status = check_shape(what, sizes_of_y(one))) return status;
  if (has_nothing(one)) return succeed();
  if (const auto status = check_type(what, one.x, "x")) return status;
  if (one.x.type > WAVESMITH_POINTWISE_F64)
    return not_supported(what, "x is of " + std::string(word_of(one.x.type)) + ", no real numbers");
  if (const auto status = check_operand(what, one.x, "x", sizes_of_x(one), one.x.type)) return status;
  if (const auto status = check_operand(what, one.y, "y", sizes_of_y(one), one.x.type)) return status;
  return check_operand(what, one.place, "place", sizes_of_y(one), WAVESMITH_POINTWISE_I64);
}

MaxPoolOperand operand_of(const Operand& given) {
  MaxPoolOperand made{.data = given.data, .type = given.type, .steps = {}};
  for (int d = 0; d < kMaxPoolSteps; ++d) made.steps[d] = given.strides[d];
  return made;
}

long least_of(Number type) {
  switch (type) {
    case WAVESMITH_POINTWISE_I8:
      return INT8_MIN;
    case WAVESMITH_POINTWISE_I16:
      return INT16_MIN;
    case WAVESMITH_POINTWISE_I32:
      return INT32_MIN;
    case WAVESMITH_POINTWISE_I64:
      return INT64_MIN;
    default:
      return 0;
  }
}

MaxPoolArguments arguments_of(const Description& one, const Five& threads, bool random) {
  MaxPoolArguments made{};
  made.x = operand_of(one.x), made.y = operand_of(one.y), made.place = operand_of(one.place);
  made.least = least_of(one.x.type);
  for (int d = 0; d < 3; ++d) {
    made.sizes[d] = static_cast<int>(one.sizes[d]), made.places[d] = static_cast<int>(one.places[d]);
    const bool strided = !random && one.adaptive == 0;
    made.window[d] = one.adaptive != 0 ? 1 : static_cast<int>(one.window[d]);
    made.stride[d] = strided ? static_cast<int>(one.stride[d]) : 1;
    made.padding[d] = strided ? static_cast<int>(one.padding[d]) : 0;
    made.dilation[d] = strided ? static_cast<int>(one.dilation[d]) : 1;
    made.apart[d] = one.adaptive != 0 ? 1.0 / static_cast<double>(one.places[d]) : 0;
  }
  made.adaptive = one.adaptive != 0;
  made.elements = 1;
  for (const int64_t size : threads) made.elements *= static_cast<unsigned>(size);
  for (int d = 0; d < 4; ++d)
    made.counts[d] = Division::by(static_cast<unsigned>(threads[static_cast<size_t>(d)]));
  return made;
}

/// Which windows may see an element. At strides that is exact, and of adaptive ones; at samples a window
/// begins less than 1 from w * a, and rounding takes less than another element.
void set_seeing(MaxPoolArguments& g, bool random) {
  for (int d = 0; d < 3; ++d) {
    const double window = g.window[d], room = g.sizes[d] - window;
    if (g.adaptive != 0) {
      g.per_element[d] = static_cast<double>(g.places[d]) / g.sizes[d];
      g.low[d] = 0.5 / g.places[d], g.high[d] = 1 - 0.5 / g.places[d];
    } else if (!random) {
      // The half keeps quotients away from whole numbers, at which they would be rounded either way.
      g.per_element[d] = 1.0 / g.stride[d];
      g.low[d] = g.padding[d] - (window - 1) * g.dilation[d] + g.stride[d] - 0.5;
      g.high[d] = g.padding[d] + 0.5;
    } else if (room > 0) {
      g.per_element[d] = (g.places[d] - 1) / room, g.low[d] = -window - 1, g.high[d] = 2;
    } else {  // all windows see all
      g.per_element[d] = 0x1p40, g.low[d] = -0x1p33, g.high[d] = 1;
    }
  }
}

wavesmith_kernels_status launch_each(const std::string& kernel, const MaxPoolArguments& arguments,
                                     void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const unsigned workgroups = (arguments.elements + kMaxPoolThreads - 1) / kMaxPoolThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kMaxPoolThreads}, &arguments,
                sizeof(arguments), stream);
}

std::string computed_in(Number type) {
  if (!is_float(type)) return "i64";
  return type == WAVESMITH_POINTWISE_F64 ? "f64" : "f32";
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_max_pool(const wavesmith_max_pool_description* pool,
                                                    void* stream) {
  if (!pool) return invalid(kName, "the description is null");
  const bool random = pool->samples.data != nullptr;
  if (const auto status = check(kName, *pool, random)) return status;
  if (has_nothing(*pool)) return succeed();
  MaxPoolArguments arguments = arguments_of(*pool, sizes_of_y(*pool), random);
  if (random) {
    const std::array<int64_t, 3> sizes{pool->places[2] > 1   ? 3
                                       : pool->places[1] > 1 ? 2
                                                             : 1,
                                       pool->channels, pool->batches};
    if (!is_float(pool->x.type)) return not_supported(kName, "windows at samples are of floats");
    if (const auto status = check_operand(kName, pool->samples, "samples", sizes, pool->x.type))
      return status;
    arguments.samples = operand_of(pool->samples);
    for (int d = 0; d < 3; ++d) {
      const auto room = static_cast<double>(pool->sizes[d] - pool->window[d]);
      const auto steps = static_cast<double>(pool->places[d] - 1);
      arguments.apart[d] = steps > 0 ? room / steps : 0;
    }
  }
  return launch_each("max_pool_" + computed_in(pool->x.type), arguments, stream);
}

wavesmith_kernels_status wavesmith_kernels_max_pool_gradient(
    const wavesmith_max_pool_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  const Description& one = gradient->forward;
  const bool random = gradient->random != 0;
  if (const auto status = check(kGradientName, one, random)) return status;
  if (has_nothing(one)) return succeed();
  if (!is_float(one.x.type)) return not_supported(kGradientName, "a gradient is of floats");
  MaxPoolArguments arguments = arguments_of(one, sizes_of_x(one), random);
  set_seeing(arguments, random);
  return launch_each("max_pool_gradient_" + computed_in(one.x.type), arguments, stream);
}
