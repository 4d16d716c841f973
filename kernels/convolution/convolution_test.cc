// Convolutions and their gradients on a GPU of each target, against sums of every product in double
// precision.
#include <functional>

#include "kernels/refusal_testing.h"
#include "kernels/testing.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_convolution_description;
using Index = std::vector<int64_t>;

/// A tensor of the host with room between its elements, all NaN at first.
struct HostTensor {
  Elements elements;
  Index sizes, strides;

  HostTensor(Type type, Index sizes_, Index strides_)
      : sizes(std::move(sizes_)), strides(std::move(strides_)) {
    int64_t last = 0;
    for (size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
    elements = Elements(type, static_cast<size_t>(std::max<int64_t>(last, 0) + 1));
  }
  [[nodiscard]] size_t at(const Index& index) const {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i) place += index[i] * strides[i];
    return static_cast<size_t>(place);
  }
  [[nodiscard]] wavesmith_convolution_tensor on(const OnGpu& gpu) const {
    wavesmith_convolution_tensor made{};
    made.data = gpu.data(), made.type = elements.type;
    std::ranges::copy(sizes, made.sizes), std::ranges::copy(strides, made.strides);
    return made;
  }
};

void each(const Index& sizes, const std::function<void(const Index&)>& use) {
  Index at(sizes.size(), 0);
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  for (;;) {
    use(at);
    size_t i = sizes.size();
    while (i > 0 && ++at[i - 1] == sizes[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

class Convolution : public OnEachGpu {
 protected:
  bool last_channels_ = false;  ///< all tensors have their channels together, and no gaps

  struct Case {
    Description one{};
    Index x, w, y;
  };

  /// `most`: of a size in space.
  Case any_case(int dimensions, int64_t most) {
    Case made;
    Description& one = made.one;
    one.direction = static_cast<wavesmith_convolution_direction>(between(0, 2));
    one.dimensions = dimensions;
    one.groups = one_of<int64_t>({1, 1, 1, 2, 3});
    made.x = {between(1, 3), one.groups * one_of<int64_t>({1, between(1, 5), 8})};
    made.w = {one.groups * one_of<int64_t>({between(1, 6), 8}), made.x[1] / one.groups};
    made.y = {made.x[0], made.w[0]};
    for (int i = 0; i < dimensions; ++i) {
      one.padding[i] = between(0, 2), one.step[i] = between(1, 3), one.dilation[i] = between(1, 2);
      made.w.push_back(one_of<int64_t>({1, between(1, 4)}));
      const int64_t reach = one.dilation[i] * (made.w.back() - 1) + 1;
      made.x.push_back(std::max<int64_t>(1, reach - 2 * one.padding[i]) + between(0, most));
      made.y.push_back((made.x.back() + 2 * one.padding[i] - reach) / one.step[i] + 1);
    }
    return made;
  }

  /// One whose windows a product may gather: enough channels of what is moved over.
  Case wide_case(int dimensions) {
    Case made = any_case(dimensions, dimensions == 1 ? 30 : 4);
    const bool input = between(0, 1) == 1;
    made.one.direction = input ? WAVESMITH_CONVOLUTION_INPUT : WAVESMITH_CONVOLUTION_OUTPUT;
    made.one.groups = one_of<int64_t>({1, 1, 2});
    const int64_t moved = one_of<int64_t>({64, 72, 96}), other = one_of<int64_t>({between(1, 12), 16});
    made.w[0] = made.y[1] = made.one.groups * (input ? moved : other);
    made.w[1] = input ? other : moved;
    made.x[1] = made.one.groups * made.w[1];
    return made;
  }

  HostTensor any_tensor(Type type, const Index& sizes) {
    std::vector<size_t> order(sizes.size());  // the slowest first
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (last_channels_ || between(0, 1) == 0)
      std::ranges::rotate(order.begin() + 1, order.begin() + 2, order.end());
    Index strides(sizes.size());
    int64_t next = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = next;
      next *= std::max<int64_t>(sizes[order[i]], 1);
      if (!last_channels_ && between(0, 5) == 0) next += between(0, 3);
    }
    HostTensor made(type, sizes, strides);
    each(sizes, [&](const Index& at) { made.elements.set(made.at(at), normal()); });
    return made;
  }

  /// Convolves, in a workspace of its own, and waits.
  static void run(Description& one) {
    ASSERT_EQ(wavesmith_kernels_convolution_workspace(&one, &one.workspace_bytes), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, one.workspace_bytes));
    one.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_convolution(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }

  /// Images, or a window, of so many channels that lie side by side.
  static HostTensor square(Type type, int64_t first, int64_t side, int64_t channels) {
    return HostTensor(type, {first, channels, side, side},
                      {side * side * channels, 1, side * channels, channels});
  }

  void check(Case given, Type read, Type written) {
    Description& one = given.one;
    SCOPED_TRACE(testing::Message() << "direction " << one.direction << ", " << one.dimensions
                                    << " dimensions, " << one.groups << " groups, types " << read << " and "
                                    << written);
    const Index all[] = {given.y, given.x, given.w};
    std::vector<HostTensor> tensors;
    for (int i = 0; i < 3; ++i) {
      const bool result = i == one.direction;
      tensors.push_back(any_tensor(result ? written : read, all[i]));
      if (result) tensors.back().elements = Elements(written, tensors.back().elements.count());
    }
    const OnGpu y(tensors[0].elements), x(tensors[1].elements), w(tensors[2].elements);
    one.y = tensors[0].on(y), one.x = tensors[1].on(x), one.w = tensors[2].on(w);
    run(one);
    if (HasFatalFailure()) return;
    HostTensor& result = tensors[static_cast<size_t>(one.direction)];
    const Elements before = result.elements;
    (one.direction == 0 ? y : one.direction == 1 ? x : w).copy_to(result.elements);
    compare(given, tensors, before);
  }

  /// The result with sums over each output, channel and tap, and what lies between its elements with what was
  /// there before.
  void compare(const Case& given, std::vector<HostTensor>& tensors, const Elements& before) {
    const Description& one = given.one;
    HostTensor& result = tensors[static_cast<size_t>(one.direction)];
    const size_t count = result.elements.count();
    std::vector<double> sums(count), sizes(count), may_lack(count);  // what CDNA2 takes for 0
    std::vector<int64_t> terms(count);
    const Index window(given.w.begin() + 2, given.w.end());
    each(given.y, [&](const Index& to) {
      for (int64_t c = 0; c < given.w[1]; ++c)
        each(window, [&](const Index& tap) {
          Index from{to[0], to[1] / (given.w[0] / one.groups) * given.w[1] + c}, weight{to[1], c};
          for (int i = 0; i < one.dimensions; ++i) {
            from.push_back(to[i + 2] * one.step[i] + tap[i] * one.dilation[i] - one.padding[i]);
            weight.push_back(tap[i]);
            if (from.back() < 0 || from.back() >= given.x[i + 2]) return;
          }
          const Index* const at[] = {&to, &from, &weight};
          double product = 1;
          bool may_count_as_0 = false;
          for (int i = 0; i < 3; ++i) {
            if (i == one.direction) continue;
            const double factor = tensors[i].elements.get(tensors[i].at(*at[i]));
            product *= factor;
            may_count_as_0 |= GetParam() == 0 && tensors[i].elements.type == WAVESMITH_KERNELS_F16 &&
                              std::abs(factor) < 0x1p-14;
          }
          const size_t place = result.at(*at[one.direction]);
          sums[place] += product, sizes[place] += std::abs(product), ++terms[place];
          if (may_count_as_0) may_lack[place] += std::abs(product);
        });
    });
    std::vector<bool> is_element(count);
    ErrorNote note;
    each(result.sizes, [&](const Index& index) {
      const size_t at = result.at(index);
      is_element[at] = true;
      const double allowed = rounded_error(
          result.elements.type, sums[at],
          static_cast<double>(terms[at] + 1) * (0x1p-24 * sizes[at] + 0x1p-14 * 0x1p-10) + may_lack[at]);
      note.add(std::abs(result.elements.get(at) - sums[at]), allowed);
      ASSERT_NEAR(result.elements.get(at), sums[at], allowed);
    });
    for (size_t at = 0; at < count; ++at)
      if (!is_element[at]) {
        const size_t bytes = bytes_of(before.type);
        ASSERT_EQ(std::memcmp(&result.elements.bytes[at * bytes], &before.bytes[at * bytes], bytes), 0)
            << "element " << at << " was written, which is none";
      }
  }
};

TEST_P(Convolution, EachDirectionEqualsSumsInDoublePrecision) {
  for (int round = 0; round < 36; ++round) {
    const Type read = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    const Type written = between(0, 2) == 0 ? WAVESMITH_KERNELS_F32 : read;
    const int dimensions = 1 + round % 3;
    check(any_case(dimensions, dimensions == 1 ? 200 : 7), read, written);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Convolution, WindowsOfManyChannelsAreGathered) {
  for (int round = 0; round < 12; ++round) {
    const Type read = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    check(wide_case(1 + round % 3), read, between(0, 2) == 0 ? WAVESMITH_KERNELS_F32 : read);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Convolution, WeightsGradientsGatherAlongThePlaces) {
  for (int round = 0; round < 18; ++round) {
    const int dimensions = 1 + round % 3;
    Case given = any_case(dimensions, dimensions == 1 ? 300 : 9);
    given.one.direction = WAVESMITH_CONVOLUTION_WEIGHTS;
    given.one.groups = one_of<int64_t>({1, 1, 2, 3});
    const int64_t outputs = one_of<int64_t>({1, between(2, 12), 72}), channels = 8 * between(1, 5);
    given.w[0] = given.y[1] = given.one.groups * outputs;
    given.w[1] = channels, given.x[1] = given.one.groups * channels;
    if (round % 4 == 3)  // more zeros than the window has taps
      for (int i = 0; i < dimensions; ++i) {
        const int64_t reach = given.one.dilation[i] * (given.w[i + 2] - 1) + 1;
        given.one.padding[i] = reach + between(0, 2);
        given.y[i + 2] = (given.x[i + 2] + 2 * given.one.padding[i] - reach) / given.one.step[i] + 1;
      }
    const Type read = round % 2 == 0 ? WAVESMITH_KERNELS_F16 : WAVESMITH_KERNELS_BF16;
    last_channels_ = round % 3 != 2;  // otherwise operands are copied, unless they have no gaps by chance
    check(given, read, between(0, 2) == 0 ? WAVESMITH_KERNELS_F32 : read);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Convolution, WeightsGradientsGatherByTilesOfEverySize) {
  // 3 by 3, of which some results are looked at: two rounds of the largest tiles; and few outputs, which
  // would leave most of those empty, in a round of the small ones.
  struct Size {
    int64_t images, side, channels, outputs;
  };
  constexpr Size kSizes[] = {{3, 5, 1024, 512}, {1, 18, 3600, 40}};
  constexpr int64_t kWindow = 3;
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const auto [images, side, channels, outputs] : kSizes) {
      HostTensor x = square(type, images, side, channels), w = square(type, outputs, kWindow, channels),
                 y = square(type, images, side, outputs);
      for (HostTensor* const each : {&x, &y})
        for (size_t i = 0; i < each->elements.count(); ++i) each->elements.set(i, normal());
      const OnGpu on_x(x.elements), on_w(w.elements), on_y(y.elements);
      Description one{};
      one.direction = WAVESMITH_CONVOLUTION_WEIGHTS, one.dimensions = 2, one.groups = 1;
      for (int i = 0; i < 2; ++i) one.padding[i] = one.step[i] = one.dilation[i] = 1;
      one.x = x.on(on_x), one.w = w.on(on_w), one.y = y.on(on_y);
      run(one);
      if (HasFatalFailure()) return;
      on_w.copy_to(w.elements);
      ErrorNote note;
      for (int sample = 0; sample < 300; ++sample) {
        const Index at{between(0, outputs - 1), between(0, channels - 1), between(0, 2), between(0, 2)};
        double sum = 0, size = 0;
        int64_t subnormal = 0;
        each({images, side, side}, [&](const Index& place) {
          const Index from{place[0], at[1], place[1] + at[2] - 1, place[2] + at[3] - 1};
          if (std::min(from[2], from[3]) < 0 || std::max(from[2], from[3]) >= side) return;
          const double a = x.elements.get(x.at(from)),
                       b = y.elements.get(y.at({place[0], at[0], place[1], place[2]}));
          sum += a * b, size += std::abs(a * b);
          subnormal += std::min(std::abs(a), std::abs(b)) < 0x1p-14;
        });
        const double terms = static_cast<double>(images * side * side + 1);
        const double allowed =
            rounded_error(type, sum, terms * 0x1p-24 * size + static_cast<double>(subnormal) * 0x1p-11);
        note.add(std::abs(w.elements.get(w.at(at)) - sum), allowed);
        ASSERT_NEAR(w.elements.get(w.at(at)), sum, allowed) << "sample " << sample;
      }
    }
}

TEST_P(Convolution, ChannelsByThemselvesAreWhatTheirWindowsSee) {
  for (int round = 0; round < 24; ++round) {
    const int dimensions = 1 + round % 3;
    Case given = any_case(dimensions, dimensions > 1 ? 9 : round < 14 ? 200 : 1500);
    given.one.direction = round >= 14          ? WAVESMITH_CONVOLUTION_WEIGHTS
                          : between(0, 1) == 1 ? WAVESMITH_CONVOLUTION_INPUT
                                               : WAVESMITH_CONVOLUTION_OUTPUT;
    given.one.groups = one_of<int64_t>({3, 8, 72, between(2, 70)});
    if (round % 14 < 2) given.one.groups = round % 2 == 0 ? 72 : 5;  // each kernel
    given.x[1] = given.w[0] = given.y[1] = given.one.groups;
    given.w[1] = 1;
    const Type read = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    last_channels_ = round % 2 == 0;  // without gaps, so that channels go by eights
    check(given, read, between(0, 2) == 0 ? WAVESMITH_KERNELS_F32 : read);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Convolution, TilesOfEverySizeAreGathered) {
  // Channels last, 3 by 3, as many places as the largest tiles want, of which some are looked at.
  constexpr int64_t kSides[] = {8, 100}, kChannels = 64, kWindow = 3;
  for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
    for (const int64_t side : kSides) {
      const int64_t outputs = side > 8 ? 128 : 40;
      HostTensor x = square(type, 2, side, kChannels), w = square(type, outputs, kWindow, kChannels),
                 y = square(type, 2, side, outputs);
      for (HostTensor* const each : {&x, &w})
        for (size_t i = 0; i < each->elements.count(); ++i) each->elements.set(i, normal());
      const OnGpu on_x(x.elements), on_w(w.elements), on_y(y.elements);
      Description one{};
      one.dimensions = 2, one.groups = 1;
      for (int i = 0; i < 2; ++i) one.padding[i] = one.step[i] = one.dilation[i] = 1;
      one.x = x.on(on_x), one.w = w.on(on_w), one.y = y.on(on_y);
      run(one);
      if (HasFatalFailure()) return;
      on_y.copy_to(y.elements);
      ErrorNote note;
      for (int sample = 0; sample < 300; ++sample) {
        const Index at{between(0, 1), between(0, outputs - 1), between(0, side - 1), between(0, side - 1)};
        double sum = 0, size = 0;
        int64_t subnormal = 0;
        each({kChannels, kWindow, kWindow}, [&](const Index& tap) {
          const Index from{at[0], tap[0], at[2] + tap[1] - 1, at[3] + tap[2] - 1};
          if (std::min(from[2], from[3]) < 0 || std::max(from[2], from[3]) >= side) return;
          const double a = x.elements.get(x.at(from)),
                       b = w.elements.get(w.at({at[1], tap[0], tap[1], tap[2]}));
          sum += a * b, size += std::abs(a * b);
          subnormal += std::min(std::abs(a), std::abs(b)) < 0x1p-14;
        });
        const double terms = static_cast<double>(kChannels * kWindow * kWindow + 1);
        const double allowed =
            rounded_error(type, sum, terms * 0x1p-24 * size + static_cast<double>(subnormal) * 0x1p-11);
        note.add(std::abs(y.elements.get(y.at(at)) - sum), allowed);
        ASSERT_NEAR(y.elements.get(y.at(at)), sum, allowed) << "side " << side << ", sample " << sample;
      }
    }
}

TEST_P(Convolution, TensorsOfChannelsLastAndPointsAreWhatProductsRead) {
  // A window of one tap, and images whose channels are rows: neither is copied.
  Case one;
  one.one.dimensions = 2, one.one.groups = 1;
  one.x = {2, 16, 5, 4}, one.w = {8, 16, 1, 1}, one.y = {2, 8, 5, 4};
  for (int i = 0; i < 2; ++i) one.one.step[i] = one.one.dilation[i] = 1;
  Description d = one.one;
  const auto tensor = [](const Index& sizes, const Index& strides) {
    wavesmith_convolution_tensor made{};
    made.type = WAVESMITH_KERNELS_F16;
    std::ranges::copy(sizes, made.sizes), std::ranges::copy(strides, made.strides);
    return made;
  };
  d.x = tensor(one.x, {320, 1, 64, 16}), d.w = tensor(one.w, {16, 1, 1, 1}),
  d.y = tensor(one.y, {160, 1, 32, 8});
  size_t bytes = 1;
  ASSERT_EQ(wavesmith_kernels_convolution_workspace(&d, &bytes), WAVESMITH_KERNELS_SUCCESS);
  EXPECT_EQ(bytes, 0U);
}

TEST_P(Convolution, NothingIsASumToo) {
  Case one;
  one.one.dimensions = 1, one.one.groups = 1, one.one.step[0] = one.one.dilation[0] = 1;
  one.one.direction = WAVESMITH_CONVOLUTION_WEIGHTS;
  one.x = {0, 3, 9}, one.w = {4, 3, 2}, one.y = {0, 4, 8};
  check(one, WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F32);
  one.x = {2, 0, 9}, one.w = {4, 0, 2}, one.y = {2, 4, 8};
  one.one.direction = WAVESMITH_CONVOLUTION_OUTPUT;
  check(one, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_F16);
  one.x = {1, 2, 1}, one.w = {4, 2, 3}, one.y = {1, 4, 0};
  one.one.direction = WAVESMITH_CONVOLUTION_INPUT;
  check(one, WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F32);
}

TEST_P(Convolution, WhatIsWrongIsRefused) {
  Case given;
  given.one.dimensions = 1, given.one.groups = 1, given.one.step[0] = given.one.dilation[0] = 1;
  HostTensor x(WAVESMITH_KERNELS_F32, {1, 2, 9}, {18, 9, 1}), w(WAVESMITH_KERNELS_F32, {3, 2, 2}, {4, 2, 1}),
      y(WAVESMITH_KERNELS_F32, {1, 3, 8}, {24, 8, 1});
  const OnGpu on_x(x.elements), on_w(w.elements), on_y(y.elements);
  Description right = given.one;
  right.x = x.on(on_x), right.w = w.on(on_w), right.y = y.on(on_y);
  const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, 4096));
  right.workspace = workspace.data(), right.workspace_bytes = 4096;
  ASSERT_EQ(wavesmith_kernels_convolution(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  const auto refuses = [&](const char* why, wavesmith_kernels_status status, auto change) {
    Description wrong = right;
    change(wrong);
    EXPECT_EQ(wavesmith_kernels_convolution(&wrong, nullptr), status);
    EXPECT_NE(std::string(wavesmith_kernels_message()).find(why), std::string::npos)
        << wavesmith_kernels_message();
  };
  constexpr auto kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  refuses("not 1 to 3", kInvalid, [](Description& d) { d.dimensions = 4; });
  refuses("no direction", kInvalid, [](Description& d) { d.direction = wavesmith_convolution_direction{3}; });
  refuses("groups is less", kInvalid, [](Description& d) { d.groups = 0; });
  refuses("no multiple of groups", kInvalid, [](Description& d) { d.groups = 2; });
  refuses("places of the window", kInvalid, [](Description& d) { d.y.sizes[2] = 7; });
  refuses("channels of w", kInvalid, [](Description& d) { d.x.sizes[1] = 1; });
  refuses("images of x", kInvalid, [](Description& d) { d.x.sizes[0] = 2; });
  refuses("step[0] is less", kInvalid, [](Description& d) { d.step[0] = 0; });
  refuses("x.data is null", kInvalid, [](Description& d) { d.x.data = nullptr; });
  refuses("strides[1] is negative", kInvalid, [](Description& d) { d.w.strides[1] = -2; });
  refuses("y overlaps x", kInvalid, [](Description& d) { d.y.data = d.x.data; });
  refuses("workspace has fewer bytes", kInvalid, [](Description& d) { d.workspace_bytes = 0; });
  refuses("not aligned to 16", kInvalid,
          [](Description& d) { d.workspace = static_cast<char*>(d.workspace) + 4; });
  refuses("x is of i8", kNot, [](Description& d) { d.x.type = WAVESMITH_KERNELS_I8; });
  refuses("x is of f16 and w of f32", kNot, [](Description& d) { d.x.type = WAVESMITH_KERNELS_F16; });
  EXPECT_EQ(wavesmith_kernels_convolution(nullptr, nullptr), kInvalid);
}

INSTANTIATE_TEST_SUITE_P(On, Convolution, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
