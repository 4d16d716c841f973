// A matrix product in f32, sizes that no tile divides.
// dims: M=67 N=85 K=131
// in: MxKxf32 normal
// in: KxNxf32 normal
// tolerance: 1e-4 1e-4
// representative
func.func @main(%a: tensor<67x131xf32>, %b: tensor<131x85xf32>) -> tensor<67x85xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<67x85xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<67x85xf32>) -> tensor<67x85xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<67x131xf32>, tensor<131x85xf32>) outs(%start : tensor<67x85xf32>) -> tensor<67x85xf32>
  return %sum : tensor<67x85xf32>
}
