// A matrix product of f16 with sums in f32: matrix instructions.
// dims: M=128 N=192 K=256
// in: MxKxf16 normal
// in: KxNxf16 normal
// tolerance: 1e-4 1e-4
// representative
func.func @main(%a: tensor<128x256xf16>, %b: tensor<256x192xf16>) -> tensor<128x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x192xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x192xf32>) -> tensor<128x192xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<128x256xf16>, tensor<256x192xf16>) outs(%start : tensor<128x192xf32>) -> tensor<128x192xf32>
  return %sum : tensor<128x192xf32>
}
