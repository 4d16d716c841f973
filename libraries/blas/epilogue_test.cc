// What hipBLASLt does to a product before it is stored, against sums of doubles written out here: biases,
// activations, scales and 8-bit floats. Random sizes and values; the seed is printed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "libraries/shim/handle_test.h"

namespace {

using namespace wavesmith::libraries;

enum Type : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kBf16 = 14,
  kFp8 = 28,
  kBf8 = 29,
  kFp8Fnuz = 1000,
  kBf8Fnuz = 1001
};

size_t size_of(int type) {
  return type == kF64 ? 8 : type == kF32 ? 4 : type == kF16 || type == kBf16 ? 2 : 1;
}

/// The value of a small float, by its definition: sign, exponent, fraction.
double small(uint32_t code, int exponent_bits, int fraction_bits, int bias) {
  const uint32_t fraction = code & ((1u << fraction_bits) - 1),
                 exponent = code >> fraction_bits & ((1u << exponent_bits) - 1);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                         : std::ldexp((1u << fraction_bits) + fraction,
                                                      static_cast<int>(exponent) - bias - fraction_bits);
  return code >> (exponent_bits + fraction_bits) & 1 ? -magnitude : magnitude;
}

double number_at(int type, const void* data, int64_t index) {
  const auto* const byte =
      static_cast<const unsigned char*>(data) + static_cast<size_t>(index) * size_of(type);
  double wide = 0;
  float single = 0;
  uint16_t half = 0;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  switch (type) {
    case kF64:
      std::memcpy(&wide, byte, sizeof wide);
      return wide;
    case kF32:
      std::memcpy(&single, byte, sizeof single);
      return single;
    case kF16:
      std::memcpy(&half, byte, sizeof half);
      return small(half, 5, 10, 15);
    case kBf16:
      std::memcpy(&half, byte, sizeof half);
      return small(half, 8, 7, 127);
    case kFp8:
      return (*byte & 0x7f) == 0x7f ? kNaN : small(*byte, 4, 3, 7);
    case kBf8:
      return (*byte & 0x7f) > 0x7c    ? kNaN
             : (*byte & 0x7f) == 0x7c ? (*byte & 0x80 ? -kInf : kInf)
                                      : small(*byte, 5, 2, 15);
    case kFp8Fnuz:
      return *byte == 0x80 ? kNaN : small(*byte, 4, 3, 8);
    default:
      return *byte == 0x80 ? kNaN : small(*byte, 5, 2, 16);
  }
}

struct Table {
  int64_t rows, columns, ld, stride;
  int type;
  std::vector<unsigned char> bytes;
  [[nodiscard]] double at(int64_t row, int64_t column, int64_t index) const {
    return number_at(type, bytes.data(), index * stride + column * ld + row);
  }
};

class Epilogues : public HandleTest {
 protected:
  Epilogues() : HandleTest("libhipblaslt.so.1", "hipblasLtCreate", "hipblasLtDestroy") {}

  /// Finite numbers of about 1, of any type.
  std::vector<unsigned char> bytes(int type, size_t count) {
    std::vector<unsigned char> data(count * size_of(type));
    for (size_t i = 0; i < count; ++i) {
      const double value = std::uniform_real_distribution<double>(-1.5, 1.5)(random_);
      unsigned char* const at = data.data() + i * size_of(type);
      const auto single = static_cast<float>(value);
      const auto half = static_cast<_Float16>(value);
      uint32_t word = 0;
      std::memcpy(&word, &single, sizeof word);
      if (type == kF64) std::memcpy(at, &value, 8);
      if (type == kF32) std::memcpy(at, &single, 4);
      if (type == kF16) std::memcpy(at, &half, 2);
      if (type == kBf16) std::memcpy(at, reinterpret_cast<unsigned char*>(&word) + 2, 2);
      while (size_of(type) == 1) {
        *at = static_cast<unsigned char>(random_());
        if (std::abs(number_at(type, at, 0)) <= 4) break;  // not of a NaN
      }
    }
    return data;
  }
  Table table(int type, int64_t rows, int64_t columns, int64_t batches) {
    Table t{rows, columns, rows + below(4), 0, type, {}};
    t.stride = t.ld * columns + below(7);
    t.bytes = bytes(type, static_cast<size_t>(t.stride * batches));
    return t;
  }

  template <class T>
  int set(int attribute, T value) {
    return call(library_, "hipblasLtMatmulDescSetAttribute", description_, attribute,
                static_cast<const void*>(&value), sizeof value);
  }
  void* layout(const Table& t, int32_t batches) {
    void* place = nullptr;
    EXPECT_EQ(call(library_, "hipblasLtMatrixLayoutCreate", &place, t.type, static_cast<uint64_t>(t.rows),
                   static_cast<uint64_t>(t.columns), t.ld),
              0);
    EXPECT_EQ(call(library_, "hipblasLtMatrixLayoutSetAttribute", place, 0,
                   static_cast<const void*>(&batches), sizeof batches),
              0);
    EXPECT_EQ(call(library_, "hipblasLtMatrixLayoutSetAttribute", place, 1,
                   static_cast<const void*>(&t.stride), sizeof t.stride),
              0);
    return place;
  }
  int matmul(const void* alpha, const Table& a, const Table& b, const void* beta, const Table& c, Table& d,
             int batches, void* stream = nullptr) {
    void* layouts[] = {layout(a, batches), layout(b, batches), layout(c, batches), layout(d, batches)};
    const int status = call(
        library_, "hipblasLtMatmul", handle_, description_, alpha, static_cast<const void*>(a.bytes.data()),
        layouts[0], static_cast<const void*>(b.bytes.data()), layouts[1], beta,
        static_cast<const void*>(c.bytes.data()), layouts[2], static_cast<void*>(d.bytes.data()), layouts[3],
        static_cast<void*>(nullptr), static_cast<void*>(nullptr), size_t{0}, stream);
    for (void* each : layouts) EXPECT_EQ(call(library_, "hipblasLtMatrixLayoutDestroy", each), 0);
    return status;
  }
  void describe(int compute, int scalars) {
    ASSERT_EQ(call(library_, "hipblasLtMatmulDescCreate", &description_, compute, scalars), 0);
  }
  void forget() { EXPECT_EQ(call(library_, "hipblasLtMatmulDescDestroy", description_), 0); }

  void* description_ = nullptr;
};

/// A stored number is the wanted one, up to the error of the sums and the type's own rounding.
void expect_stored(const Table& table, int64_t row, int64_t column, int64_t index, double want,
                   double error) {
  const double got = table.at(row, column, index);
  if (size_of(table.type) == 1) {  // the nearest of all numbers that the type has, or the largest
    double best = std::numeric_limits<double>::infinity();
    for (unsigned code = 0; code < 256; ++code) {
      const auto byte = static_cast<unsigned char>(code);
      const double value = number_at(table.type, &byte, 0);
      if (std::isfinite(value)) best = std::min(best, std::abs(value - want));
    }
    ASSERT_LE(std::abs(got - want), best + 2 * error) << "wanted " << want;
    return;
  }
  const double epsilon = table.type == kF64    ? 0x1p-53
                         : table.type == kF32  ? 0x1p-24
                         : table.type == kBf16 ? 0x1p-8
                                               : 0x1p-11;
  ASSERT_NEAR(got, want, error + 2 * epsilon * std::abs(want)) << "row " << row << ", column " << column;
}

double activated(uint32_t epilogue, double x) {
  if (epilogue & 2) return std::max(x, 0.0);
  if (epilogue & 32) return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  if (epilogue & 65536) return x / (1 + std::exp(-x));
  return x;
}

double sum_of(const Table& a, const Table& b, int op_a, int op_b, int64_t k, int64_t i, int64_t j,
              int64_t index) {
  double sum = 0;
  for (int64_t p = 0; p < k; ++p)
    sum += (op_a == kAsItIs ? a.at(i, p, index) : a.at(p, i, index)) *
           (op_b == kAsItIs ? b.at(p, j, index) : b.at(j, p, index));
  return sum;
}

TEST_F(Epilogues, BiasesAreAddedToRowsAndActivationsFollow) {
  struct {
    int from, to, bias;
  } const types[] = {{kF32, kF32, kF32},   {kF64, kF64, kF64}, {kF16, kF16, kF16}, {kBf16, kF32, kF32},
                     {kBf16, kBf16, kF32}, {kF16, kF32, kF16}, {kFp8, kF16, kBf16}};
  for (const auto& [from, to, bias_type] : types)
    for (const uint32_t epilogue : {1u, 2u, 4u, 6u, 32u, 36u, 130u, 134u, 160u, 164u, 65536u, 65540u}) {
      const int m = 1 + below(90), n = 1 + below(70), k = 1 + below(300), batches = 1 + below(2);
      const int op_a = below(2) ? kAsItIs : kTransposed, op_b = below(2) ? kAsItIs : kTransposed;
      SCOPED_TRACE(testing::Message() << "types " << from << " to " << to << ", epilogue " << epilogue << ", "
                                      << m << " by " << n << " by " << k);
      const Table a = op_a == kAsItIs ? table(from, m, k, batches) : table(from, k, m, batches),
                  b = op_b == kAsItIs ? table(from, k, n, batches) : table(from, n, k, batches),
                  c = table(to, m, n, batches);
      Table d = table(to, m, n, batches), aux = table(to, m, n, batches);
      const bool with_bias = (epilogue & 4) != 0, with_aux = (epilogue & 128) != 0, twice = from == kF64;
      const Table bias = table(bias_type, m, 1, 1);
      describe(twice ? 7 : 2, twice ? kF64 : kF32);
      ASSERT_EQ(set(0, int32_t{op_a}), 0);
      ASSERT_EQ(set(1, int32_t{op_b}), 0);
      ASSERT_EQ(set(2, epilogue), 0);
      if (with_bias) {
        ASSERT_EQ(set(3, static_cast<const void*>(bias.bytes.data())), 0);
        if (bias_type != to) {
          ASSERT_EQ(set(4, int32_t{bias_type}), 0);
        }
      }
      if (with_aux) {
        ASSERT_EQ(set(10, static_cast<void*>(aux.bytes.data())), 0);
        ASSERT_EQ(set(11, aux.ld), 0);
        ASSERT_EQ(set(12, aux.stride), 0);
      }
      const double alpha = 0.75, beta = below(2) ? -0.5 : 0;
      const float single_alpha = 0.75f, single_beta = static_cast<float>(beta);
      const std::vector<unsigned char> aux_before = aux.bytes;
      ASSERT_EQ(matmul(twice ? static_cast<const void*>(&alpha) : &single_alpha, a, b,
                       twice ? static_cast<const void*>(&beta) : &single_beta, c, d, batches),
                0);
      synchronize();
      forget();
      if (!with_aux) {
        ASSERT_EQ(aux.bytes, aux_before);
      }
      const double error = (twice ? 0x1p-52 : 0x1p-23) * 3 * (k + 4);
      for (int64_t index = 0; index < batches; ++index)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = 0; i < m; ++i) {
            double want = alpha * sum_of(a, b, op_a, op_b, k, i, j, index) +
                          (beta != 0 ? beta * c.at(i, j, index) : 0) + (with_bias ? bias.at(i, 0, 0) : 0);
            if (with_aux) expect_stored(aux, i, j, index, want, error);
            want = activated(epilogue, want);
            expect_stored(d, i, j, index, want, error);
            if (HasFatalFailure()) return;
          }
    }
}

TEST_F(Epilogues, EightBitFloatsAreScaled) {
  struct {
    int a, b, c, d;
  } const types[] = {{kFp8, kFp8, kF32, kF32},
                     {kFp8, kBf8, kF16, kF16},
                     {kBf8, kFp8, kBf16, kBf16},
                     {kFp8, kFp8, kBf16, kFp8},
                     {kBf8, kFp8, kF16, kBf8},
                     {kFp8Fnuz, kFp8Fnuz, kF32, kF32},
                     {kBf8Fnuz, kFp8Fnuz, kBf16, kBf16},
                     {kFp8Fnuz, kFp8Fnuz, kFp8Fnuz, kFp8Fnuz},
                     {kFp8Fnuz, kBf8Fnuz, kBf8Fnuz, kBf8Fnuz}};
  for (const auto& type : types)
    for (const bool vectors : {false, true}) {
      SCOPED_TRACE(testing::Message() << "types " << type.a << ", " << type.b << " to " << type.d
                                      << (vectors ? ", scales of rows and columns" : ""));
      const int m = 1 + below(70), n = 1 + below(70), k = 1 + below(300);
      const Table a = table(type.a, k, m, 1), b = table(type.b, k, n, 1), c = table(type.c, m, n, 1),
                  scales_a = table(kF32, m, 1, 1), scales_b = table(kF32, n, 1, 1);
      Table d = table(type.d, m, n, 1);
      // The scale of D takes some 8-bit results beyond their largest number.
      const float scale_c = 0.5f, scale_d = below(2) ? 3.0f : 0.25f, alpha = 1.5f, beta = 0.5f;
      describe(2, kF32);
      ASSERT_EQ(set(0, int32_t{kTransposed}), 0);
      ASSERT_EQ(set(5, static_cast<const void*>(scales_a.bytes.data())), 0);
      ASSERT_EQ(set(6, static_cast<const void*>(scales_b.bytes.data())), 0);
      ASSERT_EQ(set(7, &scale_c), 0);
      ASSERT_EQ(set(8, &scale_d), 0);
      if (vectors) {
        ASSERT_EQ(set(31, int32_t{3}), 0);
        ASSERT_EQ(set(32, int32_t{3}), 0);
      }
      ASSERT_EQ(matmul(&alpha, a, b, &beta, c, d, 1), 0);
      synchronize();
      forget();
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          const double scale = scales_a.at(vectors ? i : 0, 0, 0) * scales_b.at(vectors ? j : 0, 0, 0);
          const double want = scale_d * (alpha * scale * sum_of(a, b, kTransposed, kAsItIs, k, i, j, 0) +
                                         beta * scale_c * c.at(i, j, 0));
          expect_stored(d, i, j, 0, want, 0x1p-23 * 200 * (k + 4));
          if (HasFatalFailure()) return;
        }
    }
}

/// A host function that takes its time, then writes.
struct Late {
  float *to, value;
  static void write(void* data) {
    auto* const late = static_cast<Late*>(data);
    *late->to = late->value;
  }
};

TEST_F(Epilogues, ScalesAndScalarsOfTheGpuAreReadInTheOrderOfTheStream) {
  void* stream = nullptr;
  ASSERT_EQ(call(hip_, "hipStreamCreate", &stream), 0);
  Table one{1, 1, 1, 1, kF32, std::vector<unsigned char>(4)};
  const float value = 1;
  std::memcpy(one.bytes.data(), &value, 4);
  Table d = one;
  float scale = 2, alpha = 3;
  const float beta = 0;
  describe(2, kF32);
  ASSERT_EQ(set(13, int32_t{1}), 0);
  ASSERT_EQ(set(5, static_cast<const float*>(&scale)), 0);
  Late late_scale{&scale, 5}, late_alpha{&alpha, 7};
  ASSERT_EQ(call(hip_, "hipLaunchHostFunc", stream, &Late::write, static_cast<void*>(&late_scale)), 0);
  ASSERT_EQ(call(hip_, "hipLaunchHostFunc", stream, &Late::write, static_cast<void*>(&late_alpha)), 0);
  ASSERT_EQ(matmul(&alpha, one, one, &beta, one, d, 1, stream), 0);
  ASSERT_EQ(call(hip_, "hipStreamSynchronize", stream), 0);
  EXPECT_EQ(d.at(0, 0, 0), 35);
  forget();
  EXPECT_EQ(call(hip_, "hipStreamDestroy", stream), 0);
}

TEST_F(Epilogues, WhatIsNotServedSaysSo) {
  const Table a = table(kF32, 4, 4, 1);
  Table d = a;
  const float alpha = 1, beta = 0;
  const auto status_with = [&](int attribute, auto value, uint32_t epilogue = 1) {
    describe(2, kF32);
    EXPECT_EQ(set(2, epilogue), 0);
    const int at_once = set(attribute, value);
    const int status = at_once != 0 ? at_once : matmul(&alpha, a, a, &beta, a, d, 1);
    synchronize();
    forget();
    return status;
  };
  float place = 0;
  EXPECT_EQ(status_with(2, uint32_t{192}), 7) << "the gradient of GELU";
  EXPECT_EQ(status_with(2, uint32_t{256}), 7) << "the gradient of a bias";
  EXPECT_EQ(status_with(14, &place), 7) << "the largest number of D";
  EXPECT_EQ(status_with(31, int32_t{2}), 7) << "scales of blocks";
  EXPECT_EQ(status_with(13, int32_t{4}), 7) << "a vector of alpha";
  EXPECT_EQ(status_with(100, int32_t{kFp8}), 7) << "inputs made narrower";
  EXPECT_EQ(status_with(3, static_cast<void*>(nullptr), 4), 3) << "a bias from nowhere";
  EXPECT_EQ(status_with(2, uint32_t{160}), 3) << "no place for the auxiliary matrix";
  EXPECT_EQ(status_with(2, uint16_t{1}), 3) << "a value of the wrong size";
  void* memory = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &memory, size_t{3 * sizeof(float)}), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(status_with(3, memory, 4), 3) << "a bias too short";
  EXPECT_NE(testing::internal::GetCapturedStderr().find("matrix of biases"), std::string::npos);
  EXPECT_EQ(call(hip_, "hipFree", memory), 0);
}

}  // namespace
