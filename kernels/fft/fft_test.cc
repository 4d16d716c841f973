// Fourier transforms on a GPU of each target, against sums of long doubles.
#include <complex>
#include <map>
#include <numeric>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_fft.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_fft_description;
using Exact = std::complex<long double>;

bool is_wide(Number type) { return type == WAVESMITH_POINTWISE_F64 || type == WAVESMITH_POINTWISE_C128; }
bool is_real(Number type) { return type <= WAVESMITH_POINTWISE_F64; }

/// An element of a real or complex array.
Exact number_of(const Strided& array, int64_t number) {
  const auto* const at = &array.memory.bytes[array.at(number)];
  if (is_real(array.type)) return number_at(at, array.type);
  const Number part = is_wide(array.type) ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
  return {number_at(at, part), number_at(at + size_of(part), part)};
}
void set_number(Strided& array, int64_t number, std::complex<double> value) {
  auto* const at = &array.memory.bytes[array.at(number)];
  if (is_real(array.type)) return put_number(at, array.type, value.real());
  const Number part = is_wide(array.type) ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_F32;
  put_number(at, part, value.real());
  put_number(at + size_of(part), part, value.imag());
}

/// e^(sign 2 pi i m / n).
const std::vector<Exact>& roots_of(int64_t n, int sign) {
  static std::map<std::pair<int64_t, int>, std::vector<Exact>> known;
  auto& roots = known[{n, sign}];
  if (!roots.empty()) return roots;
  for (int64_t m = 0; m < n; ++m) {
    const long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(m) /
                              static_cast<long double>(n) * static_cast<long double>(sign);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

/// The transform by its definition, of parts that lie a prime factor apart.
std::vector<Exact> reference(const std::vector<Exact>& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  int64_t factor = 2;
  while (factor * factor <= n && n % factor != 0) ++factor;
  if (n % factor != 0) factor = n;
  if (n == 1) return x;
  const auto& roots = roots_of(n, sign);
  const int64_t rest = n / factor;
  std::vector<std::vector<Exact>> parts;
  for (int64_t r = 0; r < factor && rest > 1; ++r) {
    std::vector<Exact> part;
    for (int64_t j = r; j < n; j += factor) part.push_back(x[static_cast<size_t>(j)]);
    parts.push_back(reference(part, sign));
  }
  std::vector<Exact> y(x.size());
  for (int64_t k = 0; k < n; ++k)
    for (int64_t r = 0; r < factor; ++r)
      y[static_cast<size_t>(k)] += roots[static_cast<size_t>(r * k % n)] *
                                   (rest > 1 ? parts[static_cast<size_t>(r)][static_cast<size_t>(k % rest)]
                                             : x[static_cast<size_t>(r)]);
  return y;
}

/// What wavesmith_fft.h allows, as a share of the exact results.
double allowed_share(int64_t n, Number type) {
  const double u = is_wide(type) ? 0x1p-53 : 0x1p-24;
  int64_t rest = n;
  double share = 0;
  for (int64_t p = 2; p <= 31; ++p)
    for (; rest % p == 0; rest /= p) share += p > 7 ? u * static_cast<double>(p) : 0;
  if (rest == 1) return share + 4 * u * std::log2(2 * static_cast<double>(n));
  int64_t wide = 1;
  while (wide < 2 * n - 1) wide *= 2;
  return 16 * u * std::log2(2 * static_cast<double>(wide));
}

class Transforms : public OnStrides {
 protected:
  struct Case {
    wavesmith_fft_kind kind = WAVESMITH_FFT_COMPLEX;
    bool backward = false, wide = false, in_place = false, of_real = false;
    double scale = 1;
    std::vector<int64_t> sizes;
    size_t along = 0;
  };

  static void call(Description one) {
    one.workspace_bytes = wavesmith_kernels_fft_workspace(&one);
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_I8, one.workspace_bytes + 16));
    one.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_fft(&one, nullptr), WAVESMITH_KERNELS_SUCCESS) << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }

  Strided side(const Case& one, bool real, bool half) {
    auto sizes = one.sizes;
    if (half) sizes[one.along] = sizes[one.along] / 2 + 1;
    const Number narrow = real ? WAVESMITH_POINTWISE_F32 : WAVESMITH_POINTWISE_C64;
    return any_strided(one.wide ? (real ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_C128) : narrow, sizes,
                       false);
  }

  /// Calls with the numbers of the elements of each line.
  template <class Visit>
  static void each_line(const std::vector<int64_t>& sizes, size_t along, Visit visit) {
    int64_t step = 1, all = 1;
    for (size_t d = 0; d < sizes.size(); ++d) step *= d < along ? sizes[d] : 1, all *= sizes[d];
    for (int64_t first = 0, line = 0; first < all; ++first)
      if (first / step % sizes[along] == 0) visit(line++, first, step);
  }

  void check(const Case& one) {
    SCOPED_TRACE(testing::Message() << "kind " << one.kind << " of " << one.sizes[one.along] << ", dimension "
                                    << one.along << " of " << one.sizes.size() << (one.wide ? ", wide" : "")
                                    << (one.backward ? ", backward" : "")
                                    << (one.in_place ? ", in place" : ""));
    const bool from_real = one.kind == WAVESMITH_FFT_FROM_REAL, to_real = one.kind == WAVESMITH_FFT_TO_REAL;
    Strided x = side(one, from_real || one.of_real, to_real),
            y = one.in_place ? x : side(one, to_real, from_real);
    for (int64_t i = 0; i < x.count(); ++i) set_number(x, i, {normal(), normal()});
    const StridedOnGpu on_x(x), on_y(y);
    Description what{};
    what.kind = one.kind, what.backward = one.backward, what.scale = one.scale;
    what.dimensions = static_cast<int>(one.sizes.size()), what.along = static_cast<int>(one.along);
    std::ranges::copy(one.sizes, what.sizes);
    what.x = on_x.operand(), what.y = one.in_place ? what.x : on_y.operand();
    call(what);
    if (HasFatalFailure()) return;
    const Elements before = y.memory;
    if (one.in_place)
      on_x.memory.copy_to(y.memory);
    else
      on_y.read();
    compare(one, x, y);
    check_rest(y, before);
  }

  /// What is no element is as it was.
  static void check_rest(Strided& y, const Elements& before) {
    std::vector<bool> is_element(y.memory.bytes.size());
    for (int64_t i = 0; i < y.count(); ++i)
      for (int64_t b = 0; b < size_of(y.type); ++b) is_element[y.at(i) + static_cast<size_t>(b)] = true;
    for (size_t b = 0; b < is_element.size(); ++b)
      if (!is_element[b]) ASSERT_EQ(y.memory.bytes[b], before.bytes[b]) << "byte " << b;
  }

  static void compare(const Case& one, const Strided& x, const Strided& y) {
    const int64_t n = one.sizes[one.along];
    std::vector<std::vector<Exact>> lines;
    each_line(x.sizes, one.along, [&](int64_t, int64_t first, int64_t step) {
      std::vector<Exact> line;
      for (int64_t j = 0; j < x.sizes[one.along]; ++j) line.push_back(number_of(x, first + j * step));
      if (one.kind == WAVESMITH_FFT_TO_REAL) {
        line.front().imag(0);
        if (n % 2 == 0) line.back().imag(0);
        for (int64_t j = n / 2 + 1; j < n; ++j) line.push_back(std::conj(line[static_cast<size_t>(n - j)]));
      }
      lines.push_back(reference(line, one.backward ? 1 : -1));
    });
    ErrorNote note;
    each_line(y.sizes, one.along, [&](int64_t line, int64_t first, int64_t step) {
      long double errors = 0, squares = 0;
      const auto& exact = lines[static_cast<size_t>(line)];
      for (const Exact& each : exact) squares += std::norm(each * static_cast<long double>(one.scale));
      for (int64_t k = 0; k < y.sizes[one.along]; ++k)
        errors += std::norm(number_of(y, first + k * step) -
                            exact[static_cast<size_t>(k)] * static_cast<long double>(one.scale));
      const auto error = static_cast<double>(std::sqrt(errors));
      const double allowed = allowed_share(n, y.type) * static_cast<double>(std::sqrt(squares));
      note.add(error, allowed);
      ASSERT_LE(error, allowed) << "line " << line;
    });
  }

  Case any_case(int64_t length, int64_t most) {
    Case one;
    one.kind = one_of({WAVESMITH_FFT_COMPLEX, WAVESMITH_FFT_FROM_REAL, WAVESMITH_FFT_TO_REAL});
    one.backward = between(0, 1) != 0, one.wide = between(0, 1) != 0;
    one.of_real = one.kind == WAVESMITH_FFT_COMPLEX && between(0, 3) == 0;
    one.in_place = one.kind == WAVESMITH_FFT_COMPLEX && !one.of_real && between(0, 3) == 0;
    one.scale = one_of({1.0, 0.3, 1 / static_cast<double>(length)});
    one.sizes = any_sizes(std::max<int64_t>(most / length, 1));
    one.along = static_cast<size_t>(between(0, static_cast<int64_t>(one.sizes.size())));
    one.sizes.insert(one.sizes.begin() + static_cast<std::ptrdiff_t>(one.along), length);
    return one;
  }
};

TEST_P(Transforms, OfEachLengthEqualLongDoubles) {
  for (int64_t length = 1; length <= 256; ++length) {
    check(any_case(length, 500));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transforms, OfSeveralSizesEqualLongDoubles) {
  // Powers, products of each radix, primes, what just fits in shared memory and what just does not.
  for (const int64_t length : {512, 1024, 2048, 4096, 8192, 6561, 3125, 2401, 961, 29 * 23 * 11, 3 * 1024,
                               1009, 8191, 8250, 4116, 10000, 4099}) {
    check(any_case(length, 2 * length));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Transforms, OfAMillion) {
  if (GetParam() % 3 != 1) GTEST_SKIP() << "on two GPUs, of each width of waves";
  Case one;
  one.sizes = {1 << 20};
  check(one);
}

TEST_P(Transforms, NanStaysInItsLine) {
  Strided x(WAVESMITH_POINTWISE_C64, {12, 3}, {8, 96}), y = x;
  for (int64_t i = 0; i < x.count(); ++i) set_number(x, i, {1, 0});
  set_number(x, 12 + 5, {std::nan(""), 0});
  const StridedOnGpu on_x(x), on_y(y);
  Description what{};
  what.dimensions = 2, what.sizes[0] = 12, what.sizes[1] = 3, what.scale = 1;
  what.x = on_x.operand(), what.y = on_y.operand();
  call(what);
  on_y.read();
  for (int64_t i = 0; i < y.count(); ++i)
    EXPECT_EQ(std::isnan(number_of(y, i).real()), i / 12 == 1) << "number " << i;
}

INSTANTIATE_TEST_SUITE_P(On, Transforms, testing::Range(0, kGpuCount), gpu_name);

TEST(FftRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 256)), workspace(Elements(WAVESMITH_KERNELS_F32, 1024));
  Description right{};
  right.dimensions = 1, right.sizes[0] = 8, right.scale = 1;
  right.x.data = memory.data(), right.x.type = WAVESMITH_POINTWISE_C64, right.x.strides[0] = 8;
  right.y = right.x;
  right.workspace = workspace.data(), right.workspace_bytes = wavesmith_kernels_fft_workspace(&right);
  EXPECT_EQ(wavesmith_kernels_fft(&right, nullptr), WAVESMITH_KERNELS_SUCCESS);
  Description empty = right;
  empty.dimensions = 2, empty.x.data = nullptr, empty.workspace = nullptr;
  EXPECT_EQ(wavesmith_kernels_fft_workspace(&empty), 0);
  EXPECT_EQ(wavesmith_kernels_fft(&empty, nullptr), WAVESMITH_KERNELS_SUCCESS);
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT, kNot = WAVESMITH_KERNELS_NOT_SUPPORTED;
  expect_refusals<Description>(
      &wavesmith_kernels_fft, right,
      {{[](Description& d) { d.kind = static_cast<wavesmith_fft_kind>(3); }, kWrong, "kind is 3, no kind"},
       {[](Description& d) { d.dimensions = 9; }, kWrong, "dimensions is 9"},
       {[](Description& d) { d.dimensions = 0; }, kWrong, "along is 0, no dimension"},
       {[](Description& d) { d.along = -1; }, kWrong, "along is -1, no dimension"},
       {[](Description& d) { d.sizes[0] = -1; }, kWrong, "sizes[0] is negative"},
       {[](Description& d) { d.sizes[0] = 0; }, kWrong, "the length is 0"},
       {[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.y.type = static_cast<Number>(99); }, kWrong, "y.type is 99"},
       {[](Description& d) { d.x.type = WAVESMITH_POINTWISE_F16; }, kNot, "x is of f16, neither f32 nor f64"},
       {[](Description& d) { d.kind = WAVESMITH_FFT_FROM_REAL; }, kNot, "x is of c64, neither f32 nor f64"},
       {[](Description& d) { d.kind = WAVESMITH_FFT_TO_REAL; }, kNot, "y is of c64, neither f32 nor f64"},
       {[](Description& d) { d.y.type = WAVESMITH_POINTWISE_C128; }, kWrong, "x is of c64, and y of c128"},
       {[](Description& d) { d.sizes[0] = (1 << 24) + 1; }, kNot, "a length of 16777217 is too long"},
       {[](Description& d) {
          d.sizes[0] = 12582917, d.x.type = d.y.type = WAVESMITH_POINTWISE_C128;
          d.x.strides[0] = d.y.strides[0] = 16;
        },
        kNot, "a length of 12582917 is too long"},
       {[](Description& d) { d.workspace_bytes = 1; }, kWrong, "workspace"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
