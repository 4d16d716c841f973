// Softmax along the last dimension.
// in: 5x33x700xf32 normal
// tolerance: 1e-5 1e-7
// representative
func.func @main(%x: tensor<5x33x700xf32>) -> tensor<5x33x700xf32> {
  %empty = tensor.empty() : tensor<5x33x700xf32>
  %y = linalg.softmax dimension(2) ins(%x : tensor<5x33x700xf32>) outs(%empty : tensor<5x33x700xf32>) -> tensor<5x33x700xf32>
  return %y : tensor<5x33x700xf32>
}
