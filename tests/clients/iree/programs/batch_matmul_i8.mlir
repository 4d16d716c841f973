// Products of a batch of matrices of 8-bit integers, sums in i32.
// dims: B=3 M=32 N=48 K=96
// in: BxMxKxi8 integers -128 127
// in: BxKxNxi8 integers -128 127
func.func @main(%a: tensor<3x32x96xi8>, %b: tensor<3x96x48xi8>) -> tensor<3x32x48xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x32x48xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x32x48xi32>) -> tensor<3x32x48xi32>
  %sum = linalg.batch_matmul ins(%a, %b : tensor<3x32x96xi8>, tensor<3x96x48xi8>) outs(%start : tensor<3x32x48xi32>) -> tensor<3x32x48xi32>
  return %sum : tensor<3x32x48xi32>
}
