// A matrix product of f16 whose tails are padded.
// dims: M=61 N=37 K=71
// in: MxKxf16 normal
// in: KxNxf16 normal
// tolerance: 1e-4 1e-4
func.func @main(%a: tensor<61x71xf16>, %b: tensor<71x37xf16>) -> tensor<61x37xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<61x37xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<61x37xf32>) -> tensor<61x37xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<61x71xf16>, tensor<71x37xf16>) outs(%start : tensor<61x37xf32>) -> tensor<61x37xf32>
  return %sum : tensor<61x37xf32>
}
