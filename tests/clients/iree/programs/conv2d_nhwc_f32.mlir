// A 3x3 convolution in f32, channels last, stride 2.
// in: 2x17x19x8xf32 normal
// in: 3x3x8x12xf32 normal
// tolerance: 1e-4 1e-4
// representative
func.func @main(%image: tensor<2x17x19x8xf32>, %filter: tensor<3x3x8x12xf32>) -> tensor<2x8x9x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x8x9x12xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x9x12xf32>) -> tensor<2x8x9x12xf32>
  %sum = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<2x17x19x8xf32>, tensor<3x3x8x12xf32>)
      outs(%start : tensor<2x8x9x12xf32>) -> tensor<2x8x9x12xf32>
  return %sum : tensor<2x8x9x12xf32>
}
