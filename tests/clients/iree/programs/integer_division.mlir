// Division and remainder of integers of 64 and of 16 bits, and bits counted.
// in: 999xi64 integers -4611686018427387904 4611686018427387904
// in: 999xi64 integers 1 1000000
// in: 999xi16 integers -32768 32767
#id = affine_map<(n) -> (n)>
func.func @main(%x: tensor<999xi64>, %y: tensor<999xi64>, %z: tensor<999xi16>) -> (tensor<999xi64>, tensor<999xi64>, tensor<999xi16>) {
  %wide = tensor.empty() : tensor<999xi64>
  %short = tensor.empty() : tensor<999xi16>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y, %z : tensor<999xi64>, tensor<999xi64>, tensor<999xi16>) outs(%wide, %wide, %short : tensor<999xi64>, tensor<999xi64>, tensor<999xi16>) {
    ^bb0(%a: i64, %b: i64, %c: i16, %o0: i64, %o1: i64, %o2: i16):
      %seven = arith.constant 7 : i16
      %q = arith.divsi %a, %b : i64
      %m = arith.remsi %a, %b : i64
      %d = arith.divsi %c, %seven : i16
      %p = math.ctpop %c : i16
      %s = arith.addi %d, %p : i16
      linalg.yield %q, %m, %s : i64, i64, i16
  } -> (tensor<999xi64>, tensor<999xi64>, tensor<999xi16>)
  return %r#0, %r#1, %r#2 : tensor<999xi64>, tensor<999xi64>, tensor<999xi16>
}
