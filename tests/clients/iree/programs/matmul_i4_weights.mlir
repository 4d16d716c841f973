// f16 activations by weights of four bits with a scale for each group of 32: unpacked inside the product.
// in: 24x128xf16 normal
// in: 64x64xi8 integers -128 127
// in: 64x4xf16 uniform 0.01 0.1
// tolerance: 2e-3 2e-3
#x = affine_map<(m, n, g, k) -> (m, g, k)>
#w = affine_map<(m, n, g, k) -> (n, g, k)>
#s = affine_map<(m, n, g, k) -> (n, g)>
#o = affine_map<(m, n, g, k) -> (m, n)>
func.func @main(%x: tensor<24x128xf16>, %packed: tensor<64x64xi8>, %scale: tensor<64x4xf16>) -> tensor<24x64xf32> {
  %zero = arith.constant 0.0 : f32
  %w = flow.tensor.bitcast %packed : tensor<64x64xi8> -> tensor<64x4x32xi4>
  %xg = tensor.expand_shape %x [[0], [1, 2]] output_shape [24, 4, 32] : tensor<24x128xf16> into tensor<24x4x32xf16>
  %empty = tensor.empty() : tensor<24x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x64xf32>) -> tensor<24x64xf32>
  %wide = tensor.empty() : tensor<64x4x32xf16>
  %dequantized = linalg.generic {indexing_maps = [affine_map<(n, g, k) -> (n, g, k)>, affine_map<(n, g, k) -> (n, g)>, affine_map<(n, g, k) -> (n, g, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w, %scale : tensor<64x4x32xi4>, tensor<64x4xf16>) outs(%wide : tensor<64x4x32xf16>) {
    ^bb0(%q: i4, %f: f16, %unused: f16):
      %e = arith.extsi %q : i4 to i32
      %v = arith.sitofp %e : i32 to f16
      %p = arith.mulf %v, %f : f16
      linalg.yield %p : f16
  } -> tensor<64x4x32xf16>
  %sum = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%xg, %dequantized : tensor<24x4x32xf16>, tensor<64x4x32xf16>) outs(%start : tensor<24x64xf32>) {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %pw = arith.extf %p : f16 to f32
      %qw = arith.extf %q : f16 to f32
      %m = arith.mulf %pw, %qw : f32
      %a = arith.addf %acc, %m : f32
      linalg.yield %a : f32
  } -> tensor<24x64xf32>
  return %sum : tensor<24x64xf32>
}
