// A matrix product of 8-bit floats with sums in f32.
// dims: M=64 N=128 K=256
// in: MxKx@f8@ normal
// in: KxNx@f8@ normal
// tolerance: 1e-4 1e-4
// representative
func.func @main(%a: tensor<64x256x@f8@>, %b: tensor<256x128x@f8@>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x128xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x128xf32>) -> tensor<64x128xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<64x256x@f8@>, tensor<256x128x@f8@>) outs(%start : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %sum : tensor<64x128xf32>
}
