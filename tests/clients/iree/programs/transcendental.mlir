// Functions of mathematics, element by element.
// in: 3000xf32 uniform 0.01 8
// in: 3000xf32 uniform -3 3
// tolerance: 2e-5 2e-6
#id = affine_map<(n) -> (n)>
func.func @main(%x: tensor<3000xf32>, %y: tensor<3000xf32>) -> (tensor<3000xf32>, tensor<3000xf32>, tensor<3000xf32>) {
  %empty = tensor.empty() : tensor<3000xf32>
  %r:3 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<3000xf32>, tensor<3000xf32>) outs(%empty, %empty, %empty : tensor<3000xf32>, tensor<3000xf32>, tensor<3000xf32>) {
    ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32):
      %log = math.log %a : f32
      %pow = math.powf %a, %b : f32
      %root = math.sqrt %a : f32
      %sin = math.sin %b : f32
      %cos = math.cos %a : f32
      %tanh = math.tanh %b : f32
      %exp = math.exp %b : f32
      %s0 = arith.addf %log, %root : f32
      %s1 = arith.addf %sin, %cos : f32
      %s2 = arith.addf %tanh, %exp : f32
      %t = arith.addf %s0, %s1 : f32
      linalg.yield %t, %pow, %s2 : f32, f32, f32
  } -> (tensor<3000xf32>, tensor<3000xf32>, tensor<3000xf32>)
  return %r#0, %r#1, %r#2 : tensor<3000xf32>, tensor<3000xf32>, tensor<3000xf32>
}
