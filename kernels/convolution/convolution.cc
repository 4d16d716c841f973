// The C API of convolutions: checks one, and computes it as a product of what a window sees, which is
// gathered, lies so, or is laid out by copies.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/convolution/contraction.h"
#include "kernels/convolution/depthwise_launch.h"
#include "kernels/convolution/gather.h"
#include "kernels/library/hip.h"
#include "kernels/library/named_range.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_convolution_description;
using Tensor = wavesmith_convolution_tensor;

constexpr const char* kName = "convolution";

wavesmith_kernels_status check_tensor(const Description& one, const Tensor& tensor, const std::string& name,
                                      bool looks) {
  if (!is_type(tensor.type))
    return invalid(kName, name + ".type is " + std::to_string(tensor.type) + ", no element type");
  if (!is_common_float(tensor.type))
    return not_supported(kName, name + " is of " + std::string(word_of(tensor.type)) +
                                    ": there are kernels for f32, f16 and bf16");
  for (int i = 0; i < 2 + one.dimensions; ++i) {
    if (tensor.sizes[i] < 0) return invalid(kName, name + ".sizes[" + std::to_string(i) + "] is negative");
    if (tensor.strides[i] < 0)
      return invalid(kName, name + ".strides[" + std::to_string(i) + "] is negative");
  }
  if (!looks) return succeed();
  if (!tensor.data) return invalid(kName, name + ".data is null");
  return check_aligned(kName, name + ".data", tensor.data, size_of(tensor.type));
}

/// That one size is another one.
wavesmith_kernels_status check_equal(const std::string& name, int64_t size, int64_t wanted,
                                     const std::string& why) {
  if (size == wanted) return succeed();
  return invalid(kName,
                 name + " is " + std::to_string(size) + ", not the " + std::to_string(wanted) + " " + why);
}

wavesmith_kernels_status check_sizes(const Description& one) {
  const Tensor &x = one.x, &w = one.w, &y = one.y;
  if (w.sizes[0] % one.groups != 0)
    return invalid(kName, "w.sizes[0] is " + std::to_string(w.sizes[0]) + ", no multiple of groups");
  if (const auto status = check_equal("x.sizes[1]", x.sizes[1], w.sizes[1] * one.groups, "channels of w"))
    return status;
  if (const auto status = check_equal("y.sizes[0]", y.sizes[0], x.sizes[0], "images of x")) return status;
  if (const auto status = check_equal("y.sizes[1]", y.sizes[1], w.sizes[0], "outputs of w")) return status;
  for (int i = 0; i < one.dimensions; ++i) {
    const std::string at = "[" + std::to_string(i) + "]";
    if (one.padding[i] < 0) return invalid(kName, "padding" + at + " is negative");
    if (one.step[i] < 1) return invalid(kName, "step" + at + " is less than 1");
    if (one.dilation[i] < 1) return invalid(kName, "dilation" + at + " is less than 1");
    if (w.sizes[i + 2] < 1)
      return invalid(kName, "w.sizes[" + std::to_string(i + 2) + "] is 0: a window has taps");
    const int64_t reach = x.sizes[i + 2] + 2 * one.padding[i] - one.dilation[i] * (w.sizes[i + 2] - 1) - 1;
    if (const auto status = check_equal("y.sizes[" + std::to_string(i + 2) + "]", y.sizes[i + 2],
                                        reach < 0 ? 0 : reach / one.step[i] + 1, "places of the window"))
      return status;
  }
  return succeed();
}

ByteRange range_of(const Description& one, const Tensor& tensor) {
  int64_t last = 0;
  for (int i = 0; i < 2 + one.dimensions; ++i) {
    if (tensor.sizes[i] == 0) return {};
    last += (tensor.sizes[i] - 1) * tensor.strides[i];
  }
  return ByteRange::of(tensor.data, last + 1, tensor.type);
}

/// `looks`: at data, too.
wavesmith_kernels_status check(const Description& one, bool looks) {
  if (one.direction < WAVESMITH_CONVOLUTION_OUTPUT || one.direction > WAVESMITH_CONVOLUTION_WEIGHTS)
    return invalid(kName, "direction is " + std::to_string(one.direction) + ", no direction");
  if (one.dimensions < 1 || one.dimensions > WAVESMITH_CONVOLUTION_SPACE)
    return invalid(kName, "dimensions is " + std::to_string(one.dimensions) + ", not 1 to 3");
  if (one.groups < 1) return invalid(kName, "groups is less than 1");
  if (const auto status = check_tensor(one, one.x, "x", looks)) return status;
  if (const auto status = check_tensor(one, one.w, "w", looks)) return status;
  if (const auto status = check_tensor(one, one.y, "y", looks)) return status;
  if (const auto status = check_sizes(one)) return status;
  const NamedRange tensors[] = {
      {"y", range_of(one, one.y)}, {"x", range_of(one, one.x)}, {"w", range_of(one, one.w)}};
  const Tensor* const all[] = {&one.y, &one.x, &one.w};
  std::vector<NamedRange> read;
  std::vector<wavesmith_kernels_type> types;
  for (int i = 0; i < 3; ++i)
    if (i != one.direction) read.push_back(tensors[i]), types.push_back(all[i]->type);
  if (types[0] != types[1])
    return not_supported(kName, std::string(read[0].name) + " is of " + std::string(word_of(types[0])) +
                                    " and " + read[1].name + " of " + std::string(word_of(types[1])));
  return looks ? check_apart(kName, tensors[one.direction], read) : succeed();
}

/// What a window moves over: a tensor with zeros around it, and between its elements.
struct Padded {
  int64_t before, spread, size;
};

/// Computes one convolution.
class Run {
 public:
  Run(const Description& one, Workspace& workspace, void* stream)
      : one_(one), workspace_(workspace), stream_(stream), space_(one.dimensions) {}

  wavesmith_kernels_status operator()() {
    for (int i = 0; i < 2 + space_; ++i)
      if (result().sizes[i] == 0) return succeed();
    if (is_depthwise(one_)) return convolve_depthwise();
    std::vector<Padded> around;
    for (int i = 0; i < space_; ++i) {
      const int64_t reach = one_.dilation[i] * (one_.w.sizes[i + 2] - 1);
      around.push_back(is_input() ? Padded{reach - one_.padding[i], one_.step[i], one_.x.sizes[i + 2] + reach}
                                  : Padded{one_.padding[i], 1, one_.x.sizes[i + 2] + 2 * one_.padding[i]});
    }
    moved_ = is_input() ? one_.y : one_.x;
    // Rows of channels are operands by rows, if they are of one group.
    channels_last_ = one_.groups == 1 && moved_.strides[1] == 1 && moved_.sizes[1] > 1;
    if (const auto status = turn_channels()) return status;
    const bool spreads = std::ranges::any_of(around, [](const Padded& each) { return each.spread > 1; });
    if (!spreads && gathers(around)) return convolve_gathered();
    if (const auto status = pad(around)) return status;
    if (spreads && gathers({})) return convolve_gathered();
    switch (one_.direction) {
      case WAVESMITH_CONVOLUTION_OUTPUT:
        return convolve(weights(), one_.y);
      case WAVESMITH_CONVOLUTION_INPUT:
        return convolve(turned_weights(), one_.x);
      default:
        return weights_gradient();
    }
  }

 private:
  [[nodiscard]] bool is_input() const { return one_.direction == WAVESMITH_CONVOLUTION_INPUT; }
  [[nodiscard]] const Tensor& result() const {
    return one_.direction == WAVESMITH_CONVOLUTION_OUTPUT ? one_.y : is_input() ? one_.x : one_.w;
  }
  [[nodiscard]] bool is_batched() const {  // by images: else by groups, with the images among the places
    const bool writes_rows = channels_last_ && result().strides[1] == 1;
    return one_.groups == 1 && !writes_rows && !gather_ && one_.direction != WAVESMITH_CONVOLUTION_WEIGHTS;
  }
  static Axis axis(const Tensor& tensor, int of) { return {tensor.sizes[of], tensor.strides[of]}; }

  static wavesmith_kernels_status no_room() {
    return invalid(kName, "the workspace has fewer bytes than wavesmith_kernels_convolution_workspace says");
  }
  wavesmith_kernels_status convolve_depthwise() {
    const int64_t bytes = depthwise_workspace(one_);
    void* const memory = bytes > 0 ? workspace_.take(bytes) : nullptr;
    if (bytes > 0 && !memory) return no_room();
    return workspace_.counts() ? succeed() : launch_depthwise(one_, memory, stream_);
  }

  /// A place of its own for what is moved over, with these sizes in space.
  wavesmith_kernels_status make_room(Tensor& made, int64_t& bytes) {
    int64_t count = 1;
    const auto pack = [&](int of) { made.strides[of] = std::exchange(count, count * made.sizes[of]); };
    if (channels_last_) pack(1);
    for (int i = space_; i-- > 0;) pack(i + 2);
    if (!channels_last_) pack(1);
    pack(0);
    bytes = count * size_of(made.type);
    made.data = workspace_.take(bytes);
    return made.data ? succeed() : no_room();
  }

  /// Moves channels together, if what a window of several taps sees is then copied several elements at once:
  /// it is as many times larger as there are taps.
  wavesmith_kernels_status turn_channels() {
    constexpr int64_t kTogether = 8, kEnoughTaps = 4;
    int64_t taps = 1, bytes = 0;
    for (int i = 0; i < space_; ++i) taps *= one_.w.sizes[i + 2];
    if (channels_last_ || one_.groups > 1 || taps < kEnoughTaps || moved_.sizes[1] == 0 ||
        moved_.sizes[1] % kTogether != 0)
      return succeed();
    channels_last_ = true;
    Tensor made = moved_;
    if (const auto status = make_room(made, bytes)) return status;
    StridedMatrices from{moved_.data, moved_.type, {axis(moved_, 0)}, {axis(moved_, 1)}, {}};
    StridedMatrices to{made.data, made.type, {axis(made, 0)}, {axis(made, 1)}, {}};
    for (int i = 0; i < space_; ++i) {
      from.columns.push_back(axis(moved_, i + 2));
      to.columns.push_back(axis(made, i + 2));
    }
    moved_ = made;
    return copy_elements(from, to, workspace_, stream_);
  }

  /// Makes what is moved over a copy with its zeros, if there are any.
  wavesmith_kernels_status pad(const std::vector<Padded>& around) {
    bool needed = false;
    for (int i = 0; i < space_; ++i)
      needed |= around[i].before != 0 || around[i].size != moved_.sizes[i + 2] ||
                (around[i].spread > 1 && moved_.sizes[i + 2] > 1);
    if (!needed) return succeed();
    Tensor made = moved_;
    for (int i = 0; i < space_; ++i) made.sizes[i + 2] = around[i].size;
    int64_t bytes = 0;
    if (const auto status = make_room(made, bytes)) return status;
    if (!workspace_.counts() && hipMemsetAsync(made.data, 0, static_cast<size_t>(bytes), stream_) != 0)
      return fail(WAVESMITH_KERNELS_HIP_ERROR, "convolution: hipMemsetAsync failed");
    // Elements that are in it: of a gradient those of windows beyond the input's end are not.
    StridedMatrices from{moved_.data, moved_.type, {}, {axis(moved_, 0), axis(moved_, 1)}, {}};
    StridedMatrices to{made.data, made.type, {}, {axis(made, 0), axis(made, 1)}, {}};
    int64_t first_from = 0, first_to = 0;
    for (int i = 0; i < space_; ++i) {
      const auto [before, spread, size] = around[i];
      const int64_t first = before < 0 ? (-before + spread - 1) / spread : 0;
      const int64_t end = std::clamp<int64_t>(size > before ? (size - before + spread - 1) / spread : 0,
                                              first, std::max(first, moved_.sizes[i + 2]));
      first_from += first * moved_.strides[i + 2];
      first_to += (before + first * spread) * made.strides[i + 2];
      from.columns.push_back({end - first, moved_.strides[i + 2]});
      to.columns.push_back({end - first, made.strides[i + 2] * spread});
    }
    from.data = static_cast<char*>(from.data) + first_from * size_of(moved_.type);
    to.data = static_cast<char*>(to.data) + first_to * size_of(made.type);
    moved_ = made;
    for (const Axis& each : from.columns)
      if (each.size == 0) return succeed();
    return copy_elements(from, to, workspace_, stream_);
  }

  /// Channels of a group and taps, in the order in which they are summed up.
  [[nodiscard]] Axes summed(Axis channels, const Axes& taps) const {
    Axes all = taps;
    all.insert(channels_last_ ? all.end() : all.begin(), channels);
    return all;
  }
  [[nodiscard]] Axes places(const Tensor& tensor) const {
    Axes all;
    if (!is_batched()) all.push_back(axis(tensor, 0));
    for (int i = 0; i < space_; ++i) all.push_back(axis(tensor, i + 2));
    return all;
  }
  [[nodiscard]] Axes batch(int64_t images_stride, int64_t group_stride) const {
    return {is_batched() ? Axis{one_.x.sizes[0], images_stride} : Axis{one_.groups, group_stride}};
  }

  /// What the window sees: rows are the summed axes, columns its places.
  [[nodiscard]] StridedMatrices seen(const Tensor& places_of) const {
    Axes taps, at;
    if (!is_batched()) at.push_back(axis(moved_, 0));
    for (int i = 0; i < space_; ++i) {
      const int64_t step = is_input() ? 1 : one_.step[i];
      taps.push_back({one_.w.sizes[i + 2], moved_.strides[i + 2] * one_.dilation[i]});
      at.push_back({places_of.sizes[i + 2], moved_.strides[i + 2] * step});
    }
    const Axis channels{moved_.sizes[1] / one_.groups, moved_.strides[1]};
    return {moved_.data, moved_.type, batch(moved_.strides[0], channels.size * channels.stride),
            summed(channels, taps), at};
  }
  /// Rows are outputs of a group, columns the summed axes.
  [[nodiscard]] StridedMatrices weights() const {
    Axes taps;
    for (int i = 0; i < space_; ++i) taps.push_back(axis(one_.w, i + 2));
    const int64_t outputs = one_.w.sizes[0] / one_.groups;
    return {one_.w.data,
            one_.w.type,
            batch(0, outputs * one_.w.strides[0]),
            {{outputs, one_.w.strides[0]}},
            summed(axis(one_.w, 1), taps)};
  }
  /// Rows are channels of a group, columns its outputs and taps.
  [[nodiscard]] StridedMatrices weights_by_channels() const {
    Axes taps;
    for (int i = 0; i < space_; ++i) taps.push_back(axis(one_.w, i + 2));
    const int64_t outputs = one_.w.sizes[0] / one_.groups;
    return {one_.w.data,
            one_.w.type,
            batch(0, outputs * one_.w.strides[0]),
            {axis(one_.w, 1)},
            summed({outputs, one_.w.strides[0]}, taps)};
  }
  /// The same, the last tap first.
  [[nodiscard]] StridedMatrices turned_weights() const {
    StridedMatrices made = weights_by_channels();
    int64_t last = 0;
    for (int i = 0; i < space_; ++i) {
      made.columns[static_cast<size_t>(i) + (channels_last_ ? 0 : 1)].stride *= -1;
      last += (one_.w.sizes[i + 2] - 1) * one_.w.strides[i + 2];
    }
    made.data = static_cast<char*>(made.data) + last * size_of(made.type);
    return made;
  }
  /// A tensor of images: rows are channels of a group, columns places.
  [[nodiscard]] StridedMatrices images(const Tensor& tensor) const {
    const Axis channels{tensor.sizes[1] / one_.groups, tensor.strides[1]};
    return {tensor.data,
            tensor.type,
            batch(tensor.strides[0], channels.size * channels.stride),
            {channels},
            places(tensor)};
  }
  static StridedMatrices turned(StridedMatrices of) {
    std::swap(of.rows, of.columns);
    return of;
  }

  wavesmith_kernels_status convolve(const StridedMatrices& factors, const Tensor& to) {
    if (channels_last_)
      return contract(kName, turned(seen(to)), turned(factors), turned(images(to)), workspace_, stream_);
    return contract(kName, factors, seen(to), images(to), workspace_, stream_);
  }
  /// Whether a product gathers what the window sees: not where that is a matrix as it lies. `around`: the
  /// zeros that are not in memory.
  bool gathers(const std::vector<Padded>& around) {
    const bool is_weights = one_.direction == WAVESMITH_CONVOLUTION_WEIGHTS;
    const Tensor& places_of = is_weights ? one_.y : result();
    WindowMoves moves[WAVESMITH_CONVOLUTION_SPACE];
    bool moves_so = false;  // otherwise each place sees what lies there
    for (int i = 0; i < space_; ++i) {
      const int64_t taps = one_.w.sizes[i + 2], dilation = one_.dilation[i];
      const int64_t before = around.empty() ? 0 : around[static_cast<size_t>(i)].before;
      moves[i] = {places_of.sizes[i + 2], taps, -before, one_.step[i], dilation};
      // With weights that are not turned around.
      if (is_input()) moves[i] = {moves[i].places, taps, dilation * (taps - 1) - before, 1, -dilation};
      moves_so |= taps > 1 || moves[i].first != 0 || moves[i].step != 1;
    }
    if (moves_so) gather_ = gather_of(moved_, one_.groups, space_, moves, is_weights);
    channels_last_ |= gather_.has_value();
    return gather_.has_value();
  }
  wavesmith_kernels_status convolve_gathered() {
    if (one_.direction == WAVESMITH_CONVOLUTION_WEIGHTS)
      return contract(kName, images(one_.y), turned(seen(one_.y)), weights(), workspace_, stream_,
                      Gathered::B, *gather_);
    const Tensor& to = result();
    const StridedMatrices factors = is_input() ? weights_by_channels() : weights();
    return contract(kName, turned(seen(to)), turned(factors), turned(images(to)), workspace_, stream_,
                    Gathered::A, *gather_);
  }
  wavesmith_kernels_status weights_gradient() {
    return contract(kName, images(one_.y), turned(seen(one_.y)), weights(), workspace_, stream_);
  }

  const Description& one_;
  Workspace& workspace_;
  void* const stream_;
  const int space_;
  Tensor moved_{};
  bool channels_last_ = false;
  std::optional<GemmGather> gather_;
};

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_convolution_workspace(
    const wavesmith_convolution_description* convolution, size_t* bytes) {
  if (!convolution) return invalid(kName, "the description is null");
  if (!bytes) return invalid(kName, "bytes is null");
  if (const auto status = check(*convolution, false)) return status;
  Description one = *convolution;
  // No memory is looked at: each tensor lies somewhere by itself, as aligned as it is.
  uintptr_t somewhere = 0;
  for (Tensor* const each : {&one.x, &one.w, &one.y})
    each->data = reinterpret_cast<void*>((somewhere += uintptr_t{1} << 44) +
                                         reinterpret_cast<uintptr_t>(each->data) % 16);
  Workspace counted;
  if (const auto status = Run(one, counted, nullptr)()) return status;
  *bytes = counted.taken();
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_convolution(const wavesmith_convolution_description* convolution,
                                                       void* stream) {
  if (!convolution) return invalid(kName, "the description is null");
  if (const auto status = check(*convolution, true)) return status;
  if (convolution->workspace && reinterpret_cast<uintptr_t>(convolution->workspace) % 16 != 0)
    return invalid(kName, "workspace is not aligned to 16 bytes");
  Workspace workspace(convolution->workspace, convolution->workspace ? convolution->workspace_bytes : 0);
  return Run(*convolution, workspace, stream)();
}
