// Sums along rows, largest values along columns, and the product of all signs.
// in: 130x257xf32 normal
// tolerance: 1e-4 1e-4
// representative
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<130x257xf32>) -> (tensor<130xf32>, tensor<257xf32>, tensor<i32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %rows = tensor.empty() : tensor<130xf32>
  %columns = tensor.empty() : tensor<257xf32>
  %one = tensor.empty() : tensor<i32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<130xf32>) -> tensor<130xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%columns : tensor<257xf32>) -> tensor<257xf32>
  %even = linalg.fill ins(%none : i32) outs(%one : tensor<i32>) -> tensor<i32>
  %sum = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<130x257xf32>) outs(%start : tensor<130xf32>) {
    ^bb0(%v: f32, %s: f32):
      %a = arith.addf %v, %s : f32
      linalg.yield %a : f32
  } -> tensor<130xf32>
  %most = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<130x257xf32>) outs(%lowest : tensor<257xf32>) {
    ^bb0(%v: f32, %s: f32):
      %a = arith.maximumf %v, %s : f32
      linalg.yield %a : f32
  } -> tensor<257xf32>
  %signs = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<130x257xf32>) outs(%even : tensor<i32>) {
    ^bb0(%v: f32, %s: i32):
      %bits = arith.bitcast %v : f32 to i32
      %a = arith.xori %bits, %s : i32
      linalg.yield %a : i32
  } -> tensor<i32>
  return %sum, %most, %signs : tensor<130xf32>, tensor<257xf32>, tensor<i32>
}
