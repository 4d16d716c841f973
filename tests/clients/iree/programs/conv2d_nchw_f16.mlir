// A dilated 3x3 convolution of f16 with sums in f32, channels first, padded by one.
// in: 1x16x14x14xf16 normal
// in: 32x16x3x3xf16 normal
// tolerance: 1e-4 1e-4
func.func @main(%image: tensor<1x16x14x14xf16>, %filter: tensor<32x16x3x3xf16>) -> tensor<1x32x12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %padded = tensor.pad %image low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %none : f16
  } : tensor<1x16x14x14xf16> to tensor<1x16x16x16xf16>
  %empty = tensor.empty() : tensor<1x32x12x12xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  %sum = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%padded, %filter : tensor<1x16x16x16xf16>, tensor<32x16x3x3xf16>)
      outs(%start : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  return %sum : tensor<1x32x12x12xf32>
}
