// The five largest of a vector, and where they were.
// in: 200xf32 distinct
// in: 200xi32 permutation
func.func @main(%x: tensor<200xf32>, %names: tensor<200xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %values = tensor.empty() : tensor<5xf32>
  %places = tensor.empty() : tensor<5xi32>
  %lowest = linalg.fill ins(%low : f32) outs(%values : tensor<5xf32>) -> tensor<5xf32>
  %first = linalg.fill ins(%zero : i32) outs(%places : tensor<5xi32>) -> tensor<5xi32>
  %most:2 = iree_linalg_ext.topk dimension(0)
      ins(%x, %names : tensor<200xf32>, tensor<200xi32>) outs(%lowest, %first : tensor<5xf32>, tensor<5xi32>) {
    ^bb0(%a: f32, %b: f32):
      %more = arith.cmpf ogt, %a, %b : f32
      iree_linalg_ext.yield %more : i1
  } -> tensor<5xf32>, tensor<5xi32>
  return %most#0, %most#1 : tensor<5xf32>, tensor<5xi32>
}
