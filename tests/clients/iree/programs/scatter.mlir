// Rows written to a table at indices of which no two are alike.
// in: 64x24xf32 normal
// in: 64x24xf32 normal
// in: 64xi32 permutation
func.func @main(%table: tensor<64x24xf32>, %rows: tensor<64x24xf32>, %at: tensor<64xi32>) -> tensor<64x24xf32> {
  %few = tensor.extract_slice %rows[0, 0] [20, 24] [1, 1] : tensor<64x24xf32> to tensor<20x24xf32>
  %where = tensor.extract_slice %at[0] [20] [1] : tensor<64xi32> to tensor<20xi32>
  %places = tensor.expand_shape %where [[0, 1]] output_shape [20, 1] : tensor<20xi32> into tensor<20x1xi32>
  %new = iree_linalg_ext.scatter dimension_map = [0] unique_indices(true)
      ins(%few, %places : tensor<20x24xf32>, tensor<20x1xi32>) outs(%table : tensor<64x24xf32>) {
    ^bb0(%update: f32, %old: f32):
      %s = arith.addf %update, %old : f32
      iree_linalg_ext.yield %s : f32
  } -> tensor<64x24xf32>
  return %new : tensor<64x24xf32>
}
