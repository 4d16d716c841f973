// The C API of norms' gradients: checks a call and launches it.
#include <algorithm>
#include <span>

#include "kernels/library/named_range.h"
#include "kernels/norm_backward/arguments.h"
#include "kernels/norm_backward/configurations.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_gradients.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_norm_backward_description;

constexpr const char* kName = "norm_backward";

bool has_rows(const Description& one) { return one.rows > 0 && one.columns > 0; }

wavesmith_kernels_status check_statistics(const Description& one) {
  if (one.means && !one.centred) return invalid(kName, "means is given, but the norm is not centred");
  if (one.means && !one.factors) return invalid(kName, "factors is null, but means is given");
  if (one.centred && one.factors && !one.means)
    return invalid(kName, "means is null, but factors of a centred norm is given");
  if (!one.factors && !(one.epsilon >= 0)) return invalid(kName, "epsilon is negative, or NaN");
  if (const auto status = check_vector(kName, "means", one.means, WAVESMITH_KERNELS_F32)) return status;
  return check_vector(kName, "factors", one.factors, WAVESMITH_KERNELS_F32);
}

NamedRange vector_range(const Description& one, const char* name, const void* data,
                        wavesmith_kernels_type type) {
  return NamedRange::of(name, data, one.columns, type);
}

ByteRange rows_range(const Description& one, const wavesmith_kernels_rows& matrix) {
  return matrix.data && has_rows(one) ? range_of(matrix, one.rows, one.columns) : ByteRange{};
}

/// Checks that what is written lies apart from all vectors, and the vectors that are from all matrices.
wavesmith_kernels_status check_written_apart(const Description& one) {
  const NamedRange dweight = vector_range(one, "dweight", one.dweight, one.dweight_type),
                   dbias = vector_range(one, "dbias", one.dbias, one.dbias_type);
  const NamedRange all[] = {vector_range(one, "weight", one.weight, one.weight_type),
                            NamedRange::of("means", one.means, one.rows, WAVESMITH_KERNELS_F32),
                            NamedRange::of("factors", one.factors, one.rows, WAVESMITH_KERNELS_F32),
                            {"x", rows_range(one, one.x)},
                            {"dy", rows_range(one, one.dy)},
                            {"added", rows_range(one, one.added)},
                            {"dx", rows_range(one, one.dx)},
                            dbias};
  const std::span<const NamedRange> every(all);
  if (const auto status = check_apart(kName, {"dx", rows_range(one, one.dx)}, every.first(3))) return status;
  if (const auto status = check_apart(kName, dweight, every)) return status;
  return check_apart(kName, dbias, every.first(every.size() - 1));
}

wavesmith_kernels_status check(const Description& one) {
  if (has_rows(one)) {
    if (!one.x.data) return invalid(kName, "x.data is null");
    if (!one.dy.data) return invalid(kName, "dy.data is null");
    if (one.added.data && !one.dx.data) return invalid(kName, "added.data is given without dx");
  }
  struct Vector {
    const char* name;
    const void* data;
    wavesmith_kernels_type type;
  };
  for (const Vector& vector : {Vector{"weight", one.weight, one.weight_type},
                               {"dweight", one.dweight, one.dweight_type},
                               {"dbias", one.dbias, one.dbias_type}})
    if (const auto status = check_vector(kName, vector.name, vector.data, vector.type)) return status;
  if (const auto status = check_statistics(one)) return status;
  if (const auto status = check_rows(kName, one.rows, one.columns,
                                     {{.name = "x", .rows = &one.x},
                                      {.name = "dy", .rows = &one.dy},
                                      {.name = "added", .rows = &one.added},
                                      {.name = "dx", .rows = &one.dx, .is_written = true}}))
    return status;
  return one.columns > 0 ? check_written_apart(one) : succeed();
}

/// Which kernel serves the rows, and by how many workgroups.
struct Plan {
  const RowConfiguration* configuration;
  bool known;
  int64_t workgroups, pitch;  ///< the pitch of a workgroup's sums

  explicit Plan(const Description& one) : pitch((one.columns + 7) / 8 * 8) {
    const std::initializer_list<const wavesmith_kernels_rows*> all = {&one.x, &one.dy, &one.added, &one.dx};
    const bool aligned = is_aligned(one.weight) && are_aligned(all, one.columns);
    const bool same = (!one.weight || one.weight_type == one.x.type) &&
                      std::ranges::all_of(all, [&](const wavesmith_kernels_rows* matrix) {
                        return !matrix->data || matrix->type == one.x.type;
                      });
    const RowConfiguration* const of_type = aligned && same && size_of(one.x.type) == 2
                                                ? norm_backward_known_configuration(one.columns)
                                                : nullptr;
    known = of_type != nullptr;
    configuration = known ? of_type : norm_backward_configuration(one.columns, aligned);
    workgroups = workgroups_of(one.rows);
  }

 private:
  /// As many as keep any GPU busy, of several rows each where there are enough: each writes its sums once.
  /// Sizes alone decide, so that the order of a sum depends on nothing else.
  [[nodiscard]] int64_t workgroups_of(int64_t rows) const {
    constexpr int64_t kBlocksEach = 4, kFew = 256, kMostThreads = int64_t{512} * kRowThreads;
    constexpr int64_t kMostSums = int64_t{1} << 29;  // within a buffer
    const int64_t blocks = (rows + configuration->rows() - 1) / configuration->rows();
    const int64_t most = std::min(kMostThreads / configuration->threads, kMostSums / pitch);
    const int64_t wanted = std::max((blocks + kBlocksEach - 1) / kBlocksEach, std::min(blocks, kFew));
    return std::min(wanted, most);
  }
};

size_t workspace_bytes(const Description& one) {
  const int64_t vectors = (one.dweight ? 1 : 0) + (one.dbias ? 1 : 0);
  if (!has_rows(one) || vectors == 0) return 0;
  const Plan plan(one);
  return static_cast<size_t>(vectors * plan.workgroups * plan.pitch) * sizeof(float);
}

wavesmith_kernels_status check_workspace_apart(const Description& one, size_t bytes) {
  const auto first = reinterpret_cast<uintptr_t>(one.workspace);
  const NamedRange all[] = {{"x", rows_range(one, one.x)},
                            {"dy", rows_range(one, one.dy)},
                            {"added", rows_range(one, one.added)},
                            {"dx", rows_range(one, one.dx)},
                            vector_range(one, "weight", one.weight, one.weight_type),
                            vector_range(one, "dweight", one.dweight, one.dweight_type),
                            vector_range(one, "dbias", one.dbias, one.dbias_type),
                            NamedRange::of("means", one.means, one.rows, WAVESMITH_KERNELS_F32),
                            NamedRange::of("factors", one.factors, one.rows, WAVESMITH_KERNELS_F32)};
  return check_apart(kName, {"workspace", {first, first + bytes}}, all);
}

wavesmith_kernels_status launch_rows_of(const Description& one, const Plan& plan, float* weight_parts,
                                        float* bias_parts, void* stream) {
  const NormBackwardArguments arguments{.x = one.x.data,
                                        .dy = one.dy.data,
                                        .added = one.added.data,
                                        .weight = one.weight,
                                        .means = one.means,
                                        .factors = one.factors,
                                        .dx = one.dx.data,
                                        .weight_parts = weight_parts,
                                        .bias_parts = bias_parts,
                                        .stride_x = one.x.row_stride,
                                        .stride_dy = one.dy.row_stride,
                                        .stride_added = one.added.row_stride,
                                        .stride_dx = one.dx.row_stride,
                                        .rows = static_cast<int>(one.rows),
                                        .columns = static_cast<int>(one.columns),
                                        .workgroups = static_cast<int>(plan.workgroups),
                                        .pitch = static_cast<int>(plan.pitch),
                                        .type_x = one.x.type,
                                        .type_dy = one.dy.type,
                                        .type_added = one.added.type,
                                        .type_dx = one.dx.type,
                                        .type_weight = one.weight_type,
                                        .epsilon = one.epsilon,
                                        .weight_offset = one.weight_offset,
                                        .centred = one.centred};
  return launch_rows(plan.known ? known_name(kName, one.x.type) : kName, *plan.configuration,
                     plan.workgroups * plan.configuration->rows(), &arguments, sizeof(arguments), stream);
}

/// The gradients of vectors: from the sums of `parts` workgroups.
wavesmith_kernels_status launch_sums(const Description& one, int64_t parts, int64_t pitch,
                                     const float* weight_parts, const float* bias_parts, void* stream) {
  NormBackwardSumsArguments arguments{};
  arguments.first_parts = bias_parts, arguments.first = one.dbias, arguments.first_type = one.dbias_type;
  if (one.dweight) {
    arguments.second_parts = bias_parts, arguments.second = one.dbias;
    arguments.second_type = one.dbias_type;
    arguments.first_parts = weight_parts, arguments.first = one.dweight;
    arguments.first_type = one.dweight_type;
  }
  arguments.parts = static_cast<int>(parts), arguments.columns = static_cast<int>(one.columns);
  arguments.pitch = static_cast<int>(pitch);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const auto blocks = static_cast<unsigned>((one.columns + kNormSumsColumns - 1) / kNormSumsColumns);
  const unsigned vectors = one.dweight && one.dbias ? 2 : 1;
  return launch(*device, "norm_backward_sums", {blocks, vectors, kRowThreads}, &arguments, sizeof(arguments),
                stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_norm_backward(
    const wavesmith_kernels_norm_backward_description* backward, void* stream) {
  if (!backward) return invalid(kName, "the description is null");
  const Description& one = *backward;
  if (const auto status = check(one)) return status;
  const bool has_vectors = one.dweight || one.dbias;
  if (one.columns == 0 || (!has_vectors && (one.rows == 0 || !one.dx.data))) return succeed();
  if (one.rows == 0) return launch_sums(one, 0, 8, nullptr, nullptr, stream);
  const size_t bytes = workspace_bytes(one);
  if (bytes > 0) {
    if (const auto status = check_workspace(kName, one.workspace, one.workspace_bytes, bytes)) return status;
    if (const auto status = check_workspace_apart(one, bytes)) return status;
  }
  const Plan plan(one);
  auto* const parts = static_cast<float*>(one.workspace);
  float* const weight_parts = one.dweight ? parts : nullptr;
  float* const bias_parts = one.dbias ? parts + (one.dweight ? plan.workgroups * plan.pitch : 0) : nullptr;
  if (const auto status = launch_rows_of(one, plan, weight_parts, bias_parts, stream)) return status;
  return has_vectors ? launch_sums(one, plan.workgroups, plan.pitch, weight_parts, bias_parts, stream)
                     : succeed();
}

wavesmith_kernels_status wavesmith_kernels_norm_backward_workspace(
    const wavesmith_kernels_norm_backward_description* backward, size_t* bytes) {
  if (!backward) return invalid(kName, "the description is null");
  if (const auto status = check(*backward)) return status;
  if (bytes) *bytes = workspace_bytes(*backward);
  return succeed();
}
