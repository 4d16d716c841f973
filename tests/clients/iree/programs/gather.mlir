// Rows of a table by index, as an embedding takes them.
// in: 100x72xf16 normal
// in: 3x11xi64 integers 0 99
func.func @main(%table: tensor<100x72xf16>, %tokens: tensor<3x11xi64>) -> tensor<3x11x72xf16> {
  %empty = tensor.empty() : tensor<3x11x72xf16>
  %rows = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tokens : tensor<3x11xi64>) outs(%empty : tensor<3x11x72xf16>) {
    ^bb0(%token: i64, %unused: f16):
      %row = arith.index_cast %token : i64 to index
      %column = linalg.index 2 : index
      %v = tensor.extract %table[%row, %column] : tensor<100x72xf16>
      linalg.yield %v : f16
  } -> tensor<3x11x72xf16>
  return %rows : tensor<3x11x72xf16>
}
