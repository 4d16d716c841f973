// Element-wise reductions over the ranks of a communicator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith::libraries {

/// ncclDataType_t, and FNUZ's e4m3 and e5m2, which share RCCL's numbers 10 and 11 with OCP's.
enum class Element : uint8_t { I8, U8, I32, U32, I64, U64, F16, F32, F64, BF16, Fp8, Bf8, Fp8Fnuz, Bf8Fnuz };
constexpr int kElementTypes = 12;  ///< of RCCL

size_t width_of(Element element);
const char* name_of(Element element);

/// ncclRedOp_t, and the sums of elements that each rank multiplies by its own factor first.
enum class Operation : uint8_t { Sum, Prod, Max, Min, Avg, PreMulSum };
constexpr int kOperations = 5;  ///< of RCCL, before those that programs create
const char* name_of(Operation operation);

/// Elements from..to of the inputs, each reduced in the order of the ranks; the results go to the same
/// elements, less `shift`, of all outputs, which may be inputs.
///
/// Floats of 8 and 16 bits are added, multiplied and scaled as floats of 32 and rounded once, at the end.
/// RCCL (src/device/reduce_kernel.h) rounds to the type at each rank, in the order of its rings and trees,
/// and makes averages by multiplying each element by 1/ranks. Integers wrap around, and their average is the
/// quotient of that sum, as there. Minima and maxima leave out NaNs.
struct Reduction {
  Element element;
  Operation operation;
  const void* const* inputs;
  const uint64_t* factors;  ///< of PreMulSum: the bits of an element
  int ranks;
  uint64_t from, to;
  void* const* outputs;
  int output_count;
  uint64_t shift;
};
void reduce(const Reduction& what);

}  // namespace wavesmith::libraries
