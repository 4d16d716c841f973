// A convolution of 8-bit integers with sums in i32: exact.
// in: 1x12x12x16xi8 integers -128 127
// in: 3x3x16x32xi8 integers -128 127
func.func @main(%image: tensor<1x12x12x16xi8>, %filter: tensor<3x3x16x32xi8>) -> tensor<1x10x10x32xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x10x10x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x10x10x32xi32>) -> tensor<1x10x10x32xi32>
  %sum = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<1x12x12x16xi8>, tensor<3x3x16x32xi8>)
      outs(%start : tensor<1x10x10x32xi32>) -> tensor<1x10x10x32xi32>
  return %sum : tensor<1x10x10x32xi32>
}
