// Matrices of tensors, as the library's linear algebra takes them (`kernels/wavesmith_linalg.h`).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <wavesmith_linalg.h>

namespace wavesmith::device {

// The last two dimensions of a tensor of the device, with any strides; keeps the tensor.
class Matrices {
 public:
  // Of what is read; a copy, where the dimensions before do not have one stride. Throws NotServed where the
  // library has no such numbers.
  explicit Matrices(const at::Tensor& tensor);

  // Rows as columns.
  [[nodiscard]] Matrices turned() const;
  // From the last row, or the last row and column on.
  [[nodiscard]] Matrices rows_reversed() const;
  [[nodiscard]] Matrices reversed() const;

  [[nodiscard]] const wavesmith_linalg_matrix& described() const { return matrix_; }
  [[nodiscard]] const at::Tensor& tensor() const { return tensor_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }

 private:
  at::Tensor tensor_;
  std::int64_t rows_, columns_;
  wavesmith_linalg_matrix matrix_;
};

// A tensor to write, as the library can: itself, or another one that `finish` copies to it.
class Written {
 public:
  // Matrices with one stride between them; what is contiguous.
  static Written matrices(const at::Tensor& to);
  static Written dense(const at::Tensor& to);
  [[nodiscard]] const at::Tensor& tensor() const { return at_; }
  void finish() const;

 private:
  Written(at::Tensor to, at::Tensor at) : to_(std::move(to)), at_(std::move(at)) {}
  at::Tensor to_, at_;
};

// A new tensor whose matrices lie column by column, and a copy of one that does, broadcast to these sizes.
at::Tensor by_columns(c10::IntArrayRef sizes, const c10::TensorOptions& options);
at::Tensor copied_by_columns(const at::Tensor& tensor, c10::IntArrayRef sizes);

// What belongs to each matrix of an operation: a row of `vector` and of `pivots`, a number of `info`.
struct Beside {
  at::Tensor vector, pivots, info;
};

// Launches an operation on all matrices of a batch: that of b, where there is one. Nothing, of none.
void run(wavesmith_linalg_operation operation, std::int64_t rows, std::int64_t columns, const Matrices* a,
         const Matrices* b = nullptr, const Matrices* c = nullptr, const Beside& beside = {},
         std::int32_t flags = 0, std::int64_t inner = 0);

struct Triangle {
  bool upper = false, unit = false, transposed = false, conjugated = false, left = true;
};
// Makes b a^-1 b, or b a^-1, with a triangle of a.
void solve_triangle(const at::Tensor& a, const at::Tensor& b, Triangle of);

// Exchanges rows of b as the pivots of an LU factorisation say.
void exchange_rows(const at::Tensor& b, const at::Tensor& pivots, bool backwards);

// 1 on the diagonals, 0 elsewhere.
void fill_identity(const at::Tensor& matrix);

// The product of matrices of any type.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

// Raises what PyTorch does for what a factorisation says of its matrices; waits for them, and looks at them
// on the host.
void check_info(const at::Tensor& info, c10::string_view what, bool is_matrix);

// Sizes without the last ones.
inline c10::IntArrayRef batch_sizes(const at::Tensor& tensor) {
  return tensor.sizes().slice(0, tensor.dim() - 2);
}
std::vector<std::int64_t> sizes_of(c10::IntArrayRef batch, std::initializer_list<std::int64_t> last);

}  // namespace wavesmith::device
