// Assertions on a GPU of each target: which numbers do not stop the kernel.
#include <cmath>
#include <limits>

#include "kernels/pointwise/strided_testing.h"
#include "kernels/refusal_testing.h"
#include "kernels/wavesmith_assertion.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_assertion_description;

class Assertion : public OnStrides {
 protected:
  /// A kernel that stops leaves the device failed: tests/clients/torch has those, in processes of their own.
  void passes(Number type, double value, double imaginary = 0) {
    const Number part = type == WAVESMITH_POINTWISE_C64    ? WAVESMITH_POINTWISE_F32
                        : type == WAVESMITH_POINTWISE_C128 ? WAVESMITH_POINTWISE_F64
                                                           : type;
    Strided x(part, {2}, {size_of(part)}), said(WAVESMITH_POINTWISE_I64, {1}, {8});
    x.set(0, value), x.set(1, imaginary), said.set(0, 5);
    const StridedOnGpu on_x(x), on_said(said);
    Description one{
        .x = on_x.operand(), .failed = static_cast<int64_t*>(on_said.operand().data), .number = 71};
    one.x.type = type;
    ASSERT_EQ(wavesmith_kernels_assert_nonzero(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0) << type << ": " << value;
    on_said.read();
    const ErrorNote note;  // of none
    EXPECT_EQ(said.get(0), 5);
  }
};

TEST_P(Assertion, GoesOnWhereANumberIsNotZero) {
  for (const Number type :
       {WAVESMITH_POINTWISE_BOOL, WAVESMITH_POINTWISE_U8, WAVESMITH_POINTWISE_I8, WAVESMITH_POINTWISE_I16,
        WAVESMITH_POINTWISE_I32, WAVESMITH_POINTWISE_I64, WAVESMITH_POINTWISE_F16, WAVESMITH_POINTWISE_BF16,
        WAVESMITH_POINTWISE_F32, WAVESMITH_POINTWISE_F64, WAVESMITH_POINTWISE_C64, WAVESMITH_POINTWISE_C128})
    passes(type, 1);
  passes(WAVESMITH_POINTWISE_C64, 0, 2), passes(WAVESMITH_POINTWISE_C128, 0, 2);
  passes(WAVESMITH_POINTWISE_F16, 0x1p-24);
  passes(WAVESMITH_POINTWISE_F32, std::numeric_limits<float>::denorm_min());
  passes(WAVESMITH_POINTWISE_F64, std::numeric_limits<double>::denorm_min());
  passes(WAVESMITH_POINTWISE_F32, std::nan(""));
  passes(WAVESMITH_POINTWISE_I64, -0x1p62);
}

INSTANTIATE_TEST_SUITE_P(On, Assertion, testing::Range(0, kGpuCount), gpu_name);

TEST(AssertionRefuses, WhatBreaksARuleAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  Elements ones(WAVESMITH_KERNELS_F32, 4);
  std::fill(ones.bytes.begin(), ones.bytes.end(), 1);
  const OnGpu memory(ones);
  const Description right{
      .x = {memory.data(), WAVESMITH_POINTWISE_F32, {}, {}}, .failed = nullptr, .number = 1};
  EXPECT_EQ(wavesmith_kernels_assert_nonzero(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  constexpr auto kWrong = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  expect_refusals<Description>(
      &wavesmith_kernels_assert_nonzero, right,
      {{[](Description& d) { d.x.data = nullptr; }, kWrong, "x.data is null"},
       {[](Description& d) { d.x.type = static_cast<Number>(99); }, kWrong, "x.type is 99, no type"},
       {[](Description& d) { d.failed = reinterpret_cast<int64_t*>(static_cast<char*>(d.x.data) + 4); },
        kWrong, "failed"}});
  ASSERT_EQ(hipDeviceSynchronize(), 0);
}

}  // namespace
}  // namespace wavesmith::kernels
