// Rows sorted by a key, falling; a second tensor follows.
// in: 6x64xf32 distinct
// in: 6x64xi32 integers 0 1000
func.func @main(%keys: tensor<6x64xf32>, %values: tensor<6x64xi32>) -> (tensor<6x64xf32>, tensor<6x64xi32>) {
  %sorted:2 = iree_linalg_ext.sort dimension(1) outs(%keys, %values : tensor<6x64xf32>, tensor<6x64xi32>) {
    ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
      %more = arith.cmpf ogt, %a, %b : f32
      iree_linalg_ext.yield %more : i1
  } -> tensor<6x64xf32>, tensor<6x64xi32>
  return %sorted#0, %sorted#1 : tensor<6x64xf32>, tensor<6x64xi32>
}
