// Products of a batch of matrices in f32.
// dims: B=3 M=33 N=45 K=64
// in: BxMxKxf32 normal
// in: BxKxNxf32 normal
// tolerance: 1e-4 1e-4
func.func @main(%a: tensor<3x33x64xf32>, %b: tensor<3x64x45xf32>) -> tensor<3x33x45xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x33x45xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x33x45xf32>) -> tensor<3x33x45xf32>
  %sum = linalg.batch_matmul ins(%a, %b : tensor<3x33x64xf32>, tensor<3x64x45xf32>) outs(%start : tensor<3x33x45xf32>) -> tensor<3x33x45xf32>
  return %sum : tensor<3x33x45xf32>
}
