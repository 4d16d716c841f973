// A matrix product in f64.
// flags: --iree-input-demote-f64-to-f32=false
// dims: M=48 N=32 K=80
// in: MxKxf64 normal
// in: KxNxf64 normal
// tolerance: 1e-12 1e-12
func.func @main(%a: tensor<48x80xf64>, %b: tensor<80x32xf64>) -> tensor<48x32xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<48x32xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<48x32xf64>) -> tensor<48x32xf64>
  %sum = linalg.matmul ins(%a, %b : tensor<48x80xf64>, tensor<80x32xf64>) outs(%start : tensor<48x32xf64>) -> tensor<48x32xf64>
  return %sum : tensor<48x32xf64>
}
