// The discrete Fourier transform of real numbers.
// flags: --iree-input-type=stablehlo
// in: 4x32xf32 normal
// tolerance: 1e-4 1e-4
func.func @main(%x: tensor<4x32xf32>) -> (tensor<4x17xf32>, tensor<4x17xf32>) {
  %f = stablehlo.fft %x, type = RFFT, length = [32] : (tensor<4x32xf32>) -> tensor<4x17xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<4x17xcomplex<f32>>) -> tensor<4x17xf32>
  %im = stablehlo.imag %f : (tensor<4x17xcomplex<f32>>) -> tensor<4x17xf32>
  return %re, %im : tensor<4x17xf32>, tensor<4x17xf32>
}
