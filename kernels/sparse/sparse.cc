// The C API of sparse products: checks a call and launches it.
#include <string>
#include <vector>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/sparse/sparse_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_sparse_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "sparse";
constexpr int64_t kPieceBytes = 16;

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

bool is_real(Number type) { return type < WAVESMITH_POINTWISE_C64; }
bool holds_sums(Number type) { return type >= WAVESMITH_POINTWISE_F16 || type == WAVESMITH_POINTWISE_U8; }

wavesmith_kernels_status check_shapes(const Description& one) {
  if (one.operation != WAVESMITH_SPARSE_SUM && one.operation != WAVESMITH_SPARSE_MAXIMUM)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (one.along < 0 || one.along >= one.dimensions)
    return invalid(kName, "along is " + std::to_string(one.along) + ", no dimension of " +
                              std::to_string(one.dimensions));
  if (one.columns < 0) return invalid(kName, "columns is negative");
  return check_shape(kName, sizes_of(one));
}

wavesmith_kernels_status check_operand(const Operand& operand, const std::string& name,
                                       std::span<const int64_t> sizes) {
  if (!operand.data) return invalid(kName, name + ".data is null");
  if (const auto status = check_type(kName, operand, name)) return status;
  if (!is_real(operand.type))
    return not_supported(kName, name + " is of " + std::string(word_of(operand.type)) + ", no real type");
  return check_span(kName, operand, name, sizes);
}

wavesmith_kernels_status check_list(const Operand& list, const std::string& name, bool counts) {
  if (const auto status = check_type(kName, list, name)) return status;
  const bool fits = counts ? list.type == WAVESMITH_POINTWISE_I32 || list.type == WAVESMITH_POINTWISE_I64
                           : is_real(list.type);
  if (!fits)
    return not_supported(kName, name + " is of " + std::string(word_of(list.type)) + ", " +
                                    (counts ? "neither i32 nor i64" : "no real type"));
  return check_aligned(kName, name + ".data", list.data, size_of(list.type));
}

wavesmith_kernels_status check_matrix(const Description& one) {
  if (!one.begins.data) return invalid(kName, "begins.data is null");
  if (const auto status = check_list(one.begins, "begins", true)) return status;
  if (one.columns_of.data || one.columns > 0) {
    if (const auto status = check_list(one.columns_of, "columns_of", true)) return status;
  }
  return one.weights.data ? check_list(one.weights, "weights", false) : succeed();
}

wavesmith_kernels_status check_computation(const Description& one) {
  const bool sums = one.operation == WAVESMITH_SPARSE_SUM;
  if (one.computed_in != WAVESMITH_POINTWISE_F64 && !(sums && one.computed_in == WAVESMITH_POINTWISE_F32))
    return not_supported(kName, std::string("computed_in is ") +
                                    (is_number(one.computed_in) ? std::string(word_of(one.computed_in))
                                                                : std::to_string(one.computed_in)) +
                                    (sums ? ", neither f32 nor f64" : ", not f64"));
  if (sums && !holds_sums(one.y.type))
    return not_supported(kName, "y is of " + std::string(word_of(one.y.type)) + ", neither a float nor u8");
  if (!one.place.data) return succeed();
  if (sums) return invalid(kName, "place has data, of a sum");
  if (one.place.type != WAVESMITH_POINTWISE_I64) return not_supported(kName, "place is not of i64");
  return check_span(kName, one.place, "place", sizes_of(one));
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_shapes(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  if (const auto status = check_operand(one.y, "y", sizes_of(one))) return status;
  if (one.columns > 0) {
    std::vector<int64_t> sizes(one.sizes, one.sizes + one.dimensions);
    sizes[static_cast<size_t>(one.along)] = one.columns;
    if (const auto status = check_operand(one.x, "x", sizes)) return status;
  }
  if (const auto status = check_matrix(one)) return status;
  return check_computation(one);
}

SparseArguments arguments_of(const Description& one) {
  SparseArguments made{};
  const auto operand = [&](const Operand& given) {
    SparseOperand to{.data = given.data, .type = given.type, .steps = {}};
    for (int d = 0; d < one.dimensions; ++d) to.steps[d] = static_cast<int>(given.strides[d]);
    return to;
  };
  made.y = operand(one.y), made.x = operand(one.x), made.place = operand(one.place);
  const auto list = [](const Operand& given) { return SparseList{.data = given.data, .type = given.type}; };
  made.begins = list(one.begins), made.columns_of = list(one.columns_of), made.weights = list(one.weights);
  made.elements = 1;
  for (int d = 0; d < one.dimensions; ++d) {
    made.sizes[d] = Division::by(static_cast<unsigned>(one.sizes[d]));
    made.elements *= static_cast<unsigned>(one.sizes[d]);
  }
  made.dimensions = one.dimensions, made.along = one.along;
  made.column_step = made.x.steps[one.along], made.columns = one.columns;
  return made;
}

/// Whether a thread may have eight results that follow each other along the first dimension: sums in f32 of
/// elements of two bytes, which lie together in whole pieces of 16 bytes.
bool has_eights(const Description& one) {
  const Number type = one.y.type;
  if (one.operation != WAVESMITH_SPARSE_SUM || one.computed_in != WAVESMITH_POINTWISE_F32) return false;
  if (type != one.x.type || (type != WAVESMITH_POINTWISE_F16 && type != WAVESMITH_POINTWISE_BF16))
    return false;
  if (one.along == 0 || one.sizes[0] % kSparseEight != 0 || one.columns == 0) return false;
  for (const Operand* operand : {&one.y, &one.x}) {
    if (reinterpret_cast<uintptr_t>(operand->data) % kPieceBytes != 0) return false;
    if (operand->strides[0] != size_of(type)) return false;
    for (int d = 1; d < one.dimensions; ++d)
      if (operand->strides[d] % kPieceBytes != 0) return false;
  }
  return true;
}

SparseArguments of_eights(SparseArguments made) {
  made.sizes[0] = Division::by(made.sizes[0].divisor / kSparseEight);
  made.elements /= kSparseEight;
  for (SparseOperand* operand : {&made.y, &made.x}) operand->steps[0] *= kSparseEight;
  return made;
}

const char* kernel_of(const Description& one, bool eights) {
  if (one.operation == WAVESMITH_SPARSE_MAXIMUM) return "sparse_maximum_f64";
  if (eights)
    return one.y.type == WAVESMITH_POINTWISE_F16 ? "sparse_sum_eights_f16" : "sparse_sum_eights_bf16";
  return one.computed_in == WAVESMITH_POINTWISE_F32 ? "sparse_sum_f32" : "sparse_sum_f64";
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_sparse(const wavesmith_sparse_description* sparse, void* stream) {
  if (!sparse) return invalid(kName, "the description is null");
  if (const auto status = check(*sparse)) return status;
  if (is_empty(sizes_of(*sparse))) return succeed();
  const bool eights = has_eights(*sparse);
  const SparseArguments arguments = eights ? of_eights(arguments_of(*sparse)) : arguments_of(*sparse);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const unsigned workgroups = (arguments.elements + kSparseThreads - 1) / kSparseThreads;
  return launch(*device, kernel_of(*sparse, eights), {.x = workgroups, .y = 1, .threads = kSparseThreads},
                &arguments, sizeof(arguments), stream);
}
