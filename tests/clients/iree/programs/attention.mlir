// Attention of f16 with sums in f32: two products and a softmax in one kernel.
// in: 2x64x64xf16 normal
// in: 2x128x64xf16 normal
// in: 2x128x64xf16 normal
// tolerance: 2e-3 2e-3
// representative
#q = affine_map<(b, m, d, k, n) -> (b, m, d)>
#k = affine_map<(b, m, d, k, n) -> (b, k, d)>
#v = affine_map<(b, m, d, k, n) -> (b, k, n)>
#none = affine_map<(b, m, d, k, n) -> ()>
#mask = affine_map<(b, m, d, k, n) -> (b, m, k)>
#q_out = affine_map<(b, m, d, k, n) -> (b, m, n)>
func.func @main(%q: tensor<2x64x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>) -> tensor<2x64x64xf16> {
  %scale = arith.constant 0.125 : f16
  %empty = tensor.empty() : tensor<2x64x64xf16>
  %o = iree_linalg_ext.attention <indexing_maps = [#q, #k, #v, #none, #q_out]>
      ins(%q, %k, %v, %scale : tensor<2x64x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>, f16)
      outs(%empty : tensor<2x64x64xf16>) {
    ^bb0(%score: f32):
      iree_linalg_ext.yield %score : f32
  } -> tensor<2x64x64xf16>
  return %o : tensor<2x64x64xf16>
}
