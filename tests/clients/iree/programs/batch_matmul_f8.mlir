// Products of a batch of matrices of 8-bit floats, sums in f32.
// dims: B=2 M=64 N=64 K=128
// in: BxMxKx@f8@ normal
// in: BxKxNx@f8@ normal
// tolerance: 1e-4 1e-4
func.func @main(%a: tensor<2x64x128x@f8@>, %b: tensor<2x128x64x@f8@>) -> tensor<2x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %sum = linalg.batch_matmul ins(%a, %b : tensor<2x64x128x@f8@>, tensor<2x128x64x@f8@>) outs(%start : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  return %sum : tensor<2x64x64xf32>
}
