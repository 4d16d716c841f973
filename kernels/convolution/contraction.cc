#include "kernels/convolution/contraction.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "kernels/gemm/gathered_launch.h"
#include "kernels/library/element_type.h"
#include "kernels/pointwise/number_types.h"
#include "kernels/wavesmith_pointwise.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

int64_t count_of(const Axes& axes) {
  int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  return count;
}

/// The axes as one, if they are.
std::optional<Axis> as_one(const Axes& axes) {
  Axis made{1, 0};
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i].size == 1) continue;
    if (made.size == 1)
      made.stride = axes[i].stride;
    else if (axes[i].stride != made.stride * made.size)
      return {};
    made.size *= axes[i].size;
  }
  return made;
}

/// The tensor as a batch of matrices by rows or columns, whose elements are apart.
std::optional<wavesmith_kernels_matrix> as_matrix(const StridedMatrices& of) {
  const auto batch = as_one(of.batch), rows = as_one(of.rows), columns = as_one(of.columns);
  if (!batch || !rows || !columns) return {};
  if (rows->stride < 0 || columns->stride < 0 || batch->stride < 0) return {};
  const auto made = [&](int64_t row, int64_t column) {
    return wavesmith_kernels_matrix{of.data, of.type, row, column, batch->size > 1 ? batch->stride : 0};
  };
  const auto apart = [](const Axis& slow, const Axis& fast) {
    return slow.size == 1 || slow.stride >= fast.size;
  };
  if ((columns->stride == 1 || columns->size == 1) && apart(*rows, *columns))
    return made(rows->size == 1 ? columns->size : rows->stride, 1);
  if ((rows->stride == 1 || rows->size == 1) && apart(*columns, *rows))
    return made(1, columns->size == 1 ? rows->size : columns->stride);
  return {};
}

/// About how many neighbours lie together along one of the axes.
int64_t together(const Axes& axes) {
  int64_t most = 0;
  for (const Axis& axis : axes)
    if (axis.size > 1 && axis.stride > 0) most = std::max(most, axis.size / axis.stride);
  return most;
}

/// Elements of 16 bits that fill pieces of 16 bytes.
int64_t whole_pieces(int64_t elements) { return (elements + 7) / 8 * 8; }

/// What of a matrix lies together.
enum class Lies { Any, ByRows, ByColumns };

/// A place for the same elements one behind the other: as `wanted`, or by columns where those of `of` have
/// more neighbours, otherwise by rows. Unless it `keeps_batch`, an axis of the batch with stride 0 is left
/// out. Of columns that are wanted each begins with a piece of 16 bytes.
StridedMatrices packed(const StridedMatrices& of, Workspace& workspace, bool keeps_batch, Lies wanted) {
  const bool by_columns =
      wanted == Lies::Any ? together(of.rows) > together(of.columns) : wanted == Lies::ByColumns;
  StridedMatrices made = of;
  int64_t stride = 1;
  const auto pack = [&](Axes& axes) {
    for (size_t i = axes.size(); i-- > 0;) axes[i].stride = std::exchange(stride, stride * axes[i].size);
  };
  pack(by_columns ? made.rows : made.columns);
  if (wanted == Lies::ByColumns) stride = whole_pieces(stride);
  pack(by_columns ? made.columns : made.rows);
  for (size_t i = made.batch.size(); i-- > 0;) {
    const bool repeats = !keeps_batch && of.batch[i].stride == 0;
    made.batch[i].stride = repeats ? 0 : std::exchange(stride, stride * made.batch[i].size);
  }
  made.data = workspace.take(stride * size_of(of.type));
  return made;
}

wavesmith_kernels_status no_room(const char* name) {
  return invalid(name, "the workspace has fewer bytes than wavesmith_kernels_convolution_workspace says");
}

/// An axis of what is copied: where its elements come from, and where they go.
struct Step {
  int64_t size, from, to;
};

/// The axes of a copy, the fastest one of the result first, those that follow each other in both as one.
std::vector<Step> steps_of(const StridedMatrices& from, const StridedMatrices& to) {
  std::vector<Step> all, made;
  for (const auto& [source, result] :
       {std::pair{&from.batch, &to.batch}, {&from.rows, &to.rows}, {&from.columns, &to.columns}})
    for (size_t i = 0; i < source->size(); ++i) {
      const bool repeats = (*source)[i].stride == 0 && (*result)[i].stride == 0;
      if ((*source)[i].size != 1 && !repeats)
        all.push_back({(*source)[i].size, (*source)[i].stride, (*result)[i].stride});
    }
  std::ranges::sort(all, {}, &Step::to);
  for (const Step& step : all) {
    if (!made.empty() && step.from == made.back().from * made.back().size &&
        step.to == made.back().to * made.back().size)
      made.back().size *= step.size;
    else
      made.push_back(step);
  }
  return made;
}

/// Copies matrices whose rows become columns by the kernel for that. False: they are none, or it refuses
/// them.
bool transpose(std::span<const Step> steps, const StridedMatrices& from, const StridedMatrices& to,
               void* stream) {
  if (!from.data || steps.size() < 2 || steps.size() > 3 || steps[0].to != 1 || steps[1].from != 1)
    return false;
  const Step batch = steps.size() > 2 ? steps[2] : Step{1, 0, 0};
  const wavesmith_kernels_transpose_description one{steps[0].size,
                                                    steps[1].size,
                                                    batch.size,
                                                    {from.data, from.type, steps[0].from, 1, batch.from},
                                                    {to.data, to.type, 1, steps[1].to, batch.to}};
  return steps[0].from > 0 && batch.from >= 0 &&
         wavesmith_kernels_transpose(&one, stream) == WAVESMITH_KERNELS_SUCCESS;
}

/// Copies along the first axes in a launch, along those that are too many for it in one for each element.
wavesmith_kernels_status copy(std::span<const Step> steps, StridedMatrices from, StridedMatrices to,
                              void* stream) {
  if (transpose(steps, from, to, stream)) return succeed();
  const int64_t size_from = size_of(from.type), size_to = size_of(to.type);
  if (steps.size() > WAVESMITH_POINTWISE_DIMENSIONS) {
    const Step& last = steps.back();
    for (int64_t i = 0; i < last.size; ++i) {
      if (const auto status = copy(steps.first(steps.size() - 1), from, to, stream)) return status;
      if (from.data) from.data = static_cast<char*>(from.data) + last.from * size_from;
      to.data = static_cast<char*>(to.data) + last.to * size_to;
    }
    return succeed();
  }
  wavesmith_pointwise_description one{};
  one.operation = WAVESMITH_POINTWISE_COPY, one.computed_in = WAVESMITH_POINTWISE_F32;
  one.y.data = to.data, one.y.type = number_of(to.type);
  one.inputs[0].data = from.data, one.inputs[0].type = number_of(from.type);
  for (const Step& step : steps) {
    one.sizes[one.dimensions] = step.size;
    one.y.strides[one.dimensions] = step.to * size_to;
    one.inputs[0].strides[one.dimensions++] = step.from * size_from;
  }
  return wavesmith_kernels_pointwise(&one, stream);
}

/// A matrix that lies as it is wanted. Kernels that gather, which want columns, read dwords of them: `filled`
/// says that there is something behind columns of half a dword.
std::optional<wavesmith_kernels_matrix> matrix_of(const StridedMatrices& of, Lies wanted,
                                                  bool filled = false) {
  auto made = as_matrix(of);
  if (!made || wanted == Lies::Any) return made;
  if ((wanted == Lies::ByRows ? made->column_stride : made->row_stride) != 1) return {};
  if (wanted == Lies::ByRows) return made;
  const int64_t rows = count_of(of.rows);
  if (count_of(of.columns) == 1) made->column_stride = whole_pieces(rows);  // any will do
  const auto dwords = [&](int64_t elements) { return elements * size_of(of.type) % 4 == 0; };
  const bool aligned = reinterpret_cast<uintptr_t>(of.data) % 4 == 0;
  if (!aligned || !dwords(made->column_stride) || !dwords(made->batch_stride)) return {};
  if (!filled && !dwords(rows)) return {};
  return made;
}

/// An operand of the product: the tensor as it lies, or a copy.
wavesmith_kernels_status operand(const char* name, const StridedMatrices& of, Lies wanted,
                                 Workspace& workspace, void* stream, wavesmith_kernels_matrix& made) {
  if (const auto matrix = matrix_of(of, wanted)) {
    made = *matrix;
    return succeed();
  }
  const StridedMatrices copy = packed(of, workspace, false, wanted);
  if (!copy.data) return no_room(name);
  made = *matrix_of(copy, wanted, true);
  return copy_elements(of, copy, workspace, stream);
}

}  // namespace

void* Workspace::take(int64_t bytes) {
  constexpr size_t kAlignment = 256;
  const size_t wanted =
      (static_cast<size_t>(std::max<int64_t>(bytes, 1)) + kAlignment - 1) / kAlignment * kAlignment;
  if (!counts_ && wanted > bytes_ - taken_) return nullptr;
  return base_ + std::exchange(taken_, taken_ + wanted);
}

wavesmith_kernels_status copy_elements(const StridedMatrices& from, const StridedMatrices& to,
                                       const Workspace& workspace, void* stream) {
  return workspace.counts() ? succeed() : copy(steps_of(from, to), from, to, stream);
}

wavesmith_kernels_status contract(const char* name, const StridedMatrices& a, const StridedMatrices& b,
                                  const StridedMatrices& d, Workspace& workspace, void* stream,
                                  Gathered gathered, const GemmGather& gather) {
  wavesmith_kernels_gemm_description gemm{};
  gemm.m = count_of(d.rows), gemm.n = count_of(d.columns), gemm.k = count_of(a.columns);
  gemm.batches = count_of(d.batch), gemm.alpha = 1;
  if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0) return succeed();
  if (gemm.k == 0) return copy_elements({nullptr, d.type, d.batch, d.rows, d.columns}, d, workspace, stream);
  const bool gathers = gathered != Gathered::None;
  const Lies others = gathers ? Lies::ByColumns : Lies::Any, d_lies = gathers ? Lies::ByRows : Lies::Any;
  if (gathered == Gathered::A)
    gemm.a = {a.data, a.type, gemm.k, 1, as_one(a.batch)->stride};
  else if (const auto status = operand(name, a, others, workspace, stream, gemm.a))
    return status;
  if (gathered == Gathered::B)
    gemm.b = {b.data, b.type, gemm.n, 1, as_one(b.batch)->stride};
  else if (const auto status = operand(name, b, others, workspace, stream, gemm.b))
    return status;
  const auto matrix = matrix_of(d, d_lies);
  const StridedMatrices sums = matrix ? d : packed(d, workspace, true, d_lies);
  if (!sums.data) return no_room(name);
  gemm.d = matrix ? *matrix : *matrix_of(sums, d_lies);
  size_t bytes = 0;
  const auto launch = gathered == Gathered::A ? launch_gathered : launch_gathered_places;
  if (const auto status = gathers ? launch(gemm, gather, &bytes, stream)
                                  : wavesmith_kernels_gemm_workspace(&gemm, nullptr, &bytes))
    return status;
  bytes = workspace.left(bytes);
  if (bytes > 0) gemm.workspace = workspace.take(static_cast<int64_t>(bytes)), gemm.workspace_bytes = bytes;
  if (!gemm.workspace) gemm.workspace_bytes = 0;
  if (!workspace.counts())
    if (const auto status =
            gathers ? launch(gemm, gather, nullptr, stream) : wavesmith_kernels_gemm(&gemm, stream))
      return status;
  return matrix ? succeed() : copy_elements(sums, d, workspace, stream);
}

}  // namespace wavesmith::kernels
