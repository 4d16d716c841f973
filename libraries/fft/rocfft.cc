// rocFFT: plans and transforms (fourier.h, fourier_field.h). rocfft.h of ROCm 7.0. Lengths and strides are of
// the fastest dimension first.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libraries/fft/fourier.h"
#include "libraries/fft/fourier_field.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {

enum Status { kSuccess = 0, kFailure = 1, kInvalidArgument = 2, kInvalidDimensions = 3, kInvalidType = 4 };
constexpr char kVersion[] = "1.0.34";  // ROCm 7.0's
constexpr size_t kMost = FourierLayout::kMost;

/// rocfft_array_type.
enum class Array { Complex = 0, Planar = 1, Real = 2, Hermitian = 3, HermitianPlanar = 4, Unset = 5 };
/// rocfft_transform_type.
enum class Kind { Forward = 0, Inverse = 1, FromReal = 2, ToReal = 3 };
constexpr int kInPlace = 0, kSingle = 0, kDouble = 1;

/// How one side of a transform lies; what is 0 is as it is by default.
struct DataLayout {
  Array array;
  size_t offset, strides[kMost], distance;
};
struct Description {
  DataLayout from, to;
  double scale;
  Field from_field, to_field;
};
struct Plan {
  Fourier transform;
  Field from, to;  ///< without bricks: one buffer
  bool in_place;
  int64_t offset_in, offset_out;  ///< bytes
};
struct Execution {
  void* stream;
};

int read(DataLayout& side, Array array, const size_t* offsets, size_t count, const size_t* strides,
         size_t distance) {
  if (count > kMost || (count > 0 && !strides)) return kInvalidArgument;
  side = {array, offsets ? offsets[0] : 0, {}, distance};
  std::copy_n(strides, count, side.strides);
  return kSuccess;
}

/// Strides as rows in rows. False where they do not lie so.
bool place(FourierLayout& layout, const DataLayout& side, const Fourier& what, int64_t row) {
  if (side.strides[0] != 0) {
    const int last = what.dimensions - 1;
    layout.stride = static_cast<int64_t>(side.strides[0]);
    for (int i = 1; i <= last; ++i) {
      const auto here = static_cast<int64_t>(side.strides[i]),
                 inner = static_cast<int64_t>(side.strides[i - 1]);
      if (here == 0 || here % inner != 0) return false;
      layout.embed[last - i + 1] = here / inner;
    }
    const int64_t outermost = last == 0 ? row : what.sizes[0];
    layout.embed[0] = outermost;
    layout.distance = outermost * static_cast<int64_t>(side.strides[last]);
  }
  if (side.distance != 0) layout.distance = static_cast<int64_t>(side.distance);
  return true;
}

int make(Plan& plan, const Description* description) {
  Fourier& what = plan.transform;
  what.pack(plan.in_place);
  if (!description) return kSuccess;
  const bool from_real = what.kind == FourierKind::FromReal, to_real = what.kind == FourierKind::ToReal;
  const auto fits = [&](Array array, bool real, bool half) {
    return array == Array::Unset || array == (real ? Array::Real : half ? Array::Hermitian : Array::Complex);
  };
  for (const Array array : {description->from.array, description->to.array})
    if (array == Array::Planar || array == Array::HermitianPlanar)
      return WAVESMITH_UNSUPPORTED("rocfft_plan_create", "rocfft_status_failure for planar arrays", kFailure);
  if (!fits(description->from.array, from_real, to_real) || !fits(description->to.array, to_real, from_real))
    return kInvalidType;
  const int64_t last = what.sizes[what.dimensions - 1], half = last / 2 + 1;
  if (!place(what.from, description->from, what, to_real ? half : last) ||
      !place(what.to,
             plan.in_place && description->to.strides[0] == 0 && !from_real && !to_real ? description->from
                                                                                        : description->to,
             what, from_real ? half : last))
    return WAVESMITH_UNSUPPORTED("rocfft_plan_create",
                                 "rocfft_status_failure for strides that are not multiples of each other",
                                 kFailure);
  what.scale = description->scale;
  plan.from = description->from_field;
  plan.to = description->to_field;
  if (!FieldTransform{what, plan.from, plan.to, {}, {}}.fits()) return kInvalidDimensions;
  const int64_t width = what.twice ? 8 : 4;
  plan.offset_in = static_cast<int64_t>(description->from.offset) * width * (from_real ? 1 : 2);
  plan.offset_out = static_cast<int64_t>(description->to.offset) * width * (to_real ? 1 : 2);
  return kSuccess;
}

int status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Done:
      return kSuccess;
    case Outcome::BadPointer:
      return kInvalidArgument;
    default:
      return kFailure;
  }
}

int execute_field(const Plan& plan, void* const* from, void* const* to, void* stream) {
  FieldTransform what{plan.transform, plan.from, plan.to, {}, {}};
  std::copy_n(from, std::max(1, plan.from.count), what.inputs);
  std::copy_n(plan.in_place ? from : to, std::max(1, plan.to.count), what.outputs);
  return status_of(transform(what, stream));
}

template <class T>
int create_one(T** place) {
  if (!place) return kInvalidArgument;
  void* made = nullptr;
  if (!create<T>(&made)) return kFailure;
  *place = static_cast<T*>(made);
  return kSuccess;
}

}  // namespace

WAVESMITH_SERVED int rocfft_setup() { return kSuccess; }
WAVESMITH_SERVED int rocfft_cleanup() { return kSuccess; }

WAVESMITH_SERVED int rocfft_get_version_string(char* text, size_t size) {
  if (!text || size < sizeof kVersion) return kInvalidArgument;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}

WAVESMITH_SERVED int rocfft_plan_description_create(Description** description) {
  if (const int status = create_one(description); status != kSuccess) return status;
  (*description)->from.array = (*description)->to.array = Array::Unset;
  (*description)->scale = 1;
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_plan_description_destroy(void* description) {
  return destroy(description, kInvalidArgument);
}
WAVESMITH_SERVED int rocfft_plan_description_set_scale_factor(Description* description, double scale) {
  if (!description) return kInvalidArgument;
  description->scale = scale;
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_plan_description_set_data_layout(Description* description, int in_array,
                                                             int out_array, const size_t* in_offsets,
                                                             const size_t* out_offsets, size_t in_count,
                                                             const size_t* in_strides, size_t in_distance,
                                                             size_t out_count, const size_t* out_strides,
                                                             size_t out_distance) {
  if (!description) return kInvalidArgument;
  const auto known = [](int array) { return array >= 0 && array <= static_cast<int>(Array::Unset); };
  if (!known(in_array) || !known(out_array)) return kInvalidType;
  if (const int status = read(description->from, static_cast<Array>(in_array), in_offsets, in_count,
                              in_strides, in_distance))
    return status;
  return read(description->to, static_cast<Array>(out_array), out_offsets, out_count, out_strides,
              out_distance);
}

/// Which GPU a brick lies on does not matter here.
WAVESMITH_SERVED int rocfft_brick_create(Brick** brick, const size_t* lower, const size_t* upper,
                                         const size_t* strides, size_t count, int) {
  if (!lower || !upper || !strides) return kInvalidArgument;
  if (count < 2 || count > static_cast<size_t>(Brick::kMost)) return kInvalidDimensions;
  if (const int status = create_one(brick); status != kSuccess) return status;
  (*brick)->count = static_cast<int>(count);
  for (size_t i = 0; i < count; ++i) {
    (*brick)->lower[i] = static_cast<int64_t>(lower[i]);
    (*brick)->upper[i] = static_cast<int64_t>(upper[i]);
    (*brick)->stride[i] = static_cast<int64_t>(strides[i]);
  }
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_brick_destroy(void* brick) { return destroy(brick, kInvalidArgument); }
WAVESMITH_SERVED int rocfft_field_create(Field** field) { return create_one(field); }
WAVESMITH_SERVED int rocfft_field_destroy(void* field) { return destroy(field, kInvalidArgument); }
WAVESMITH_SERVED int rocfft_field_add_brick(Field* field, const Brick* brick) {
  if (!field || !brick) return kInvalidArgument;
  if (field->count == Field::kMost)
    return WAVESMITH_UNSUPPORTED("rocfft_field_add_brick", "rocfft_status_failure for more than 16 bricks",
                                 kFailure);
  field->bricks[field->count++] = *brick;
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_plan_description_add_infield(Description* description, const Field* field) {
  if (!description || !field) return kInvalidArgument;
  description->from_field = *field;
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_plan_description_add_outfield(Description* description, const Field* field) {
  if (!description || !field) return kInvalidArgument;
  description->to_field = *field;
  return kSuccess;
}

WAVESMITH_SERVED int rocfft_plan_create(Plan** plan, int placement, int kind, int precision,
                                        size_t dimensions, const size_t* lengths, size_t batches,
                                        const Description* description) {
  if (!plan || !lengths || placement < 0 || placement > 1 || kind < 0 ||
      kind > static_cast<int>(Kind::ToReal) || batches == 0)
    return kInvalidArgument;
  if (dimensions < 1 || dimensions > kMost) return kInvalidDimensions;
  if (precision != kSingle && precision != kDouble)
    return WAVESMITH_UNSUPPORTED("rocfft_plan_create", "rocfft_status_failure for half precision", kFailure);
  Plan made{};
  made.in_place = placement == kInPlace;
  Fourier& what = made.transform;
  what.kind = static_cast<Kind>(kind) == Kind::FromReal ? FourierKind::FromReal
              : static_cast<Kind>(kind) == Kind::ToReal ? FourierKind::ToReal
                                                        : FourierKind::Complex;
  what.sign = static_cast<Kind>(kind) == Kind::Forward || static_cast<Kind>(kind) == Kind::FromReal ? -1 : 1;
  what.twice = precision == kDouble;
  what.dimensions = static_cast<int>(dimensions);
  what.batches = static_cast<int64_t>(batches);
  for (size_t i = 0; i < dimensions; ++i) {
    if (lengths[i] == 0) return kInvalidDimensions;
    what.sizes[dimensions - 1 - i] = static_cast<int64_t>(lengths[i]);
  }
  if (const int status = make(made, description); status != kSuccess) return status;
  if (const int status = create_one(plan); status != kSuccess) return status;
  **plan = made;
  return kSuccess;
}
WAVESMITH_SERVED int rocfft_plan_destroy(void* plan) { return destroy(plan, kInvalidArgument); }
/// Plans need no memory of the GPU's.
WAVESMITH_SERVED int rocfft_plan_get_work_buffer_size(const Plan* plan, size_t* size) {
  if (!plan || !size) return kInvalidArgument;
  *size = 0;
  return kSuccess;
}

WAVESMITH_SERVED int rocfft_execution_info_create(Execution** info) { return create_one(info); }
WAVESMITH_SERVED int rocfft_execution_info_destroy(void* info) { return destroy(info, kInvalidArgument); }
WAVESMITH_SERVED int rocfft_execution_info_set_work_buffer(Execution* info, void*, size_t) {
  return info ? kSuccess : kInvalidArgument;
}
WAVESMITH_SERVED int rocfft_execution_info_set_stream(Execution* info, void* stream) {
  if (!info) return kInvalidArgument;
  info->stream = stream;
  return kSuccess;
}

WAVESMITH_SERVED int rocfft_execute(const Plan* plan, void* const* from, void* const* to,
                                    const Execution* info) {
  if (!plan || !from || !from[0] || (!plan->in_place && (!to || !to[0]))) return kInvalidArgument;
  const Called called;
  if (plan->from.count > 0 || plan->to.count > 0)
    return execute_field(*plan, from, to, info ? info->stream : nullptr);
  Fourier what = plan->transform;
  what.input = static_cast<char*>(from[0]) + plan->offset_in;
  what.output = static_cast<char*>(plan->in_place ? from[0] : to[0]) + plan->offset_out;
  return status_of(transform(what, info ? info->stream : nullptr));
}
