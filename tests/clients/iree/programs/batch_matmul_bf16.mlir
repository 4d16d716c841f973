// Products of a batch of matrices of bf16, sums in f32.
// dims: B=2 M=48 N=96 K=64
// in: BxMxKxbf16 normal
// in: BxKxNxbf16 normal
// tolerance: 1e-4 1e-4
func.func @main(%a: tensor<2x48x64xbf16>, %b: tensor<2x64x96xbf16>) -> tensor<2x48x96xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x48x96xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x48x96xf32>) -> tensor<2x48x96xf32>
  %sum = linalg.batch_matmul ins(%a, %b : tensor<2x48x64xbf16>, tensor<2x64x96xbf16>) outs(%start : tensor<2x48x96xf32>) -> tensor<2x48x96xf32>
  return %sum : tensor<2x48x96xf32>
}
