// Two tensors of any length put side by side, then softmax.
// dims: M=3,9,40 A=5,64,1 B=1,77,300
// in: MxAxf32 normal
// in: MxBxf32 normal
// tolerance: 1e-5 1e-7
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %both = tensor.concat dim(1) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = tensor.dim %both, %c0 : tensor<?x?xf32>
  %n = tensor.dim %both, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%both : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
