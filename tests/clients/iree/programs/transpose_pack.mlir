// A transposition, and a tensor packed into tiles.
// in: 61x93xi32 integers -100000 100000
func.func @main(%x: tensor<61x93xi32>) -> (tensor<93x61xi32>, tensor<8x6x8x16xi32>) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<93x61xi32>
  %t = linalg.transpose ins(%x : tensor<61x93xi32>) outs(%empty : tensor<93x61xi32>) permutation = [1, 0]
  %tiles = tensor.empty() : tensor<8x6x8x16xi32>
  %p = linalg.pack %x padding_value(%zero : i32) inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %tiles : tensor<61x93xi32> -> tensor<8x6x8x16xi32>
  return %t, %p : tensor<93x61xi32>, tensor<8x6x8x16xi32>
}
