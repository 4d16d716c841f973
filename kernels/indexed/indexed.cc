// The C API of indexed elements: checks a call and launches it.
#include <string>

#include "kernels/indexed/arguments.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_indexed_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "indexed";

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

/// Whether elements are moved as they are; others are computed with.
bool moves(const Description& one) { return one.operation < WAVESMITH_INDEXED_ADD; }

wavesmith_kernels_status check_types(const Description& one) {
  if (moves(one)) {
    if (one.y.type != one.x.type)
      return invalid(kName, "y is of " + std::string(word_of(one.y.type)) + ", and x of " +
                                std::string(word_of(one.x.type)));
    return succeed();
  }
  const bool computes = one.y.type == WAVESMITH_POINTWISE_I64 || one.y.type == WAVESMITH_POINTWISE_F32 ||
                        one.y.type == WAVESMITH_POINTWISE_F64;
  const bool fits = one.y.type == WAVESMITH_POINTWISE_I64 ? one.x.type <= WAVESMITH_POINTWISE_I64
                                                          : one.x.type < WAVESMITH_POINTWISE_C64;
  if (!computes || !fits)
    return not_supported(kName, "x is of " + std::string(word_of(one.x.type)) +
                                    ", and y, into which it goes, of " + std::string(word_of(one.y.type)));
  return succeed();
}

wavesmith_kernels_status check_sizes(const Description& one) {
  if (one.operation < WAVESMITH_INDEXED_GET || one.operation > WAVESMITH_INDEXED_MULTIPLY)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (one.indexed < 1 || one.indexed > WAVESMITH_INDEXED_INDICES)
    return invalid(kName, "indexed is " + std::to_string(one.indexed) + ", not 1 to 4");
  return check_shape(kName, sizes_of(one));
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_sizes(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  if (const auto status = check_operand(kName, one.y, "y", sizes_of(one))) return status;
  if (const auto status = check_operand(kName, one.x, "x", sizes_of(one))) return status;
  for (int k = 0; k < one.indexed; ++k) {
    const std::string name = "index[" + std::to_string(k) + "].indices";
    const Operand& indices = one.index[k].indices;
    if (const auto status = check_operand(kName, indices, name, sizes_of(one))) return status;
    if (indices.type != WAVESMITH_POINTWISE_I32 && indices.type != WAVESMITH_POINTWISE_I64)
      return not_supported(kName,
                           name + " is of " + std::string(word_of(indices.type)) + ", neither i32 nor i64");
  }
  return check_types(one);
}

/// How many elements along the first dimension may be moved as one: they follow each other, and have one
/// index.
int64_t moved_at_once(const Description& one) {
  const int64_t bytes = size_of(one.x.type);
  if (!moves(one) || one.dimensions == 0) return 1;
  if (one.x.strides[0] != bytes || one.y.strides[0] != bytes) return 1;
  uint64_t all = reinterpret_cast<uintptr_t>(one.x.data) | reinterpret_cast<uintptr_t>(one.y.data);
  for (int d = 1; d < one.dimensions; ++d)
    all |= static_cast<uint64_t>(one.x.strides[d]) | static_cast<uint64_t>(one.y.strides[d]);
  for (int k = 0; k < one.indexed; ++k) {
    if (one.index[k].indices.strides[0] != 0) return 1;
    all |= static_cast<uint64_t>(one.index[k].stride);
  }
  int64_t count = 1;
  while (bytes * count < 16 && one.sizes[0] % (2 * count) == 0 &&
         all % static_cast<uint64_t>(2 * count * bytes) == 0)
    count *= 2;
  return count;
}

IndexedArguments arguments_of(const Description& one) {
  const int64_t count = moved_at_once(one);
  IndexedArguments made{};
  const auto operand = [&](const Operand& given) {
    IndexedOperand to{.data = given.data, .type = given.type, .steps = {}};
    for (int d = 0; d < one.dimensions; ++d)
      to.steps[d] = static_cast<int>(given.strides[d] * (d == 0 ? count : 1));
    return to;
  };
  made.y = operand(one.y), made.x = operand(one.x);
  for (int k = 0; k < one.indexed; ++k) {
    made.indices[k] = operand(one.index[k].indices);
    made.index_sizes[k] = one.index[k].size, made.index_strides[k] = one.index[k].stride;
    made.least_indices[k] = one.index[k].wrapped ? -one.index[k].size : 0;
  }
  made.elements = 1;
  for (int d = 0; d < one.dimensions; ++d) {
    const auto size = static_cast<unsigned>(d == 0 ? one.sizes[0] / count : one.sizes[d]);
    made.sizes[d] = Division::by(size);
    made.elements *= size;
  }
  made.dimensions = one.dimensions, made.indexed = one.indexed;
  made.y_is_indexed = one.operation != WAVESMITH_INDEXED_GET;
  made.operation = one.operation;
  made.bytes = static_cast<int>(size_of(one.x.type) * count);
  return made;
}

std::string computing_kernel(const Description& one) {
  const char* prefix = one.operation == WAVESMITH_INDEXED_ADD ? "indexed_add_" : "indexed_combine_";
  return prefix + std::string(word_of(one.y.type));
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_indexed(const wavesmith_indexed_description* indexed,
                                                   void* stream) {
  if (!indexed) return invalid(kName, "the description is null");
  if (const auto status = check(*indexed)) return status;
  if (is_empty(sizes_of(*indexed))) return succeed();
  const IndexedArguments arguments = arguments_of(*indexed);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = moves(*indexed) ? "indexed_move" : computing_kernel(*indexed);
  const unsigned workgroups = (arguments.elements + kIndexedThreads - 1) / kIndexedThreads;
  return launch(*device, kernel.c_str(), {.x = workgroups, .y = 1, .threads = kIndexedThreads}, &arguments,
                sizeof(arguments), stream);
}
