// A layer as networks have it: x * transposed weights + bias, then GELU by erf, all fused.
// in: 48x128xf16 normal
// in: 96x128xf16 normal
// in: 96xf32 normal
// tolerance: 1e-4 1e-4
#rows = affine_map<(m, n, k) -> (m, k)>
#weights = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#bias = affine_map<(m, n) -> (n)>
func.func @main(%x: tensor<48x128xf16>, %w: tensor<96x128xf16>, %b: tensor<96xf32>) -> tensor<48x96xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %empty = tensor.empty() : tensor<48x96xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<48x96xf32>) -> tensor<48x96xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #weights, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<48x128xf16>, tensor<96x128xf16>) outs(%start : tensor<48x96xf32>) {
    ^bb0(%p: f16, %q: f16, %s: f32):
      %pw = arith.extf %p : f16 to f32
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %a = arith.addf %s, %m : f32
      linalg.yield %a : f32
  } -> tensor<48x96xf32>
  %result = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %b : tensor<48x96xf32>, tensor<96xf32>) outs(%empty : tensor<48x96xf32>) {
    ^bb0(%s: f32, %bias: f32, %o: f32):
      %v = arith.addf %s, %bias : f32
      %scaled = arith.mulf %v, %root : f32
      %e = math.erf %scaled : f32
      %e1 = arith.addf %e, %one : f32
      %h = arith.mulf %v, %half : f32
      %g = arith.mulf %h, %e1 : f32
      linalg.yield %g : f32
  } -> tensor<48x96xf32>
  return %result : tensor<48x96xf32>
}
