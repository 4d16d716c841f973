// Transcendental instructions: VOP1 on vectors, and gfx12's on scalars.
#pragma once

#include "isa/valu/transcendental_math.h"
#include "isa/wave.h"

namespace wavesmith::isa {

template <class Visitor>
void transcendental_instructions(Visitor& v) {
  using namespace transcendental;
  constexpr std::string_view kUlp = "1 ulp of the correctly rounded result";
  constexpr Facts kAll{.issue = Issue::Transcendental, .fidelity = Fidelity::Approximate, .bound = kUlp};
  constexpr Facts kOld{
      .issue = Issue::Transcendental, .generations = kCdna, .fidelity = Fidelity::Approximate, .bound = kUlp};
  constexpr Facts kHalf{
      .issue = Issue::Transcendental, .fidelity = Fidelity::Approximate, .bound = "0.51 ulp"};
  constexpr Facts kWide{.issue = Issue::Transcendental,
                        .fidelity = Fidelity::Approximate,
                        .bound = "1 ulp; the hardware's has about 2^-14 relative error"};
  constexpr Facts kScalar{.issue = Issue::Transcendental,
                          .generations = kRdna4,
                          .fidelity = Fidelity::Approximate,
                          .bound = kUlp};
  constexpr Facts kScalarHalf{.issue = Issue::Transcendental,
                              .generations = kRdna4,
                              .fidelity = Fidelity::Approximate,
                              .bound = "0.51 ulp"};
  // clang-format off
  v(lane<f32(f32)>, "v_exp_f32", [](auto a) { return exp2(a); }, kAll);
  v(lane<f32(f32)>, "v_exp_legacy_f32", [](auto a) { return exp2(a); }, kOld);
  v(lane<f32(f32)>, "v_log_f32", [](auto a) { return log2(a); }, kAll);
  v(lane<f32(f32)>, "v_log_legacy_f32", [](auto a) { return log2(a); }, kOld);
  v(lane<f32(f32)>, "v_rcp_f32 v_rcp_iflag_f32", [](auto a) { return flush(1.0f / flush(a)); }, kAll);
  v(lane<f32(f32)>, "v_rsq_f32", [](auto a) { return rsqrt(flush(a)); }, kAll);
  v(lane<f32(f32)>, "v_sqrt_f32", [](auto a) { return __builtin_elementwise_sqrt(flush(a)); }, kAll);
  v(lane<f32(f32)>, "v_sin_f32", [](auto a) { return sin(a); }, kAll);
  v(lane<f32(f32)>, "v_cos_f32", [](auto a) { return cos(a); }, kAll);

  v(rare<f16(f16)>, "v_exp_f16", [](auto a) { return exp2(a); }, kHalf);
  v(rare<f16(f16)>, "v_log_f16", [](auto a) { return log2(a); }, kHalf);
  v(rare<f16(f16)>, "v_rcp_f16", [](auto a) { return 1.0f / a; }, kHalf);
  v(rare<f16(f16)>, "v_rsq_f16", [](auto a) { return rsqrt(a); }, kHalf);
  v(rare<f16(f16)>, "v_sqrt_f16", [](auto a) { return __builtin_elementwise_sqrt(a); }, kHalf);
  v(rare<f16(f16)>, "v_sin_f16", [](auto a) { return sin(a); }, kHalf);
  v(rare<f16(f16)>, "v_cos_f16", [](auto a) { return cos(a); }, kHalf);

  v(rare<f64(f64)>, "v_rcp_f64", [](auto a) { return 1.0 / a; }, kWide);
  v(rare<f64(f64)>, "v_rsq_f64", [](auto a) { return 1.0 / __builtin_elementwise_sqrt(a); }, kWide);
  v(rare<f64(f64)>, "v_sqrt_f64", [](auto a) { return __builtin_elementwise_sqrt(a); }, kWide);

  v(wave<f32(f32)>, "v_s_exp_f32", [](float a) { return one([](Floats x) { return exp2(x); }, a); }, kScalar);
  v(wave<f32(f32)>, "v_s_log_f32", [](float a) { return one([](Floats x) { return log2(x); }, a); }, kScalar);
  v(wave<f32(f32)>, "v_s_rcp_f32", [](float a) { return one([](Floats x) { return flush(1.0f / flush(x)); }, a); }, kScalar);
  v(wave<f32(f32)>, "v_s_rsq_f32", [](float a) { return one([](Floats x) { return rsqrt(flush(x)); }, a); }, kScalar);
  v(wave<f32(f32)>, "v_s_sqrt_f32", [](float a) { return one([](Floats x) { return Floats(__builtin_elementwise_sqrt(flush(x))); }, a); }, kScalar);
  v(wave<f16(f16)>, "v_s_exp_f16", [](float a) { return one([](Floats x) { return exp2(x); }, a); }, kScalarHalf);
  v(wave<f16(f16)>, "v_s_log_f16", [](float a) { return one([](Floats x) { return log2(x); }, a); }, kScalarHalf);
  v(wave<f16(f16)>, "v_s_rcp_f16", [](float a) { return 1.0f / a; }, kScalarHalf);
  v(wave<f16(f16)>, "v_s_rsq_f16", [](float a) { return one([](Floats x) { return rsqrt(x); }, a); }, kScalarHalf);
  v(wave<f16(f16)>, "v_s_sqrt_f16", [](float a) { return __builtin_sqrtf(a); }, kScalarHalf);
  // clang-format on
}

}  // namespace wavesmith::isa
