// Products of a batch of matrices of f16, sums in f32.
// dims: B=4 M=64 N=64 K=128
// in: BxMxKxf16 normal
// in: BxKxNxf16 normal
// tolerance: 1e-4 1e-4
// representative
func.func @main(%a: tensor<4x64x128xf16>, %b: tensor<4x128x64xf16>) -> tensor<4x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %sum = linalg.batch_matmul ins(%a, %b : tensor<4x64x128xf16>, tensor<4x128x64xf16>) outs(%start : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  return %sum : tensor<4x64x64xf32>
}
