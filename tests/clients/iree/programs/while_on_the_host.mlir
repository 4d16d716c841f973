// A loop whose condition the host reads back each time: doubling until a sum is large. The result's length varies.
// in: 8xi32 integers 1 9
func.func @main(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<i32>) {
  %zero = arith.constant 0 : i32
  %limit = arith.constant 100000 : i32
  %one = tensor.empty() : tensor<i32>
  %start = linalg.fill ins(%zero : i32) outs(%one : tensor<i32>) -> tensor<i32>
  %r:2 = scf.while (%v = %x, %n = %start) : (tensor<8xi32>, tensor<i32>) -> (tensor<8xi32>, tensor<i32>) {
    %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
        ins(%v : tensor<8xi32>) outs(%start : tensor<i32>) {
      ^bb0(%a: i32, %s: i32):
        %t = arith.addi %a, %s : i32
        linalg.yield %t : i32
    } -> tensor<i32>
    %total = tensor.extract %sum[] : tensor<i32>
    %go = arith.cmpi slt, %total, %limit : i32
    scf.condition(%go) %v, %n : tensor<8xi32>, tensor<i32>
  } do {
  ^bb0(%v: tensor<8xi32>, %n: tensor<i32>):
    %twice = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%v : tensor<8xi32>) outs(%v : tensor<8xi32>) {
      ^bb0(%a: i32, %o: i32):
        %t = arith.addi %a, %a : i32
        linalg.yield %t : i32
    } -> tensor<8xi32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%n : tensor<i32>) outs(%n : tensor<i32>) {
      ^bb0(%a: i32, %o: i32):
        %c1 = arith.constant 1 : i32
        %t = arith.addi %a, %c1 : i32
        linalg.yield %t : i32
    } -> tensor<i32>
    scf.yield %twice, %next : tensor<8xi32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<8xi32>, tensor<i32>
}
