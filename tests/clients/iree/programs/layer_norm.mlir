// Layer norm over the last dimension with weight and bias.
// in: 37x513xf32 normal
// in: 513xf32 normal
// in: 513xf32 normal
// tolerance: 1e-4 1e-4
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
func.func @main(%x: tensor<37x513xf32>, %w: tensor<513xf32>, %b: tensor<513xf32>) -> tensor<37x513xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 513.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<37xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<37xf32>) -> tensor<37xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<37x513xf32>) outs(%start : tensor<37xf32>) {
    ^bb0(%v: f32, %s: f32):
      %a = arith.addf %v, %s : f32
      linalg.yield %a : f32
  } -> tensor<37xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<37x513xf32>, tensor<37xf32>) outs(%start : tensor<37xf32>) {
    ^bb0(%v: f32, %total: f32, %s: f32):
      %mean = arith.divf %total, %count : f32
      %d = arith.subf %v, %mean : f32
      %q = arith.mulf %d, %d : f32
      %a = arith.addf %q, %s : f32
      linalg.yield %a : f32
  } -> tensor<37xf32>
  %empty = tensor.empty() : tensor<37x513xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %w, %b : tensor<37x513xf32>, tensor<37xf32>, tensor<37xf32>, tensor<513xf32>, tensor<513xf32>)
      outs(%empty : tensor<37x513xf32>) {
    ^bb0(%v: f32, %total: f32, %square: f32, %weight: f32, %bias: f32, %o: f32):
      %mean = arith.divf %total, %count : f32
      %variance = arith.divf %square, %count : f32
      %safe = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %safe : f32
      %d = arith.subf %v, %mean : f32
      %n = arith.mulf %d, %r : f32
      %s = arith.mulf %n, %weight : f32
      %t = arith.addf %s, %bias : f32
      linalg.yield %t : f32
  } -> tensor<37x513xf32>
  return %y : tensor<37x513xf32>
}
