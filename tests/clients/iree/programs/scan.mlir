// Running sums along a dimension, with and without the element itself.
// in: 37x65xi32 integers -1000 1000
func.func @main(%x: tensor<37x65xi32>) -> (tensor<37x65xi32>, tensor<37x65xi32>, tensor<37xi32>) {
  %zero = arith.constant 0 : i32
  %out = tensor.empty() : tensor<37x65xi32>
  %rows = tensor.empty() : tensor<37xi32>
  %columns = tensor.empty() : tensor<65xi32>
  %start = linalg.fill ins(%zero : i32) outs(%rows : tensor<37xi32>) -> tensor<37xi32>
  %start2 = linalg.fill ins(%zero : i32) outs(%columns : tensor<65xi32>) -> tensor<65xi32>
  %with:2 = iree_linalg_ext.scan dimension(1) inclusive(true)
      ins(%x : tensor<37x65xi32>) outs(%out, %start : tensor<37x65xi32>, tensor<37xi32>) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      iree_linalg_ext.yield %s : i32
  } -> tensor<37x65xi32>, tensor<37xi32>
  %without:2 = iree_linalg_ext.scan dimension(0) inclusive(false)
      ins(%x : tensor<37x65xi32>) outs(%out, %start2 : tensor<37x65xi32>, tensor<65xi32>) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      iree_linalg_ext.yield %s : i32
  } -> tensor<37x65xi32>, tensor<65xi32>
  return %with#0, %without#0, %with#1 : tensor<37x65xi32>, tensor<37x65xi32>, tensor<37xi32>
}
