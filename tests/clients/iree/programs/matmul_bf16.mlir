// A matrix product of bf16 with sums in f32.
// dims: M=96 N=160 K=128
// in: MxKxbf16 normal
// in: KxNxbf16 normal
// tolerance: 1e-4 1e-4
func.func @main(%a: tensor<96x128xbf16>, %b: tensor<128x160xbf16>) -> tensor<96x160xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x160xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<96x160xf32>) -> tensor<96x160xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<96x128xbf16>, tensor<128x160xbf16>) outs(%start : tensor<96x160xf32>) -> tensor<96x160xf32>
  return %sum : tensor<96x160xf32>
}
