// Attention with a mask that is added to the scores.
// in: 2x64x64xf16 normal
// in: 2x128x64xf16 normal
// in: 2x128x64xf16 normal
// in: 2x64x128xf16 normal
// tolerance: 2e-3 2e-3
#q = affine_map<(b, m, d, k, n) -> (b, m, d)>
#k = affine_map<(b, m, d, k, n) -> (b, k, d)>
#v = affine_map<(b, m, d, k, n) -> (b, k, n)>
#none = affine_map<(b, m, d, k, n) -> ()>
#mask = affine_map<(b, m, d, k, n) -> (b, m, k)>
#q_out = affine_map<(b, m, d, k, n) -> (b, m, n)>
func.func @main(%q: tensor<2x64x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>, %mask: tensor<2x64x128xf16>) -> tensor<2x64x64xf16> {
  %scale = arith.constant 0.125 : f16
  %empty = tensor.empty() : tensor<2x64x64xf16>
  %o = iree_linalg_ext.attention <indexing_maps = [#q, #k, #v, #none, #mask, #q_out]>
      ins(%q, %k, %v, %scale, %mask : tensor<2x64x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>, f16, tensor<2x64x128xf16>)
      outs(%empty : tensor<2x64x64xf16>) {
    ^bb0(%score: f32):
      iree_linalg_ext.yield %score : f32
  } -> tensor<2x64x64xf16>
  return %o : tensor<2x64x64xf16>
}
