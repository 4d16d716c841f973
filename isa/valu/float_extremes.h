// Minima, maxima and medians of floats, with the NaN rules of each generation (NanRule in numeric.h).
#pragma once

#include "isa/row.h"
#include "isa/valu/extremes_of_three.h"
#include "isa/valu/half_extremes.h"
#include "isa/valu/numeric.h"

namespace wavesmith::isa {
namespace detail {

template <NanRule kRule>
struct FloatExtreme {
  template <bool kMaximum>
  static constexpr auto extreme(auto a, auto b) {
    return detail::extreme<kMaximum, kRule>(a, b);
  }
  static constexpr auto equal(auto a, auto b) { return a == b; }
  static constexpr auto is_nan(auto x) { return detail::is_nan(x); }
};

}  // namespace detail

template <class Visitor>
void float_extremes(Visitor& v) {
  using namespace detail;
  using Ieee = Extremes<FloatExtreme<NanRule::Ieee>>;
  using Number = Extremes<FloatExtreme<NanRule::Number>>;
  using Nan = Extremes<FloatExtreme<NanRule::Nan>>;
  using HalfIeee = HalfExtremes<NanRule::Ieee>;
  using HalfNumber = HalfExtremes<NanRule::Number>;
  using HalfNan = HalfExtremes<NanRule::Nan>;
  constexpr Generations kIeee = kCdna | kRdna3;
  constexpr Facts ieee{.generations = kIeee, .chooses = true};
  constexpr Facts ieee_dual{.generations = kIeee, .chooses = true, .dual = true};
  constexpr Facts ieee64{.issue = Issue::Double, .generations = kIeee, .chooses = true};
  constexpr Facts kept{.generations = kIeee, .keeps_high = true, .chooses = true};
  constexpr Facts rdna3{.generations = kRdna3, .chooses = true},
      rdna4{.generations = kRdna4, .chooses = true};
  constexpr Facts rdna4_64{.issue = Issue::Double, .generations = kRdna4, .chooses = true};
  // RDNA4's assembler also takes the names without "num".
  constexpr auto also = [](std::string_view alias, Facts facts) {
    facts.alias = alias;
    return facts;
  };
  constexpr Facts rdna4_dual{.generations = kRdna4, .chooses = true, .dual = true};
  // clang-format off
  v(lane<f32(f32, f32)>,      "v_min_f32",  Ieee::min, ieee_dual);
  v(lane<f32(f32, f32)>,      "v_max_f32",  Ieee::max, ieee_dual);
  v(rare<f32(f32, f32, f32)>, "v_min3_f32", Ieee::min3, ieee);
  v(rare<f32(f32, f32, f32)>, "v_max3_f32", Ieee::max3, ieee);
  v(rare<f32(f32, f32, f32)>, "v_med3_f32", Ieee::med3, ieee);
  v(rare<f32(f32, f32, f32)>, "v_minmax_f32", Ieee::minmax, rdna3);
  v(rare<f32(f32, f32, f32)>, "v_maxmin_f32", Ieee::maxmin, rdna3);
  v(rare<f64(f64, f64)>,      "v_min_f64",  Ieee::min, ieee64);
  v(rare<f64(f64, f64)>,      "v_max_f64",  Ieee::max, ieee64);
  v(rare<f16_code(f16_code, f16_code)>,      "v_min_f16",  HalfIeee::min, ieee);
  v(rare<f16_code(f16_code, f16_code)>,      "v_max_f16",  HalfIeee::max, ieee);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_min3_f16", HalfIeee::min3, kept);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_max3_f16", HalfIeee::max3, kept);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_med3_f16", HalfIeee::med3, kept);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_minmax_f16", HalfIeee::minmax, rdna3);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_maxmin_f16", HalfIeee::maxmin, rdna3);

  v(lane<f32(f32, f32)>,      "v_min_num_f32",  Number::min, also("v_min_f32", rdna4_dual));
  v(lane<f32(f32, f32)>,      "v_max_num_f32",  Number::max, also("v_max_f32", rdna4_dual));
  v(rare<f32(f32, f32, f32)>, "v_min3_num_f32", Number::min3, also("v_min3_f32", rdna4));
  v(rare<f32(f32, f32, f32)>, "v_max3_num_f32", Number::max3, also("v_max3_f32", rdna4));
  v(rare<f32(f32, f32, f32)>, "v_med3_num_f32", Number::med3, also("v_med3_f32", rdna4));
  v(rare<f32(f32, f32, f32)>, "v_minmax_num_f32", Number::minmax, also("v_minmax_f32", rdna4));
  v(rare<f32(f32, f32, f32)>, "v_maxmin_num_f32", Number::maxmin, also("v_maxmin_f32", rdna4));
  v(rare<f64(f64, f64)>,      "v_min_num_f64",  Number::min, also("v_min_f64", rdna4_64));
  v(rare<f64(f64, f64)>,      "v_max_num_f64",  Number::max, also("v_max_f64", rdna4_64));
  v(rare<f16_code(f16_code, f16_code)>,      "v_min_num_f16",  HalfNumber::min, also("v_min_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code)>,      "v_max_num_f16",  HalfNumber::max, also("v_max_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_min3_num_f16", HalfNumber::min3, also("v_min3_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_max3_num_f16", HalfNumber::max3, also("v_max3_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_med3_num_f16", HalfNumber::med3, also("v_med3_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_minmax_num_f16", HalfNumber::minmax, also("v_minmax_f16", rdna4));
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_maxmin_num_f16", HalfNumber::maxmin, also("v_maxmin_f16", rdna4));

  v(rare<f32(f32, f32)>,      "v_minimum_f32",  Nan::min, rdna4);
  v(rare<f32(f32, f32)>,      "v_maximum_f32",  Nan::max, rdna4);
  v(rare<f64(f64, f64)>,      "v_minimum_f64",  Nan::min, rdna4_64);
  v(rare<f64(f64, f64)>,      "v_maximum_f64",  Nan::max, rdna4_64);
  v(rare<f16_code(f16_code, f16_code)>,      "v_minimum_f16",  HalfNan::min, rdna4);
  v(rare<f16_code(f16_code, f16_code)>,      "v_maximum_f16",  HalfNan::max, rdna4);
  v(rare<f32(f32, f32, f32)>, "v_minimum3_f32", Nan::min3, {.generations = kCdna4 | kRdna4, .chooses = true});
  v(rare<f32(f32, f32, f32)>, "v_maximum3_f32", Nan::max3, {.generations = kCdna4 | kRdna4, .chooses = true});
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_minimum3_f16", HalfNan::min3, rdna4);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_maximum3_f16", HalfNan::max3, rdna4);
  v(rare<f32(f32, f32, f32)>, "v_minimummaximum_f32", Nan::minmax, rdna4);
  v(rare<f32(f32, f32, f32)>, "v_maximumminimum_f32", Nan::maxmin, rdna4);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_minimummaximum_f16", HalfNan::minmax, rdna4);
  v(rare<f16_code(f16_code, f16_code, f16_code)>, "v_maximumminimum_f16", HalfNan::maxmin, rdna4);
  // clang-format on
}

}  // namespace wavesmith::isa
