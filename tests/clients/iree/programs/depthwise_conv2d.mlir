// A depthwise convolution, then the largest of each 2x2 window.
// in: 1x15x13x24xf32 normal
// in: 3x3x24xf32 normal
// tolerance: 1e-4 1e-5
func.func @main(%image: tensor<1x15x13x24xf32>, %filter: tensor<3x3x24xf32>) -> tensor<1x6x5x24xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<1x13x11x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x13x11x24xf32>) -> tensor<1x13x11x24xf32>
  %sum = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<1x15x13x24xf32>, tensor<3x3x24xf32>)
      outs(%start : tensor<1x13x11x24xf32>) -> tensor<1x13x11x24xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %small = tensor.empty() : tensor<1x6x5x24xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%small : tensor<1x6x5x24xf32>) -> tensor<1x6x5x24xf32>
  %pooled = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%sum, %window : tensor<1x13x11x24xf32>, tensor<2x2xf32>) outs(%lowest : tensor<1x6x5x24xf32>) -> tensor<1x6x5x24xf32>
  return %pooled : tensor<1x6x5x24xf32>
}
