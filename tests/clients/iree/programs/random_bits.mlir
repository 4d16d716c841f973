// Bits of the counter-based generator Threefry: exact.
// flags: --iree-input-type=stablehlo
// in: 4xi32 integers 0 100000
func.func @main(%state: tensor<4xi32>) -> (tensor<4xi32>, tensor<500xi32>) {
  %next, %bits = "stablehlo.rng_bit_generator"(%state) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<4xi32>) -> (tensor<4xi32>, tensor<500xi32>)
  return %next, %bits : tensor<4xi32>, tensor<500xi32>
}
