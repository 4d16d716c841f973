// The kernel library from C++: the descriptions of wavesmith_kernels.h, made from pointers and sizes, and
// calls that throw. Nothing here owns memory, and each call is the C function of its name.
//
//   namespace kernels = wavesmith::kernels;
//   auto product = kernels::gemm_of(kernels::matrix(a, m, k), kernels::matrix(b, k, n), kernels::matrix(d, m,
//   n)); product.activation = WAVESMITH_KERNELS_GELU; kernels::gemm(product, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "wavesmith_all_reduce.h"
#include "wavesmith_kernels.h"

namespace wavesmith::kernels {

/// A call that failed: nothing was launched. what() names the argument and the rule.
class Error : public std::runtime_error {
 public:
  Error(wavesmith_kernels_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  [[nodiscard]] wavesmith_kernels_status status() const noexcept { return status_; }

 private:
  wavesmith_kernels_status status_;
};

/// Throws unless a call of the C API succeeded.
inline void check(wavesmith_kernels_status status) {
  if (status != WAVESMITH_KERNELS_SUCCESS) throw Error(status, wavesmith_kernels_message());
}

/// The element type that a type of C++ is. Specialise it for others, such as HIP's __half.
template <class T>
struct ElementOf;
template <wavesmith_kernels_type kType>
struct Element {
  static constexpr wavesmith_kernels_type kValue = kType;
};
template <>
struct ElementOf<float> : Element<WAVESMITH_KERNELS_F32> {};
template <>
struct ElementOf<int32_t> : Element<WAVESMITH_KERNELS_I32> {};
template <>
struct ElementOf<int8_t> : Element<WAVESMITH_KERNELS_I8> {};
#if defined(__FLT16_MANT_DIG__)
template <>
struct ElementOf<_Float16> : Element<WAVESMITH_KERNELS_F16> {};
#endif
#if defined(__BFLT16_MANT_DIG__)
template <>
struct ElementOf<__bf16> : Element<WAVESMITH_KERNELS_BF16> {};
#endif

/// Elements in the device's memory. From a pointer to an element type, or to memory whose type is said.
struct Data {
  void* data;
  wavesmith_kernels_type type;

  // NOLINTBEGIN(google-explicit-constructor): a pointer is what it is made from.
  template <class T, class = std::enable_if_t<!std::is_void_v<T>>>
  Data(T* elements)
      : data(const_cast<std::remove_const_t<T>*>(elements)),
        type(ElementOf<std::remove_const_t<T>>::kValue) {}
  // NOLINTEND(google-explicit-constructor)
  Data(const void* elements, wavesmith_kernels_type type_) : data(const_cast<void*>(elements)), type(type_) {}
};

/// A matrix, or a batch of them, with its sizes.
struct Matrix {
  wavesmith_kernels_matrix described;
  int64_t rows, columns, batches;

  [[nodiscard]] Matrix transposed() const {
    Matrix other = *this;
    other.rows = columns, other.columns = rows;
    other.described.row_stride = described.column_stride,
    other.described.column_stride = described.row_stride;
    return other;
  }
};

/// A matrix by rows, `row_stride` elements apart, 0: one behind the other; a batch's matrices follow each
/// other.
inline Matrix matrix(Data elements, int64_t rows, int64_t columns, int64_t row_stride = 0,
                     int64_t batches = 1) {
  const int64_t stride = row_stride > 0 ? row_stride : columns;
  return {{elements.data, elements.type, stride, 1, batches > 1 ? rows * stride : 0}, rows, columns, batches};
}
/// The same by columns.
inline Matrix matrix_by_columns(Data elements, int64_t rows, int64_t columns, int64_t column_stride = 0,
                                int64_t batches = 1) {
  return matrix(elements, columns, rows, column_stride, batches).transposed();
}

/// Rows with their sizes.
struct Rows {
  wavesmith_kernels_rows described;
  int64_t rows, columns;
};
inline Rows rows(Data elements, int64_t rows, int64_t columns, int64_t row_stride = 0) {
  return {{elements.data, elements.type, row_stride > 0 ? row_stride : columns}, rows, columns};
}

/// Heads of sequences, with their sizes: [batches][length][heads][head_size] one behind the other.
struct Heads {
  wavesmith_kernels_heads described;
  wavesmith_kernels_type type;
  int64_t batches, length, heads, head_size;
};
inline Heads heads(Data elements, int64_t batches, int64_t length, int64_t heads, int64_t head_size) {
  return {{elements.data, length * heads * head_size, heads * head_size, head_size},
          elements.type,
          batches,
          length,
          heads,
          head_size};
}

namespace detail {
/// Throws where two sizes that have to be one are not.
inline void check_same(const char* operation, const char* what, int64_t a, int64_t b) {
  if (a != b)
    throw Error(WAVESMITH_KERNELS_INVALID_ARGUMENT, std::string(operation) + ": " + what + " are " +
                                                        std::to_string(a) + " and " + std::to_string(b));
}
inline void check_same(const char* operation, const Rows& a, const Rows& b) {
  check_same(operation, "rows", a.rows, b.rows);
  check_same(operation, "columns", a.columns, b.columns);
}
}  // namespace detail

/// D = A * B; what else a product does is set in the description. Without batches A and B serve all of D's.
inline wavesmith_kernels_gemm_description gemm_of(const Matrix& a, const Matrix& b, const Matrix& d) {
  detail::check_same("gemm", "a's columns and b's rows", a.columns, b.rows);
  detail::check_same("gemm", "a's and d's rows", a.rows, d.rows);
  detail::check_same("gemm", "b's and d's columns", b.columns, d.columns);
  if (a.batches != 1) detail::check_same("gemm", "a's and d's batches", a.batches, d.batches);
  if (b.batches != 1) detail::check_same("gemm", "b's and d's batches", b.batches, d.batches);
  wavesmith_kernels_gemm_description gemm{};
  gemm.m = d.rows, gemm.n = d.columns, gemm.k = a.columns, gemm.batches = d.batches, gemm.alpha = 1;
  gemm.a = a.described, gemm.b = b.described, gemm.d = d.described;
  return gemm;
}

/// D = activation(A * gate) * (A * up): B has the gate's columns, and then as many of the other half.
inline wavesmith_kernels_gemm_description gated_gemm_of(
    const Matrix& a, const Matrix& b, const Matrix& d,
    wavesmith_kernels_activation activation = WAVESMITH_KERNELS_SILU) {
  detail::check_same("gemm", "b's columns and twice d's", b.columns, 2 * d.columns);
  Matrix half = b;
  half.columns = d.columns;
  wavesmith_kernels_gemm_description gemm = gemm_of(a, half, d);
  gemm.gated = 1, gemm.activation = activation;
  return gemm;
}

/// O = softmax(scale * Q * K transposed) * V, without a mask or window unless it is set.
inline wavesmith_kernels_attention_description attention_of(const Heads& q, const Heads& k, const Heads& v,
                                                            const Heads& o, float scale) {
  for (const Heads* one : {&k, &v, &o}) {
    detail::check_same("attention", "batches", q.batches, one->batches);
    detail::check_same("attention", "sizes of heads", q.head_size, one->head_size);
    detail::check_same("attention", "types", q.type, one->type);
  }
  detail::check_same("attention", "k's and v's lengths", k.length, v.length);
  detail::check_same("attention", "k's and v's heads", k.heads, v.heads);
  detail::check_same("attention", "q's and o's lengths", q.length, o.length);
  detail::check_same("attention", "q's and o's heads", q.heads, o.heads);
  wavesmith_kernels_attention_description attention{};
  attention.batches = q.batches, attention.heads_q = q.heads, attention.heads_kv = k.heads;
  attention.length_q = q.length, attention.length_k = k.length, attention.head_size = q.head_size;
  attention.type = q.type, attention.scale = scale, attention.window_left = attention.window_right = -1;
  attention.q = q.described, attention.k = k.described, attention.v = v.described, attention.o = o.described;
  return attention;
}

/// RMSNorm without a weight; LayerNorm where `centred` is set.
inline wavesmith_kernels_norm_description norm_of(const Rows& x, const Rows& y, float epsilon = 1e-5F) {
  detail::check_same("norm", x, y);
  wavesmith_kernels_norm_description norm{};
  norm.rows = x.rows, norm.columns = x.columns, norm.x = x.described, norm.y = y.described;
  norm.epsilon = epsilon;
  return norm;
}
/// The same times a weight of `columns` elements.
inline wavesmith_kernels_norm_description norm_of(const Rows& x, Data weight, const Rows& y,
                                                  float epsilon = 1e-5F) {
  wavesmith_kernels_norm_description norm = norm_of(x, y, epsilon);
  norm.weight = weight.data, norm.weight_type = weight.type;
  return norm;
}

/// The sum of all ranks' X, and without more no norm. Buffers are added to it: those of all ranks, of as many
/// bytes each as all_reduce_buffer says.
inline wavesmith_all_reduce_description all_reduce_of(int32_t ranks, int32_t rank, const Rows& x,
                                                      const Rows& sum) {
  detail::check_same("all_reduce", x, sum);
  detail::check_same("all_reduce", "columns and x's row stride", x.columns, x.described.row_stride);
  detail::check_same("all_reduce", "columns and sum's row stride", sum.columns, sum.described.row_stride);
  detail::check_same("all_reduce", "types", x.described.type, sum.described.type);
  wavesmith_all_reduce_description reduce{};
  reduce.ranks = ranks, reduce.rank = rank, reduce.rows = x.rows, reduce.columns = x.columns;
  reduce.type = x.described.type, reduce.x = x.described.data, reduce.sum = sum.described.data;
  return reduce;
}

inline wavesmith_kernels_softmax_description softmax_of(const Rows& x, const Rows& y, float scale = 1) {
  detail::check_same("softmax", x, y);
  return {x.rows, x.columns, x.described, y.described, scale, 0};
}

/// Y = activation(gate) * up.
inline wavesmith_kernels_gate_description gate_of(const Rows& gate, const Rows& up, const Rows& y,
                                                  wavesmith_kernels_activation activation) {
  detail::check_same("gate", gate, up);
  detail::check_same("gate", gate, y);
  return {y.rows, y.columns, gate.described, up.described, y.described, activation, {}};
}

/// Y = operation(x), or with a z operation(x, z).
inline wavesmith_kernels_elementwise_description elementwise_of(
    wavesmith_kernels_elementwise_operation operation, const Rows& x, const Rows& y) {
  detail::check_same("elementwise", x, y);
  return {y.rows, y.columns, operation, 1, 1, x.described, {}, y.described, 1};
}
inline wavesmith_kernels_elementwise_description elementwise_of(
    wavesmith_kernels_elementwise_operation operation, const Rows& x, const Rows& z, const Rows& y) {
  detail::check_same("elementwise", x, z);
  wavesmith_kernels_elementwise_description elementwise = elementwise_of(operation, x, y);
  elementwise.z = z.described;
  return elementwise;
}

/// `y`: where the results go, one behind the other.
inline wavesmith_kernels_reduce_description reduce_of(
    wavesmith_kernels_reduction reduction, const Rows& x, Data y,
    wavesmith_kernels_reduced over = WAVESMITH_KERNELS_REDUCE_EACH_ROW) {
  return {x.rows, x.columns, reduction, x.described, {y.data, y.type, 1}, over, nullptr, 0};
}

/// Y = X, of matrices of one size; with `y.transposed()` Y is X's transpose.
inline wavesmith_kernels_transpose_description transpose_of(const Matrix& x, const Matrix& y) {
  detail::check_same("transpose", "rows", x.rows, y.rows);
  detail::check_same("transpose", "columns", x.columns, y.columns);
  if (x.batches != 1) detail::check_same("transpose", "batches", x.batches, y.batches);
  return {y.rows, y.columns, y.batches, x.described, y.described};
}

inline wavesmith_kernels_quantise_description quantise_of(const Rows& x, const Rows& y,
                                                          const wavesmith_kernels_scales& scales) {
  detail::check_same("quantise", x, y);
  return {x.rows, x.columns, x.described, y.described, scales};
}

/// The calls: `stream` is a hipStream_t of the current device, or null.
inline void gemm(const wavesmith_kernels_gemm_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_gemm(&description, stream));
}
inline void attention(const wavesmith_kernels_attention_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_attention(&description, stream));
}
inline void decode(const wavesmith_kernels_decode_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_decode(&description, stream));
}
inline void cache(const wavesmith_kernels_cache_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_cache(&description, stream));
}
inline void norm(const wavesmith_kernels_norm_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_norm(&description, stream));
}
inline void all_reduce(const wavesmith_all_reduce_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_all_reduce(&description, stream));
}
/// The bytes of each rank's buffer.
inline size_t all_reduce_buffer(const wavesmith_all_reduce_description& description) {
  size_t bytes = 0;
  check(wavesmith_kernels_all_reduce_buffer(&description, &bytes));
  return bytes;
}
inline void softmax(const wavesmith_kernels_softmax_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_softmax(&description, stream));
}
inline void gate(const wavesmith_kernels_gate_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_gate(&description, stream));
}
inline void rope(const wavesmith_kernels_rope_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_rope(&description, stream));
}
inline void elementwise(const wavesmith_kernels_elementwise_description& description,
                        void* stream = nullptr) {
  check(wavesmith_kernels_elementwise(&description, stream));
}
inline void reduce(const wavesmith_kernels_reduce_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_reduce(&description, stream));
}
inline void transpose(const wavesmith_kernels_transpose_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_transpose(&description, stream));
}
inline void quantise(const wavesmith_kernels_quantise_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_quantise(&description, stream));
}
inline void dequantise(const wavesmith_kernels_dequantise_description& description, void* stream = nullptr) {
  check(wavesmith_kernels_dequantise(&description, stream));
}

/// The bytes of workspace that a call takes.
inline size_t workspace_of(const wavesmith_kernels_gemm_description& description) {
  size_t bytes = 0;
  check(wavesmith_kernels_gemm_workspace(&description, nullptr, &bytes));
  return bytes;
}
inline size_t workspace_of(const wavesmith_kernels_decode_description& description) {
  size_t bytes = 0;
  check(wavesmith_kernels_decode_workspace(&description, &bytes));
  return bytes;
}
inline size_t workspace_of(const wavesmith_kernels_reduce_description& description) {
  size_t bytes = 0;
  check(wavesmith_kernels_reduce_workspace(&description, &bytes));
  return bytes;
}

/// The name of the kernel that would serve a call, which is not launched.
inline std::string kernel_of(const wavesmith_kernels_gemm_description& description) {
  const char* name = "";
  check(wavesmith_kernels_gemm_check(&description, &name));
  return name;
}
inline std::string kernel_of(const wavesmith_kernels_attention_description& description) {
  const char* name = "";
  check(wavesmith_kernels_attention_check(&description, &name));
  return name;
}
inline std::string kernel_of(const wavesmith_kernels_decode_description& description) {
  const char* name = "";
  check(wavesmith_kernels_decode_check(&description, &name));
  return name;
}

}  // namespace wavesmith::kernels
