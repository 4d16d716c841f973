// Random numbers on a GPU of each target, beside those that the host makes of the same bits.
#include <cmath>
#include <functional>

#include "kernels/library/hip.h"
#include "kernels/pointwise/strided_testing.h"
#include "kernels/random/philox.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_random.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_random_description;

/// Where a thread's words come from.
struct Words {
  uint64_t seed, offset;
  [[nodiscard]] PhiloxBlock block(int64_t thread, int64_t number) const {
    return philox(seed, offset / 4 + static_cast<uint64_t>(number), static_cast<uint64_t>(thread));
  }
};

/// The block that an element is drawn of, and its place there.
struct Drawn {
  PhiloxBlock block;
  int place;
};
/// Threads have elements that lie as many apart as there are threads, so many of a block.
Drawn drawn_apart(const Words& words, int64_t element, int64_t threads, int count) {
  const int64_t round = element / threads;
  return {words.block(element % threads, round / count), static_cast<int>(round % count)};
}
/// Threads have elements that follow each other.
Drawn drawn_together(const Words& words, int64_t element, int64_t threads, int count) {
  const int64_t group = element / count;
  return {words.block(group % threads, group / threads), static_cast<int>(element % count)};
}

double unit(unsigned bits) { return static_cast<double>(static_cast<float>(bits) * 0x1p-32F + 0x1p-32F); }
double unit53(uint64_t bits) { return static_cast<double>(bits) * 0x1p-53 + 0x1p-53; }
double wide_unit(const PhiloxBlock& block, int place) {
  const unsigned* words = &block.words[2 * place];
  return unit53(words[0] | static_cast<uint64_t>(words[1] >> 11) << 32);
}
double polar_unit(const PhiloxBlock& block, int place) {
  const unsigned* words = &block.words[2 * place];
  return unit53(words[0] ^ static_cast<uint64_t>(words[1]) << 21);
}

double uniform_of(Number type, const Drawn& drawn) {
  return type == WAVESMITH_POINTWISE_F64 ? wide_unit(drawn.block, drawn.place)
                                         : unit(drawn.block.words[drawn.place]);
}
double normal_of(Number type, const Drawn& drawn) {
  double radius = 0, angle = 0;
  if (type == WAVESMITH_POINTWISE_F64) {
    radius = polar_unit(drawn.block, 0), angle = 2 * M_PI * polar_unit(drawn.block, 1);
  } else {
    const int first = drawn.place / 2 * 2;
    radius = unit(drawn.block.words[first]), angle = 2 * M_PI * unit(drawn.block.words[first + 1]);
  }
  const bool second = drawn.place % 2 != 0;
  return std::sqrt(-2 * std::log(radius)) * (second ? std::cos(angle) : std::sin(angle));
}

/// A number, and how far the device's may be off beside the rounding to y's type.
struct Expected {
  double value, error;
  double instead = std::nan("");  ///< which is right, too
};
Expected expected_of(const Description& one, const Drawn& drawn) {
  const bool is_double = one.y.type == WAVESMITH_POINTWISE_F64;
  const double u = uniform_of(one.y.type, drawn), ulp = is_double ? 0x1p-50 : 0x1p-20;
  const double z = normal_of(one.y.type, drawn);
  const double normal = one.p + one.q * z;
  const double normal_error = ulp * (std::abs(one.p) + std::abs(one.q) * (6 + std::abs(z)));
  switch (one.operation) {
    case WAVESMITH_RANDOM_UNIFORM:
      // What is rounded to q becomes p.
      return {one.p + u * (one.q - one.p), ulp * (std::abs(one.p) + std::abs(one.q)),
              u > 1 - 0x1p-6 ? one.p : std::nan("")};
    case WAVESMITH_RANDOM_NORMAL:
      return {normal, normal_error};
    case WAVESMITH_RANDOM_LOG_NORMAL:
      return {std::exp(normal), std::exp(normal) * (normal_error + ulp * (2 + std::abs(normal)))};
    case WAVESMITH_RANDOM_EXPONENTIAL:
      return {-std::log(u) / one.p, ulp * (1 - std::log(u)) / one.p};
    case WAVESMITH_RANDOM_CAUCHY: {
      const double tangent = std::tan(M_PI * (u - 0.5));
      return {one.p + one.q * tangent,
              ulp * (std::abs(one.p) + std::abs(one.q) * (1 + std::abs(tangent) + tangent * tangent))};
    }
    case WAVESMITH_RANDOM_GEOMETRIC: {
      const double trials = std::log(u) / std::log1p(-one.p), error = trials * ulp;
      return {std::ceil(trials), std::ceil(trials + error) - std::ceil(trials - error)};
    }
    default:
      return {static_cast<double>(u < one.p), 0};
  }
}

class RandomNumbers : public OnStrides {
 protected:
  static int64_t threads_for(int64_t count) {
    int units = 0, threads = 0;
    EXPECT_EQ(hipDeviceGetAttribute(&units, kMultiprocessorCount, GetParam()), 0);
    EXPECT_EQ(hipDeviceGetAttribute(&threads, kMaxThreadsPerMultiProcessor, GetParam()), 0);
    return std::min<int64_t>(int64_t{units} * threads, (count + 255) / 256 * 256);
  }
  /// Each in its turn, so that each kernel runs.
  static Number float_of(int round) {
    constexpr Number kFloats[] = {WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_BF16, WAVESMITH_POINTWISE_F32,
                                  WAVESMITH_POINTWISE_F64};
    return kFloats[round % 4];
  }
  Description drawn_from(wavesmith_random_operation operation, const std::vector<int64_t>& sizes,
                         uint64_t& used) {
    Description one{};
    one.operation = operation, one.dimensions = static_cast<int>(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) one.sizes[d] = sizes[d];
    one.at_once = 1, one.bits = 32;
    one.source.seed = random_() | static_cast<uint64_t>(random_()) << 32;
    one.source.offset = 4 * static_cast<uint64_t>(random_()) << between(0, 16);
    one.source.used = &used;
    return one;
  }
  static Words words_of(const Description& one) { return {one.source.seed, one.source.offset}; }
  static void run(const Description& one) {
    ASSERT_EQ(wavesmith_kernels_random(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }
  /// Compares each element with what its bits make, and all else with what was there.
  static void expect(Strided& array, const StridedOnGpu& on_gpu, const std::string& what,
                     const std::function<Expected(int64_t)>& expected) {
    Strided before = array;
    on_gpu.read();
    ErrorNote note;
    for (int64_t i = 0; i < array.count(); ++i) {
      Expected right = expected(i);
      if (array.type == WAVESMITH_POINTWISE_BOOL) right.value = static_cast<double>(right.value != 0);
      const double found = array.get(i), allowed = right.error + rounding(array.type, right.value);
      constexpr double kLargestHalf = 65504;  // what is beyond becomes infinite
      if (array.type == WAVESMITH_POINTWISE_F16 && std::abs(right.value) + allowed > kLargestHalf &&
          std::isinf(found))
        right.value = std::copysign(found, right.value);
      const double error = found == right.value ? 0 : std::abs(found - right.value);
      note.add(error, allowed + 1e-300);
      ASSERT_TRUE(error <= allowed || found == right.value || found == right.instead)
          << what << " of " << word_of(array.type) << ", element " << i << " of " << array.count() << ": "
          << found << ", not " << right.value << " +- " << allowed;
      std::memcpy(&before.memory.bytes[before.at(i)], &array.memory.bytes[array.at(i)],
                  static_cast<size_t>(size_of(array.type)));
    }
    ASSERT_EQ(before.memory.bytes, array.memory.bytes) << what << ": bytes beside the elements";
  }

 private:
  static double rounding(Number type, double value) {
    switch (type) {
      case WAVESMITH_POINTWISE_F16:
        return std::abs(value) * 0x1p-11 + 0x1p-25;
      case WAVESMITH_POINTWISE_BF16:
        return std::abs(value) * 0x1p-8;
      case WAVESMITH_POINTWISE_F32:
        return std::abs(value) * 0x1p-24;
      default:
        return 0;
    }
  }
};

TEST_P(RandomNumbers, AreThoseOfTheirBits) {
  for (int round = 0; round < 50; ++round) {
    const auto operation =
        one_of({WAVESMITH_RANDOM_UNIFORM, WAVESMITH_RANDOM_NORMAL, WAVESMITH_RANDOM_LOG_NORMAL,
                WAVESMITH_RANDOM_EXPONENTIAL, WAVESMITH_RANDOM_CAUCHY, WAVESMITH_RANDOM_GEOMETRIC,
                WAVESMITH_RANDOM_BERNOULLI});
    const Number type = operation >= WAVESMITH_RANDOM_GEOMETRIC ? any_real() : float_of(round);
    Strided y = any_strided(type, any_sizes(3000), false);
    const StridedOnGpu on_gpu(y);
    uint64_t used = 0;
    Description one = drawn_from(operation, y.sizes, used);
    one.y = on_gpu.operand();
    one.p = one_of({0.25, 0.5, 0.75}), one.q = one_of({1.0, 1.25, 2.0});
    ASSERT_NO_FATAL_FAILURE(run(one));
    EXPECT_EQ(used, 4U);
    const int64_t threads = threads_for(y.count());
    const int count = type == WAVESMITH_POINTWISE_F64 ? 2 : 4;
    ASSERT_NO_FATAL_FAILURE(expect(y, on_gpu, "operation " + std::to_string(operation), [&](int64_t i) {
      return expected_of(one, drawn_apart(words_of(one), i, threads, count));
    }));
  }
}

/// More elements than four for each thread that the GPU holds at once.
TEST_P(RandomNumbers, GoOnWithFurtherBlocks) {
  const int64_t threads = threads_for(INT64_C(1) << 30);
  const int64_t count = 4 * threads + 77;
  Strided y(WAVESMITH_POINTWISE_F32, {count}, {4});
  const StridedOnGpu on_gpu(y);
  uint64_t used = 0;
  Description one = drawn_from(WAVESMITH_RANDOM_UNIFORM, y.sizes, used);
  one.y = on_gpu.operand(), one.p = 0, one.q = 1;
  ASSERT_NO_FATAL_FAILURE(run(one));
  EXPECT_EQ(used, 8U);
  on_gpu.read();
  for (const int64_t i : {int64_t{0}, threads, 3 * threads - 1, 4 * threads - 1, 4 * threads, count - 1}) {
    const Drawn drawn = drawn_apart(words_of(one), i, threads, 4);
    ASSERT_EQ(y.get(i), unit(drawn.block.words[drawn.place])) << i;
  }
}

TEST_P(RandomNumbers, AreIntegersOfARange) {
  for (int round = 0; round < 25; ++round) {
    const Number type = any_real();
    Strided y = any_strided(type, any_sizes(2000), false);
    const StridedOnGpu on_gpu(y);
    uint64_t used = 0;
    Description one = drawn_from(WAVESMITH_RANDOM_INTEGERS, y.sizes, used);
    one.y = on_gpu.operand(), one.bits = one_of({32, 64});
    one.range = static_cast<uint64_t>(between(1, 100)), one.base = between(-20, 20);
    if (type <= WAVESMITH_POINTWISE_U8) one.base = 0;
    if (type == WAVESMITH_POINTWISE_I64 && one.bits == 64)
      one.range = one_of<uint64_t>({0, UINT64_C(1) << 52, (UINT64_C(1) << 40) + 17});
    ASSERT_NO_FATAL_FAILURE(run(one));
    const int64_t threads = threads_for(y.count());
    ASSERT_NO_FATAL_FAILURE(expect(y, on_gpu, "integers", [&](int64_t i) {
      const Drawn drawn = drawn_apart(words_of(one), i, threads, one.bits == 64 ? 2 : 4);
      const unsigned* words = drawn.block.words;
      uint64_t bits = one.bits == 32
                          ? words[drawn.place]
                          : static_cast<uint64_t>(words[2 * drawn.place]) << 32 | words[2 * drawn.place + 1];
      if (one.range != 0) bits %= one.range;
      return Expected{static_cast<double>(static_cast<int64_t>(bits + static_cast<uint64_t>(one.base))), 0};
    }));
  }
}

TEST_P(RandomNumbers, AreOneByEachElementsChance) {
  for (int round = 0; round < 10; ++round) {
    const std::vector<int64_t> sizes = any_sizes(5000);
    Strided y = any_strided(any_real(), sizes, false), x = any_strided(float_of(round), sizes, true);
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, static_cast<double>(between(0, 16)) / 16);
    const StridedOnGpu on_y(y), on_x(x);
    uint64_t used = 0;
    Description one = drawn_from(WAVESMITH_RANDOM_CHANCES, sizes, used);
    one.y = on_y.operand(), one.x = on_x.operand();
    ASSERT_NO_FATAL_FAILURE(run(one));
    EXPECT_EQ(used, 12U);
    ASSERT_NO_FATAL_FAILURE(expect(y, on_y, "chances", [&](int64_t i) {
      const Drawn drawn = drawn_together(words_of(one), i, INT64_C(1) << 40, 4);
      return Expected{static_cast<double>(unit(drawn.block.words[drawn.place]) <= x.get(i)), 0};
    }));
  }
}

TEST_P(RandomNumbers, DropOutAndTell) {
  for (int round = 0; round < 15; ++round) {
    const Number type = float_of(round);
    const int at_once = one_of({1, 2, 4});
    std::vector<int64_t> sizes = any_sizes(1000);
    sizes.insert(sizes.begin(), at_once);
    Strided y = any_strided(type, sizes, false), x = any_strided(type, sizes, true),
            drawn = any_strided(one_of({WAVESMITH_POINTWISE_BOOL, WAVESMITH_POINTWISE_U8}), sizes, false);
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, static_cast<double>(between(-8, 8)));
    const StridedOnGpu on_y(y), on_x(x), on_drawn(drawn);
    uint64_t used = 0;
    Description one = drawn_from(WAVESMITH_RANDOM_DROPOUT, sizes, used);
    one.y = on_y.operand(), one.x = on_x.operand(), one.drawn = on_drawn.operand();
    one.p = one_of({0.125, 0.5, 1.0}), one.at_once = at_once;  // powers of two: y is exact
    ASSERT_NO_FATAL_FAILURE(run(one));
    EXPECT_EQ(used, 4U);
    const int64_t threads = threads_for(y.count());
    const auto kept = [&](int64_t i) {
      const Drawn of = at_once == 1 ? drawn_apart(words_of(one), i, threads, 4)
                                    : drawn_together(words_of(one), i, threads, at_once);
      return static_cast<double>(unit(of.block.words[of.place]) < one.p);
    };
    ASSERT_NO_FATAL_FAILURE(expect(drawn, on_drawn, "mask", [&](int64_t i) { return Expected{kept(i), 0}; }));
    ASSERT_NO_FATAL_FAILURE(
        expect(y, on_y, "dropout", [&](int64_t i) { return Expected{x.get(i) * kept(i) / one.p, 0}; }));
  }
}

TEST_P(RandomNumbers, AreSlopesOfRrelu) {
  for (int round = 0; round < 12; ++round) {
    const Number type = float_of(round);
    const std::vector<int64_t> sizes = any_sizes(1000);
    Strided y = any_strided(type, sizes, false), x = any_strided(type, sizes, true),
            slopes = any_strided(type, sizes, false);
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, static_cast<double>(between(-8, 8)));
    const StridedOnGpu on_y(y), on_x(x), on_slopes(slopes);
    uint64_t used = 0;
    Description one = drawn_from(WAVESMITH_RANDOM_RRELU, sizes, used);
    one.y = on_y.operand(), one.x = on_x.operand(), one.drawn = on_slopes.operand();
    one.p = 0.125, one.q = 0.5;
    ASSERT_NO_FATAL_FAILURE(run(one));
    const int64_t threads = threads_for(y.count());
    const double ulp = type == WAVESMITH_POINTWISE_F64    ? 0x1p-51
                       : type == WAVESMITH_POINTWISE_F32  ? 0x1p-22
                       : type == WAVESMITH_POINTWISE_BF16 ? 0x1p-7
                                                          : 0x1p-10;
    const auto slope = [&](int64_t i) {
      if (x.get(i) > 0) return Expected{1, 0};
      const Drawn drawn = drawn_apart(words_of(one), i, threads, type == WAVESMITH_POINTWISE_F64 ? 2 : 4);
      return Expected{one.p + uniform_of(type, drawn) * (one.q - one.p), ulp};
    };
    ASSERT_NO_FATAL_FAILURE(expect(slopes, on_slopes, "slopes", slope));
    ASSERT_NO_FATAL_FAILURE(expect(y, on_y, "rrelu", [&](int64_t i) {
      const Expected of = slope(i);
      return Expected{x.get(i) * of.value, 2 * std::abs(x.get(i)) * of.error};
    }));
  }
}

TEST_P(RandomNumbers, BeginWhereTheStateSays) {
  Strided y(WAVESMITH_POINTWISE_F32, {1000}, {4}), z = y;
  Strided state(WAVESMITH_POINTWISE_I64, {2}, {8});
  state.set(0, 77), state.set(1, 1000);
  const StridedOnGpu on_y(y), on_z(z), on_state(state);
  uint64_t used = 0;
  Description one = drawn_from(WAVESMITH_RANDOM_NORMAL, y.sizes, used);
  one.q = 1, one.y = on_y.operand();
  one.source.seed = 77, one.source.offset = 1048;
  ASSERT_NO_FATAL_FAILURE(run(one));
  one.y = on_z.operand(), one.source.seed = 5, one.source.offset = 48;
  one.source.state = static_cast<const uint64_t*>(on_state.operand().data);
  ASSERT_NO_FATAL_FAILURE(run(one));
  on_y.read(), on_z.read();
  const ErrorNote note;  // of none: all bits are compared
  EXPECT_EQ(y.memory.bytes, z.memory.bytes);
}

TEST_P(RandomNumbers, ChooseCategories) {
  for (const Number type : {WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_F64}) {
    const int64_t rows = between(1, 5), categories = between(1, 40), samples = between(1, 300);
    Strided sums(type, {categories, rows}, {size_of(type), size_of(type) * categories}), weights = sums;
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < categories; ++i) {
        const double weight = i == categories - 1 ? 0 : static_cast<double>(between(0, 1)) / 64;
        weights.set(row * categories + i, weight);
        sums.set(row * categories + i, sum += weight);
      }
    }
    Strided y(WAVESMITH_POINTWISE_I64, {rows * samples}, {8});
    const StridedOnGpu on_sums(sums), on_weights(weights), on_y(y);
    uint64_t used = 0;
    const wavesmith_random_choice_description one{rows,
                                                  categories,
                                                  samples,
                                                  on_sums.operand().data,
                                                  on_weights.operand().data,
                                                  type,
                                                  static_cast<int64_t*>(on_y.operand().data),
                                                  {9, 40, nullptr, &used}};
    ASSERT_EQ(wavesmith_kernels_random_choice(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    EXPECT_EQ(used, 4U);
    const int64_t columns = (samples + 127) / 128 * 128;
    ASSERT_NO_FATAL_FAILURE(expect(y, on_y, "choices", [&](int64_t i) {
      const int64_t row = i / samples;
      Strided u(type, {1}, {8});
      u.set(0, unit(Words{9, 40}.block(row * columns + i % samples, 0).words[0]));
      int64_t low = 0;
      while (low < categories && sums.get(row * categories + low) < u.get(0)) ++low;
      low = std::min(low, categories - 1);
      while (low > 0 && weights.get(row * categories + low) == 0) --low;
      return Expected{static_cast<double>(low), 0};
    }));
  }
}

TEST_P(RandomNumbers, ShuffleValuesOfEqualKeys) {
  constexpr int64_t kCount = 700;
  Strided keys(WAVESMITH_POINTWISE_I64, {kCount}, {8}), values = keys;
  int64_t key = 0;
  for (int64_t i = 0; i < kCount; ++i)
    keys.set(i, static_cast<double>(key += between(0, 3) == 0)), values.set(i, static_cast<double>(i));
  const Strided before = values;
  const StridedOnGpu on_keys(keys), on_values(values);
  uint64_t used = 0;
  const wavesmith_random_shuffle_description one{kCount,
                                                 static_cast<const int64_t*>(on_keys.operand().data),
                                                 static_cast<int64_t*>(on_values.operand().data),
                                                 {3, 8, nullptr, &used}};
  ASSERT_EQ(wavesmith_kernels_random_shuffle(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  EXPECT_EQ(used, static_cast<uint64_t>(kCount));
  Strided right = before;
  for (int64_t first = 0, end = 0; first < kCount; first = end) {
    while (end < kCount && keys.get(end) == keys.get(first)) ++end;
    int64_t drawn = 0;
    for (int64_t i = end - first - 1; i > 0; --i, ++drawn) {
      const auto word = Words{3, 8}.block(first, drawn / 4).words[drawn % 4];
      const int64_t other = first + static_cast<int64_t>(word % static_cast<unsigned>(i + 1));
      const double value = right.get(first + i);
      right.set(first + i, right.get(other)), right.set(other, value);
    }
  }
  on_values.read();
  const ErrorNote note;  // of none: all bits are compared
  EXPECT_EQ(values.memory.bytes, right.memory.bytes);
}

INSTANTIATE_TEST_SUITE_P(On, RandomNumbers, testing::Range(0, kGpuCount), gpu_name);

constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;

TEST(RandomRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256));
  Description right{};
  right.operation = WAVESMITH_RANDOM_DROPOUT;
  right.dimensions = 1, right.sizes[0] = 8, right.at_once = 4, right.p = 0.5;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_F32, right.x.strides[0] = 4;
  right.y = right.x, right.drawn = right.x;
  right.y.data = static_cast<char*>(memory.data()) + 256;
  right.drawn.data = static_cast<char*>(memory.data()) + 512, right.drawn.type = WAVESMITH_POINTWISE_BOOL;
  EXPECT_EQ(wavesmith_kernels_random(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  expect_refusals<Description>(
      &wavesmith_kernels_random, right,
      {{[](Description& d) { d.operation = static_cast<wavesmith_random_operation>(11); }, kWrong,
        "operation is 11"},
       {[](Description& d) { d.dimensions = 9; }, kWrong, "dimensions is 9"},
       {[](Description& d) { d.y.data = nullptr; }, kWrong, "y.data is null"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.drawn.data = nullptr; }, kWrong, "drawn.data is null"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_I32; }, kNot, "y is of i32, no type of floats"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_F16; }, kNot, "x is of f16, not of y's type"},
       {[](Description& d) { d.drawn.type = WAVESMITH_POINTWISE_F32; }, kNot, "neither bool nor u8"},
       {[](Description& d) { d.p = 0; }, kWrong, "p is 0.000000, not in (0, 1]"},
       {[](Description& d) { d.at_once = 3; }, kWrong, "at_once is 3"},
       {[](Description& d) { d.sizes[0] = 7; }, kWrong, "7 elements are no multiple"},
       {[](Description& d) { d.source.offset = 6; }, kWrong, "source.offset is 6, no multiple of 4"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_UNIFORM, d.p = 2, d.q = 1; }, kWrong,
        "p is 2.000000, more than q"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_NORMAL, d.q = -1; }, kWrong, "negative"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_EXPONENTIAL, d.p = 0; }, kWrong, "not positive"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_CAUCHY; }, kWrong, "q is 0.000000, not positive"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_GEOMETRIC, d.p = 1; }, kWrong, "between 0 and 1"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_BERNOULLI, d.p = 2; }, kWrong, "not in [0, 1]"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_CHANCES, d.x.type = WAVESMITH_POINTWISE_I32; },
        kNot, "x is of i32, no type of floats"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_INTEGERS, d.bits = 16; }, kWrong, "bits is 16"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_INTEGERS, d.bits = 32, d.range = 1ULL << 32; },
        kWrong, "more than 32 bits"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_GEOMETRIC, d.y.type = WAVESMITH_POINTWISE_C64; },
        kNot, "no real type"},
       {[](Description& d) { d.operation = WAVESMITH_RANDOM_RRELU, d.q = 1; }, kNot, "drawn is of bool"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

TEST(RandomRefuses, ChoicesAndShufflesToo) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 64));
  using Choice = wavesmith_random_choice_description;
  Choice choice{};
  choice.rows = choice.samples = choice.categories = 1, choice.type = WAVESMITH_POINTWISE_F32;
  choice.sums = choice.weights = memory.data();
  choice.y = reinterpret_cast<int64_t*>(static_cast<char*>(memory.data()) + 64);
  expect_refusals<Choice>(&wavesmith_kernels_random_choice, choice,
                          {{[](Choice& d) { d.rows = -1; }, kWrong, "rows or samples is negative"},
                           {[](Choice& d) { d.samples = 1LL << 31; }, kNot, "2^31 or more"},
                           {[](Choice& d) { d.categories = 0; }, kWrong, "categories is not positive"},
                           {[](Choice& d) { d.type = WAVESMITH_POINTWISE_I32; }, kNot, "no type of floats"},
                           {[](Choice& d) { d.sums = nullptr; }, kWrong, "sums, weights or y is null"},
                           {[](Choice& d) { d.source.offset = 1; }, kWrong, "no multiple of 4"}});
  using Shuffle = wavesmith_random_shuffle_description;
  Shuffle shuffle{};
  shuffle.count = 1, shuffle.keys = choice.y, shuffle.values = choice.y;
  expect_refusals<Shuffle>(&wavesmith_kernels_random_shuffle, shuffle,
                           {{[](Shuffle& d) { d.count = -1; }, kWrong, "count is negative"},
                            {[](Shuffle& d) { d.count = 1LL << 31; }, kNot, "2^31 or more"},
                            {[](Shuffle& d) { d.keys = nullptr; }, kWrong, "keys or values is null"},
                            {[](Shuffle& d) { d.source.offset = 2; }, kWrong, "no multiple of 4"}});
}

}  // namespace
}  // namespace wavesmith::kernels
