// A matrix product of 8-bit integers with sums in i32: exact.
// dims: M=96 N=80 K=192
// in: MxKxi8 integers -128 127
// in: KxNxi8 integers -128 127
// representative
func.func @main(%a: tensor<96x192xi8>, %b: tensor<192x80xi8>) -> tensor<96x80xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<96x80xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<96x80xi32>) -> tensor<96x80xi32>
  %sum = linalg.matmul ins(%a, %b : tensor<96x192xi8>, tensor<192x80xi8>) outs(%start : tensor<96x80xi32>) -> tensor<96x80xi32>
  return %sum : tensor<96x80xi32>
}
