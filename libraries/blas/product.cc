#include "libraries/blas/product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "libraries/blas/kernel/product_kernel.h"
#include "libraries/shim/gpu_work.h"
#include "libraries/shim/workspace.h"

namespace wavesmith::libraries {
namespace {

// A block of the result and its operands, copied so that the innermost loop reads memory in order. kTall by
// kWide sums are in registers.
constexpr int64_t kTall = 8, kWide = 4;
constexpr int64_t kRows = 64, kColumns = 64, kDepth = 256;

template <class T>
struct Scratch {
  T a[kRows * kDepth], b[kDepth * kColumns], sums[kRows * kColumns];
};

/// A number among `strip` of them. Complex ones lie part by part: first all real parts, for whole vectors of
/// each.
template <class T>
void put(T* strip_of, int64_t, int64_t i, T value) {
  strip_of[i] = value;
}
template <class T>
void put(Complex<T>* strip_of, int64_t strip, int64_t i, Complex<T> value) {
  T* const parts = &strip_of->real;
  parts[i] = value.real;
  parts[strip + i] = value.imaginary;
}

/// Strips of `strip` rows of the block of `from` that begins at (row, column), one element of each row after
/// the other; zeros where the block is smaller.
template <class T, class S>
void gather(const Matrix& matrix, const S* from, int64_t rows, int64_t columns, int64_t strip, int64_t by_row,
            int64_t by_column, T* to) {
  for (int64_t first = 0; first < rows; first += strip)
    for (int64_t column = 0; column < columns; ++column, to += strip)
      for (int64_t i = 0; i < strip; ++i) {
        const T value = first + i < rows ? widen<T>(from[(first + i) * by_row + column * by_column]) : T{};
        put(to, strip, i, matrix.conjugate ? conjugate(value) : value);
      }
}

template <class T>
void add_products(const T* a, const T* b, int64_t depth, T* sums) {
  T acc[kWide][kTall];
  for (int64_t j = 0; j < kWide; ++j)
    for (int64_t i = 0; i < kTall; ++i) acc[j][i] = sums[j * kRows + i];
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t j = 0; j < kWide; ++j)
      for (int64_t i = 0; i < kTall; ++i) acc[j][i] = acc[j][i] + a[p * kTall + i] * b[p * kWide + j];
  for (int64_t j = 0; j < kWide; ++j)
    for (int64_t i = 0; i < kTall; ++i) sums[j * kRows + i] = acc[j][i];
}

template <class T>
void add_products(const Complex<T>* a, const Complex<T>* b, int64_t depth, Complex<T>* sums) {
  T real[kWide][kTall] = {}, imaginary[kWide][kTall] = {};
  for (int64_t p = 0; p < depth; ++p) {
    const T* const x = &a[p * kTall].real;
    const T* const y = &b[p * kWide].real;
    for (int64_t j = 0; j < kWide; ++j)
      for (int64_t i = 0; i < kTall; ++i) {
        real[j][i] = real[j][i] + (x[i] * y[j] - x[kTall + i] * y[kWide + j]);
        imaginary[j][i] = imaginary[j][i] + (x[i] * y[kWide + j] + x[kTall + i] * y[j]);
      }
  }
  for (int64_t j = 0; j < kWide; ++j)
    for (int64_t i = 0; i < kTall; ++i)
      sums[j * kRows + i] = sums[j * kRows + i] + Complex<T>{real[j][i], imaginary[j][i]};
}

/// The numbers of `count` rows of a column, widened.
template <class T>
void load(const Matrix& matrix, void* data, int64_t row, int64_t column, int64_t count, T* to) {
  with_elements<T>(matrix.type, data, [&](auto* from) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = widen<T>(from[(row + i) * matrix.row + column * matrix.column]);
  });
}
template <class T>
void store(const Matrix& matrix, void* data, int64_t row, int64_t column, int64_t count, const T* from) {
  with_elements<T>(matrix.type, data, [&](auto* to) {
    for (int64_t i = 0; i < count; ++i) narrow(from[i], to[(row + i) * matrix.row + column * matrix.column]);
  });
}

/// Where a batch's matrix begins.
void* batch(const Product& p, const Matrix& matrix, int64_t index) {
  if (!matrix.data) return nullptr;  // nothing is read of it
  return p.arrays ? static_cast<void**>(matrix.data)[index]
                  : static_cast<char*>(matrix.data) +
                        index * matrix.stride * static_cast<int64_t>(size_of(matrix.type));
}

/// GELU is the approximation by tanh that hipBLASLt has; what is not a number becomes 0 in ReLU, as in a
/// maximum with 0.
template <class T>
T activate(Activation activation, T value) {
  switch (activation) {
    case Activation::None:
      return value;
    case Activation::Relu:
      return value > 0 ? value : T{};
    case Activation::Gelu: {
      constexpr double kRootOf2ByPi = 0.79788456080286535588;
      return value / 2 *
             (1 + std::tanh(static_cast<T>(kRootOf2ByPi) * (value + T(0.044715) * value * value * value)));
    }
    case Activation::Swish:
      return value / (1 + std::exp(-value));
  }
  return value;
}

float scale_of(const float* scale, bool one_each) { return scale && !one_each ? *scale : 1.0f; }

/// Biases, activation and scales for `count` rows of a column of the batch `index`.
template <class T>
void finish(const Product& p, int64_t index, int64_t row, int64_t column, int64_t count, T* values) {
  const Epilogue& e = p.epilogue;
  if (e.bias) {
    T biases[kRows];
    load(Matrix{nullptr, e.bias_type, 1, 0, 0, false}, const_cast<void*>(e.bias), row, 0, count, biases);
    for (int64_t i = 0; i < count; ++i) values[i] += biases[i];
  }
  if (e.before.data) store(e.before, batch(p, e.before, index), row, column, count, values);
  if (e.activation != Activation::None)
    for (int64_t i = 0; i < count; ++i) values[i] = activate(e.activation, values[i]);
  if (e.scale_d)
    for (int64_t i = 0; i < count; ++i) values[i] *= static_cast<T>(*e.scale_d);
}

/// One product of the batch, with sums of T.
template <class T>
void multiply_one(const Product& p, T alpha, T beta, int64_t index, Scratch<T>& scratch) {
  void *const a = batch(p, p.a, index), *const b = batch(p, p.b, index), *const c = batch(p, p.c, index),
              *const d = batch(p, p.d, index);
  const int64_t depth = is_zero(alpha) ? 0 : p.k;
  for (int64_t j0 = 0; j0 < p.n; j0 += kColumns)
    for (int64_t i0 = 0; i0 < p.m; i0 += kRows) {
      const int64_t rows = std::min(kRows, p.m - i0), columns = std::min(kColumns, p.n - j0);
      std::fill_n(scratch.sums, kRows * kColumns, T{});
      for (int64_t p0 = 0; p0 < depth; p0 += kDepth) {
        const int64_t deep = std::min(kDepth, depth - p0);
        with_elements<T>(p.a.type, a, [&](const auto* from) {
          gather(p.a, from + i0 * p.a.row + p0 * p.a.column, rows, deep, kTall, p.a.row, p.a.column,
                 scratch.a);
        });
        with_elements<T>(p.b.type, b, [&](const auto* from) {
          gather(p.b, from + p0 * p.b.row + j0 * p.b.column, columns, deep, kWide, p.b.column, p.b.row,
                 scratch.b);
        });
        for (int64_t j = 0; j < columns; j += kWide)
          for (int64_t i = 0; i < rows; i += kTall)
            add_products(scratch.a + i * deep, scratch.b + j * deep, deep, scratch.sums + j * kRows + i);
      }
      for (int64_t j = 0; j < columns; ++j) {
        T* const values = scratch.sums + j * kRows;
        T before[kRows];
        for (int64_t i = 0; i < rows; ++i) values[i] = is_zero(alpha) ? T{} : alpha * values[i];
        if constexpr (std::is_same_v<T, float>) {
          const Epilogue& e = p.epilogue;
          if (e.scale_a && e.scale_a_by_row)
            for (int64_t i = 0; i < rows; ++i) values[i] *= e.scale_a[i0 + i];
          if (e.scale_b && e.scale_b_by_column)
            for (int64_t i = 0; i < rows; ++i) values[i] *= e.scale_b[j0 + j];
        }
        if (!is_zero(beta)) {
          load(p.c, c, i0, j0 + j, rows, before);
          for (int64_t i = 0; i < rows; ++i) values[i] = values[i] + beta * before[i];
        }
        if constexpr (std::is_floating_point_v<T>) finish(p, index, i0, j0 + j, rows, values);
        store(p.d, d, i0, j0 + j, rows, values);
      }
    }
}

/// `P` is the type of alpha and beta.
template <class T, class P>
void run_all(const Product& p) {
  auto* const scratch = allocate_workspace<Scratch<T>>(1, "a matrix product");
  T alpha = widen<T>(*static_cast<const P*>(p.alpha)), beta = widen<T>(*static_cast<const P*>(p.beta));
  if constexpr (std::is_same_v<T, float>) {
    const Epilogue& e = p.epilogue;
    alpha *= scale_of(e.scale_a, e.scale_a_by_row) * scale_of(e.scale_b, e.scale_b_by_column);
    beta *= scale_of(e.scale_c, false);
  }
  for (int64_t index = 0; index < p.batches; ++index) multiply_one(p, alpha, beta, index, *scratch);
  std::free(scratch);
}

using Runner = void (*)(const Product&);

bool is_narrow_float(Number type) {
  return type == Number::F16 || type == Number::BF16 || is_8_bit_float(type);
}

/// What computes products of these types; null: nothing.
Runner runner_of(const Product& p) {
  const Number from = p.a.type, to = p.d.type;
  // 8-bit floats may be added to and stored beside other ones.
  if (p.b.type != from && !(is_8_bit_float(from) && is_8_bit_float(p.b.type))) return nullptr;
  if (p.c.type != to && !(is_8_bit_float(to) && is_narrow_float(p.c.type))) return nullptr;
  const bool alike = from == to;
  switch (p.compute) {
    case Number::F16:
      return alike && from == Number::F16 ? run_all<float, _Float16> : nullptr;
    case Number::F32:
      // Of complex numbers it is the type of their parts.
      if (from == Number::C32) return alike ? run_all<Complex<float>, Complex<float>> : nullptr;
      return (from == Number::F32 && alike) ||
                     (is_narrow_float(from) && (is_narrow_float(to) || to == Number::F32))
                 ? run_all<float, float>
                 : nullptr;
    case Number::F64:
      if (from == Number::C64) return alike ? run_all<Complex<double>, Complex<double>> : nullptr;
      return alike && from == Number::F64 ? run_all<double, double> : nullptr;
    case Number::C32:
      return alike && from == Number::C32 ? run_all<Complex<float>, Complex<float>> : nullptr;
    case Number::C64:
      return alike && from == Number::C64 ? run_all<Complex<double>, Complex<double>> : nullptr;
    case Number::I32:
      return from == Number::I8 && to == Number::I32 ? run_all<uint32_t, uint32_t> : nullptr;
    default:
      return nullptr;
  }
}

/// Whether the epilogue is one that the runner heeds, with biases that can be widened to its sums.
bool is_epilogue_served(const Product& p) {
  const Epilogue& e = p.epilogue;
  const bool single = is_narrow_float(p.a.type) || p.a.type == Number::F32, twice = p.a.type == Number::F64;
  if ((e.activation != Activation::None || e.bias || e.before.data) && !single && !twice) return false;
  if ((e.scale_a || e.scale_b || e.scale_c || e.scale_d) && !single) return false;
  const auto fits = [single](Number type) {
    return single ? type == Number::F32 || is_narrow_float(type) : type == Number::F64;
  };
  return (!e.bias || fits(e.bias_type)) && (!e.before.data || fits(e.before.type));
}

/// Whether rows by columns elements of the matrix lie in their allocation.
bool lies_in_memory(const Matrix& matrix, void* data, int64_t rows, int64_t columns, int64_t batches) {
  const int64_t steps[][2] = {
      {matrix.row, rows - 1}, {matrix.column, columns - 1}, {matrix.stride, batches - 1}};
  int64_t lowest = 0, highest = 0;
  for (const auto& [step, count] : steps) (step < 0 ? lowest : highest) += step * count;
  return reaches(data, lowest, highest, size_of(matrix.type));
}

bool every_matrix_reaches(const Product& p) {
  const struct {
    Matrix matrix;
    int64_t rows, columns;
    const char* name;
  } matrices[] = {
      {p.a, p.m, p.k, "A"},
      {p.b, p.k, p.n, "B"},
      {p.c, p.m, p.n, "C"},
      {p.d, p.m, p.n, "D"},
      {p.epilogue.before, p.m, p.n, "AUX"},
      {{const_cast<void*>(p.epilogue.bias), p.epilogue.bias_type, 1, 0, 0, false}, p.m, 1, "of biases"}};
  for (const auto& each : matrices) {
    bool fine = true;
    if (each.rows > 0 && each.columns > 0 && each.matrix.data)
      for (int64_t index = 0; index < (p.arrays ? p.batches : 1); ++index)
        fine =
            fine && lies_in_memory(each.matrix,
                                   p.arrays ? static_cast<void**>(each.matrix.data)[index] : each.matrix.data,
                                   each.rows, each.columns, p.arrays ? 1 : p.batches);
    if (fine) continue;
    std::fprintf(
        stderr,
        "wavesmith: matrix %s of a product (%lld by %lld by %lld) reaches past the end of its allocation\n",
        each.name, static_cast<long long>(p.m), static_cast<long long>(p.n), static_cast<long long>(p.k));
    return false;
  }
  return true;
}

/// A product in a stream's queue.
struct Request {
  Product product;
  Runner runner;
  alignas(16) unsigned char alpha[16], beta[16];

  void run() {
    // Arrays of pointers are known only now. A GPU would fault.
    if (product.arrays && !every_matrix_reaches(product)) std::abort();
    if (!product.scalars_on_gpu) {
      product.alpha = alpha;
      product.beta = beta;
    }
    runner(product);
  }
  void report_work(const WorkReporter& reporter) const { reporter(work_of(product)); }
};

}  // namespace

size_t scalar_size(Number compute, Number matrices) {
  return size_of(matrices == Number::C32 || matrices == Number::C64 ? matrices : compute);
}

Number number_of(int data_type) {
  switch (data_type) {
    case 2:    // HIP_R_16F
    case 150:  // rocblas_datatype_f16_r
      return Number::F16;
    case 14:
    case 168:
      return Number::BF16;
    case 0:
    case 151:
      return Number::F32;
    case 1:
    case 152:
      return Number::F64;
    case 4:
    case 154:
      return Number::C32;
    case 5:
    case 155:
      return Number::C64;
    case 3:
    case 160:
      return Number::I8;
    case 10:
    case 162:
      return Number::I32;
    case 28:  // HIP_R_8F_E4M3
      return Number::Fp8;
    case 29:
      return Number::Bf8;
    case 1000:
      return Number::Fp8Fnuz;
    case 1001:
      return Number::Bf8Fnuz;
    default:
      return Number::None;
  }
}

Number scalars_of(int compute_type) {
  constexpr int kFirstDatatype = 150;
  if (compute_type >= kFirstDatatype) return number_of(compute_type);
  if (compute_type >= 0 && compute_type <= 1) return Number::F16;
  if (compute_type >= 2 && compute_type <= 6) return Number::F32;
  if (compute_type >= 7 && compute_type <= 8) return Number::F64;
  if (compute_type >= 9 && compute_type <= 10) return Number::I32;
  return Number::None;
}

GpuWork work_of(const Product& p) {
  // With a vector it is gemv, which the libraries take for it: the matrix is read once.
  if (p.n == 1 && p.batches == 1)
    return streamed(bytes_of(p.a.type, p.m, p.k) + bytes_of(p.b.type, p.k), bytes_of(p.d.type, p.m));
  GpuWork work("gemm");
  // BLAS's letters: of A `t` has the steps of K side by side, of B `n`.
  const bool a_by_rows = p.a.row != 1, b_by_rows = p.b.row != 1;
  work.set("m", p.m).set("n", p.n).set("k", p.k < 1 ? 1 : p.k).set("batch", p.batches);
  work.set("dtype", word_of(p.a.type)).set("b-dtype", word_of(p.b.type)).set("c-dtype", word_of(p.d.type));
  return work.set("layout", a_by_rows ? (b_by_rows ? "tt" : "tn") : (b_by_rows ? "nt" : "nn"));
}

GpuWork work_of_groups(const Product& p, const char* groups, bool columns) {
  // Columns are the rows of the product turned around.
  const Matrix &a = columns ? p.b : p.a, &b = columns ? p.a : p.b;
  const bool a_along_k = (columns ? a.row : a.column) == 1, b_along_k = (columns ? b.column : b.row) == 1;
  GpuWork work("gemm");
  work.set("groups", groups).set("n", columns ? p.m : p.n).set("k", p.k < 1 ? 1 : p.k);
  work.set("dtype", word_of(a.type)).set("b-dtype", word_of(b.type)).set("c-dtype", word_of(p.d.type));
  return work.set("layout", a_along_k ? (b_along_k ? "tn" : "tt") : (b_along_k ? "nn" : "nt"));
}

Outcome multiply(const Product& product, void* stream) {
  const Runner runner = runner_of(product);
  if (!runner || !is_epilogue_served(product)) return Outcome::NotServed;
  if (product.m <= 0 || product.n <= 0 || product.batches <= 0) return Outcome::Done;
  if (!product.arrays && !every_matrix_reaches(product)) return Outcome::BadPointer;
  if (launch_product_kernel(product, stream)) return Outcome::Done;
  Request request{product, runner, {}, {}};
  if (!product.scalars_on_gpu) {
    const size_t size = scalar_size(product.compute, product.a.type);
    std::memcpy(request.alpha, product.alpha, size);
    std::memcpy(request.beta, product.beta, size);
  }
  return enqueue(stream, request);
}

bool is_served(const Product& product) { return runner_of(product) && is_epilogue_served(product); }

void multiply_in_stream_order(const Product& product) {
  if (product.m <= 0 || product.n <= 0 || product.batches <= 0) return;
  if (!every_matrix_reaches(product)) std::abort();
  multiply_now(product);
}

bool multiply_now(const Product& product) {
  const Runner runner = runner_of(product);
  if (runner) runner(product);
  return runner != nullptr;
}

}  // namespace wavesmith::libraries
