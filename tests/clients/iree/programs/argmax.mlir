// The largest value of each row and where it is.
// in: 19x777xf32 distinct
func.func @main(%x: tensor<19x777xf32>) -> (tensor<19xf32>, tensor<19xi64>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %values = tensor.empty() : tensor<19xf32>
  %places = tensor.empty() : tensor<19xi64>
  %lowest = linalg.fill ins(%low : f32) outs(%values : tensor<19xf32>) -> tensor<19xf32>
  %first = linalg.fill ins(%zero : i64) outs(%places : tensor<19xi64>) -> tensor<19xi64>
  %most:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<19x777xf32>) outs(%lowest, %first : tensor<19xf32>, tensor<19xi64>) {
    ^bb0(%v: f32, %best: f32, %at: i64):
      %i = linalg.index 1 : index
      %here = arith.index_cast %i : index to i64
      %larger = arith.maximumf %v, %best : f32
      %more = arith.cmpf ogt, %v, %best : f32
      %place = arith.select %more, %here, %at : i64
      linalg.yield %larger, %place : f32, i64
  } -> (tensor<19xf32>, tensor<19xi64>)
  return %most#0, %most#1 : tensor<19xf32>, tensor<19xi64>
}
