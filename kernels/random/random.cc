// The C API of random numbers: checks a call, counts what it uses, and launches it.
#include <cmath>
#include <string>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/random/random_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_random_description;
using Operand = wavesmith_pointwise_operand;
using Source = wavesmith_random_source;

constexpr const char* kName = "random";

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}
int64_t count_of(const Description& one) {
  int64_t count = 1;
  for (const int64_t size : sizes_of(one)) count *= size;
  return count;
}

bool is_float(Number type) { return type >= WAVESMITH_POINTWISE_F16 && type <= WAVESMITH_POINTWISE_F64; }
bool has_input(const Description& one) {
  return one.operation == WAVESMITH_RANDOM_RRELU || one.operation == WAVESMITH_RANDOM_CHANCES ||
         one.operation == WAVESMITH_RANDOM_DROPOUT;
}
bool tells_drawn(const Description& one) {
  return one.operation == WAVESMITH_RANDOM_RRELU || one.operation == WAVESMITH_RANDOM_DROPOUT;
}
bool makes_any_type(const Description& one) {
  return one.operation >= WAVESMITH_RANDOM_GEOMETRIC && one.operation <= WAVESMITH_RANDOM_INTEGERS;
}

wavesmith_kernels_status check_source(const char* name, const Source& source) {
  if (source.offset % 4 != 0)
    return invalid(name, "source.offset is " + std::to_string(source.offset) + ", no multiple of 4");
  return check_aligned(name, "source.state", source.state, sizeof(uint64_t));
}

wavesmith_kernels_status check_types(const Description& one) {
  const auto wrong = [&](const char* name, Number type, const char* rule) {
    return not_supported(kName, std::string(name) + " is of " + std::string(word_of(type)) + ", " + rule);
  };
  if (one.y.type >= WAVESMITH_POINTWISE_C64) return wrong("y", one.y.type, "no real type");
  if (!makes_any_type(one) && !is_float(one.y.type)) return wrong("y", one.y.type, "no type of floats");
  if (one.operation == WAVESMITH_RANDOM_CHANCES && !is_float(one.x.type))
    return wrong("x", one.x.type, "no type of floats");
  if (tells_drawn(one) && one.x.type != one.y.type) return wrong("x", one.x.type, "not of y's type");
  if (one.operation == WAVESMITH_RANDOM_RRELU && one.drawn.type != one.y.type)
    return wrong("drawn", one.drawn.type, "not of y's type");
  if (one.operation == WAVESMITH_RANDOM_DROPOUT && one.drawn.type > WAVESMITH_POINTWISE_U8)
    return wrong("drawn", one.drawn.type, "neither bool nor u8");
  return succeed();
}

wavesmith_kernels_status check_numbers(const Description& one) {
  const auto wrong = [](const std::string& name, double value, const char* rule) {
    return invalid(kName, name + " is " + std::to_string(value) + ", " + rule);
  };
  switch (one.operation) {
    case WAVESMITH_RANDOM_UNIFORM:
    case WAVESMITH_RANDOM_RRELU:
      return one.p <= one.q ? succeed() : wrong("p", one.p, "more than q");
    case WAVESMITH_RANDOM_NORMAL:
    case WAVESMITH_RANDOM_LOG_NORMAL:
      return one.q >= 0 ? succeed() : wrong("q", one.q, "negative");
    case WAVESMITH_RANDOM_EXPONENTIAL:
      return one.p > 0 ? succeed() : wrong("p", one.p, "not positive");
    case WAVESMITH_RANDOM_CAUCHY:
      return one.q > 0 ? succeed() : wrong("q", one.q, "not positive");
    case WAVESMITH_RANDOM_GEOMETRIC:
      return one.p > 0 && one.p < 1 ? succeed() : wrong("p", one.p, "not between 0 and 1");
    case WAVESMITH_RANDOM_BERNOULLI:
      return one.p >= 0 && one.p <= 1 ? succeed() : wrong("p", one.p, "not in [0, 1]");
    case WAVESMITH_RANDOM_DROPOUT:
      return one.p > 0 && one.p <= 1 ? succeed() : wrong("p", one.p, "not in (0, 1]");
    default:
      return succeed();
  }
}

wavesmith_kernels_status check_integers(const Description& one) {
  if (one.operation == WAVESMITH_RANDOM_INTEGERS && one.bits != 32 && one.bits != 64)
    return invalid(kName, "bits is " + std::to_string(one.bits) + ", neither 32 nor 64");
  if (one.operation == WAVESMITH_RANDOM_INTEGERS && one.bits == 32 && one.range > UINT32_MAX)
    return invalid(kName, "range is " + std::to_string(one.range) + ", more than 32 bits");
  if (one.operation == WAVESMITH_RANDOM_DROPOUT && one.at_once != 1 && one.at_once != 2 && one.at_once != 4)
    return invalid(kName, "at_once is " + std::to_string(one.at_once) + ", not 1, 2 or 4");
  if (one.operation == WAVESMITH_RANDOM_DROPOUT && count_of(one) % one.at_once != 0)
    return invalid(kName, "at_once is " + std::to_string(one.at_once) + ", of which " +
                              std::to_string(count_of(one)) + " elements are no multiple");
  return succeed();
}

wavesmith_kernels_status check(const Description& one) {
  if (one.operation < WAVESMITH_RANDOM_UNIFORM || one.operation > WAVESMITH_RANDOM_DROPOUT)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (const auto status = check_shape(kName, sizes_of(one))) return status;
  if (const auto status = check_source(kName, one.source)) return status;
  if (const auto status = check_numbers(one)) return status;
  if (const auto status = check_integers(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  if (const auto status = check_operand(kName, one.y, "y", sizes_of(one))) return status;
  if (has_input(one))
    if (const auto status = check_operand(kName, one.x, "x", sizes_of(one))) return status;
  if (tells_drawn(one))
    if (const auto status = check_operand(kName, one.drawn, "drawn", sizes_of(one))) return status;
  return check_types(one);
}

bool is_double(const Description& one) { return one.y.type == WAVESMITH_POINTWISE_F64; }

/// Elements that a block of four words is for.
int64_t elements_of_block(const Description& one) {
  if (one.operation == WAVESMITH_RANDOM_INTEGERS) return one.bits == 64 ? 2 : 4;
  if (one.operation == WAVESMITH_RANDOM_CHANCES || one.operation == WAVESMITH_RANDOM_DROPOUT) return 4;
  return is_double(one) ? 2 : 4;
}

int64_t divided_up(int64_t count, int64_t to) { return (count + to - 1) / to; }

/// As PyTorch launches the operations: see README.md.
int64_t workgroups_of(const Description& one, const Device& device) {
  const int64_t count = count_of(one);
  if (one.operation == WAVESMITH_RANDOM_CHANCES) return divided_up(count, 4 * kRandomThreads);
  const int64_t most = int64_t{device.compute_units} * (device.threads_per_unit / kRandomThreads);
  return std::min(most, divided_up(count, kRandomThreads));
}
uint64_t used_by(const Description& one, int64_t threads) {
  if (one.operation == WAVESMITH_RANDOM_CHANCES) return 12;
  return static_cast<uint64_t>(4 * divided_up(count_of(one), threads * elements_of_block(one)));
}

/// Dimensions that follow each other in all operands as one.
Description collapsed(const Description& one) {
  Description made = one;
  made.dimensions = 0;
  Operand* const to[] = {&made.y, &made.x, &made.drawn};
  const Operand* const from[] = {&one.y, &one.x, &one.drawn};
  for (int d = 0; d < one.dimensions; ++d) {
    if (one.sizes[d] == 1) continue;
    const int last = made.dimensions - 1;
    bool follows = last >= 0;
    for (int k = 0; follows && k < 3; ++k)
      follows = to[k]->strides[last] * made.sizes[last] == from[k]->strides[d];
    if (follows) {
      made.sizes[last] *= one.sizes[d];
      continue;
    }
    made.sizes[made.dimensions] = one.sizes[d];
    for (int k = 0; k < 3; ++k) to[k]->strides[made.dimensions] = from[k]->strides[d];
    ++made.dimensions;
  }
  if (made.dimensions == 0) made.dimensions = 1, made.sizes[0] = 1;
  return made;
}

RandomSource source_of(const Source& source) {
  return {.seed = source.seed, .block = source.offset / 4, .state = source.state};
}

/// What follows from p, in the type that computes.
double third_number(const Description& one) {
  const bool geometric = one.operation == WAVESMITH_RANDOM_GEOMETRIC;
  if (is_double(one)) return geometric ? std::log1p(-one.p) : 1 / one.p;
  const auto p = static_cast<float>(one.p);
  return static_cast<double>(geometric ? std::log1p(-p) : static_cast<float>(1 / static_cast<double>(p)));
}

RandomArguments arguments_of(const Description& one) {
  RandomArguments made{};
  made.source = source_of(one.source);
  int k = 0;
  for (const Operand* operand : {&one.y, &one.x, &one.drawn}) {
    RandomOperand& given = made.operands[k++];
    given.data = operand->data, given.type = operand->type;
    for (int d = 0; d < one.dimensions; ++d) given.steps[d] = static_cast<int>(operand->strides[d]);
  }
  for (int d = 0; d < one.dimensions; ++d) made.sizes[d] = Division::by(static_cast<unsigned>(one.sizes[d]));
  made.dimensions = one.dimensions, made.operation = one.operation;
  made.elements = static_cast<unsigned>(count_of(one));
  made.at_once = one.at_once, made.is_wide = one.bits == 64;
  made.p = one.p, made.q = one.q, made.r = third_number(one);
  made.range = one.range, made.base = one.base;
  return made;
}

const char* kernel_of(const Description& one) {
  switch (one.operation) {
    case WAVESMITH_RANDOM_INTEGERS:
      return "random_i64";
    case WAVESMITH_RANDOM_CHANCES:
      return "random_chances";
    case WAVESMITH_RANDOM_DROPOUT:
      return is_double(one) ? "random_dropout_f64" : "random_dropout_f32";
    case WAVESMITH_RANDOM_RRELU:
      return is_double(one) ? "random_rrelu_f64" : "random_rrelu_f32";
    default:
      return is_double(one) ? "random_f64" : "random_f32";
  }
}

void tell(const Source& source, uint64_t used) {
  if (source.used) *source.used = used;
}

// Choices.

constexpr const char* kChoice = "random choice";

wavesmith_kernels_status check(const wavesmith_random_choice_description& one) {
  if (one.rows < 0 || one.samples < 0) return invalid(kChoice, "rows or samples is negative");
  if (one.rows > INT32_MAX || one.samples > INT32_MAX || one.categories > INT32_MAX)
    return not_supported(kChoice, "rows, categories or samples is 2^31 or more");
  if (const auto status = check_source(kChoice, one.source)) return status;
  if (one.rows == 0 || one.samples == 0) return succeed();
  if (one.categories < 1) return invalid(kChoice, "categories is not positive");
  if (!is_number(one.type) || !is_float(one.type))
    return not_supported(kChoice, "type is " + std::to_string(one.type) + ", no type of floats");
  if (!one.sums || !one.weights || !one.y) return invalid(kChoice, "sums, weights or y is null");
  if (const auto status = check_aligned(kChoice, "sums", one.sums, size_of(one.type))) return status;
  if (const auto status = check_aligned(kChoice, "weights", one.weights, size_of(one.type))) return status;
  return check_aligned(kChoice, "y", one.y, sizeof(int64_t));
}

// Shuffles.

constexpr const char* kShuffle = "random shuffle";

wavesmith_kernels_status check(const wavesmith_random_shuffle_description& one) {
  if (one.count < 0) return invalid(kShuffle, "count is negative");
  if (one.count > INT32_MAX) return not_supported(kShuffle, "count is 2^31 or more");
  if (const auto status = check_source(kShuffle, one.source)) return status;
  if (one.count == 0) return succeed();
  if (!one.keys || !one.values) return invalid(kShuffle, "keys or values is null");
  if (const auto status = check_aligned(kShuffle, "keys", one.keys, sizeof(int64_t))) return status;
  return check_aligned(kShuffle, "values", one.values, sizeof(int64_t));
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_random(const wavesmith_random_description* random, void* stream) {
  if (!random) return invalid(kName, "the description is null");
  if (const auto status = check(*random)) return status;
  tell(random->source, 0);
  if (is_empty(sizes_of(*random))) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Description one = collapsed(*random);
  const int64_t workgroups = workgroups_of(one, *device);
  RandomArguments arguments = arguments_of(one);
  arguments.threads = static_cast<unsigned>(workgroups * kRandomThreads);
  tell(random->source, used_by(one, workgroups * kRandomThreads));
  const Grid grid{.x = static_cast<unsigned>(workgroups), .y = 1, .threads = kRandomThreads};
  return launch(*device, kernel_of(one), grid, &arguments, sizeof(arguments), stream);
}

wavesmith_kernels_status wavesmith_kernels_random_choice(const wavesmith_random_choice_description* choice,
                                                         void* stream) {
  if (!choice) return invalid(kChoice, "the description is null");
  const auto& one = *choice;
  if (const auto status = check(one)) return status;
  tell(one.source, 0);
  if (one.rows == 0 || one.samples == 0) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const ChoiceArguments arguments{.source = source_of(one.source),
                                  .sums = one.sums,
                                  .weights = one.weights,
                                  .type = one.type,
                                  .y = one.y,
                                  .rows = static_cast<unsigned>(one.rows),
                                  .samples = static_cast<unsigned>(one.samples),
                                  .categories = static_cast<int>(one.categories)};
  const int64_t rows = std::min(one.rows, int64_t{kChoiceRows});
  tell(one.source, static_cast<uint64_t>(4 * divided_up(one.rows, rows)));
  const Grid grid{.x = static_cast<unsigned>(divided_up(one.samples, kChoiceThreads)),
                  .y = static_cast<unsigned>(rows),
                  .threads = kChoiceThreads};
  return launch(*device, "random_choice", grid, &arguments, sizeof(arguments), stream);
}

wavesmith_kernels_status wavesmith_kernels_random_shuffle(const wavesmith_random_shuffle_description* shuffle,
                                                          void* stream) {
  if (!shuffle) return invalid(kShuffle, "the description is null");
  const auto& one = *shuffle;
  if (const auto status = check(one)) return status;
  tell(one.source, static_cast<uint64_t>(4 * divided_up(one.count, 4)));
  if (one.count == 0) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const ShuffleArguments arguments{.source = source_of(one.source),
                                   .keys = one.keys,
                                   .values = one.values,
                                   .count = static_cast<unsigned>(one.count)};
  const Grid grid{
      .x = static_cast<unsigned>(divided_up(one.count, kRandomThreads)), .y = 1, .threads = kRandomThreads};
  return launch(*device, "random_shuffle", grid, &arguments, sizeof(arguments), stream);
}
