#include "python/native/kernel_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "python/native/failure.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

using Code = nb::dlpack::dtype_code;

/// DLPack's codes of floats of 8 bits, which nanobind does not name.
enum SmallFloat : uint8_t { kE4m3fn = 10, kE4m3fnuz = 11, kE5m2 = 12, kE5m2fnuz = 13 };

constexpr std::array<Type, 11> kTypes = {
    Type{"f32", WAVESMITH_KERNELS_F32, {static_cast<uint8_t>(Code::Float), 32, 1}},
    Type{"f16", WAVESMITH_KERNELS_F16, {static_cast<uint8_t>(Code::Float), 16, 1}},
    Type{"bf16", WAVESMITH_KERNELS_BF16, {static_cast<uint8_t>(Code::Bfloat), 16, 1}},
    Type{"i32", WAVESMITH_KERNELS_I32, {static_cast<uint8_t>(Code::Int), 32, 1}},
    Type{"i8", WAVESMITH_KERNELS_I8, {static_cast<uint8_t>(Code::Int), 8, 1}},
    Type{"e4m3", WAVESMITH_KERNELS_E4M3, {kE4m3fn, 8, 1}},
    Type{"e5m2", WAVESMITH_KERNELS_E5M2, {kE5m2, 8, 1}},
    Type{"e4m3fnuz", WAVESMITH_KERNELS_E4M3_FNUZ, {kE4m3fnuz, 8, 1}},
    Type{"e5m2fnuz", WAVESMITH_KERNELS_E5M2_FNUZ, {kE5m2fnuz, 8, 1}},
    // Bytes without a type of their own: two e2m1 each, or e8m0 where scales are expected.
    Type{"u8", WAVESMITH_KERNELS_E2M1X2, {static_cast<uint8_t>(Code::UInt), 8, 1}},
    // The same bytes as weights of halves.
    Type{"i4x2", WAVESMITH_KERNELS_I4X2, {static_cast<uint8_t>(Code::UInt), 8, 1}},
};

/// Where a word stands among those that there are, or an exception that names them.
template <size_t kCount>
int index_of(const std::string& word, const std::string_view (&words)[kCount], std::string_view what) {
  const auto* const found = std::ranges::find(words, word);
  if (found != std::end(words)) return static_cast<int>(found - std::begin(words));
  throw Failure({ErrorKind::BadInput,
                 fmt::format("{} is '{}'", what, word),
                 {},
                 fmt::format("there are {}", fmt::join(words, ", "))});
}

}  // namespace

const Type& type_of(std::string_view word) {
  const auto found = std::ranges::find(kTypes, word, &Type::word);
  if (found == kTypes.end())
    throw Failure({ErrorKind::Unsupported, fmt::format("there are no kernels for {}", word)});
  return *found;
}

std::string word_of(nb::dlpack::dtype type) {
  for (const Type& one : kTypes)
    if (one.in_dlpack == type) return std::string(one.word);
  static constexpr std::string_view kCodes[] = {"i", "u", "f", "opaque", "bf", "c", "b"};
  const std::string_view code = type.code < std::size(kCodes) ? kCodes[type.code] : "unknown";
  return fmt::format("{}{}", code, type.bits * type.lanes);
}

wavesmith_kernels_type optional_type_of(std::string_view word) {
  return word.empty() ? WAVESMITH_KERNELS_F32 : type_of(word).type;
}

wavesmith_kernels_matrix matrix_of(const MatrixTuple& given) {
  const auto& [data, type, row_stride, column_stride, batch_stride] = given;
  return {reinterpret_cast<void*>(data), optional_type_of(type), row_stride, column_stride, batch_stride};
}

wavesmith_kernels_rows rows_of(const RowsTuple& given) {
  const auto& [data, type, stride] = given;
  return {reinterpret_cast<void*>(data), optional_type_of(type), stride};
}

wavesmith_kernels_scales scales_of(const ScalesTuple& given) {
  const auto& [data, word, block, row_stride, column_stride] = given;
  static constexpr std::string_view kScalings[] = {"unscaled", "given", "matrix", "row",
                                                   "block",    "mx",    "square"};  // by the enumerators
  const auto found = std::ranges::find(kScalings, word);
  if (found == std::end(kScalings))
    throw Failure({ErrorKind::BadInput,
                   fmt::format("scaling is '{}'", word),
                   {},
                   "there are matrix, row, block and mx"});
  return {static_cast<wavesmith_kernels_scaling>(found - std::begin(kScalings)),
          reinterpret_cast<void*>(data),
          block,
          row_stride,
          column_stride,
          0};
}

wavesmith_kernels_token_heads heads_of(const HeadsTuple& given) {
  const auto& [data, type, token_stride, head_stride] = given;
  return {reinterpret_cast<void*>(data), optional_type_of(type), token_stride, head_stride};
}

wavesmith_kernels_heads attended_of(const AttendedTuple& given) {
  const auto& [data, batch_stride, row_stride, head_stride] = given;
  return {reinterpret_cast<void*>(data), batch_stride, row_stride, head_stride};
}

wavesmith_kernels_paged paged_of(const PagedTuple& given) {
  const auto& [data, type, block_stride, row_stride, head_stride, scale, scales] = given;
  wavesmith_kernels_paged paged{.data = reinterpret_cast<void*>(data),
                                .type = type_of(type).type,
                                .block_stride = block_stride,
                                .row_stride = row_stride,
                                .head_stride = head_stride};
  if (const bool* const per_head = std::get_if<bool>(&scales)) {
    paged.scale = reinterpret_cast<const float*>(scale);
    paged.scale_per_head = *per_head;
  } else {
    paged.token_scales = reinterpret_cast<float*>(scale);
    std::tie(paged.token_scales_block_stride, paged.token_scales_row_stride, paged.token_scales_head_stride) =
        std::get<1>(scales);
  }
  return paged;
}

wavesmith_kernels_activation activation_of(const std::string& word) {
  static constexpr std::string_view kActivations[] = {"", "relu", "gelu", "silu"};  // by the enumerators
  const auto found = std::ranges::find(kActivations, word);
  if (found == std::end(kActivations))
    throw Failure(
        {ErrorKind::BadInput, fmt::format("activation is '{}'", word), {}, "there are relu, gelu and silu"});
  return static_cast<wavesmith_kernels_activation>(found - std::begin(kActivations));
}

wavesmith_router_scores router_scores_of(const std::string& word) {
  static constexpr std::string_view kScores[] = {"softmax", "sigmoid"};  // by the enumerators
  return static_cast<wavesmith_router_scores>(index_of(word, kScores, "scores"));
}
wavesmith_router_worth router_worth_of(const std::string& word) {
  static constexpr std::string_view kWorths[] = {"largest", "two_largest"};  // by the enumerators
  return static_cast<wavesmith_router_worth>(index_of(word, kWorths, "worth"));
}

wavesmith_kernels_elementwise_operation elementwise_operation_of(const std::string& word) {
  static constexpr std::string_view kOperations[] = {
      "add", "subtract", "multiply",        "divide", "minimum", "maximum", "negate", "absolute", "exp",
      "log", "sqrt",     "reciprocal_root", "tanh",   "sigmoid", "relu",    "gelu",   "silu",     "square"};
  return static_cast<wavesmith_kernels_elementwise_operation>(index_of(word, kOperations, "operation"));
}

wavesmith_kernels_reduction reduction_of(const std::string& word) {
  static constexpr std::string_view kReductions[] = {"sum", "mean", "maximum", "minimum", "sum_of_squares"};
  return static_cast<wavesmith_kernels_reduction>(index_of(word, kReductions, "reduction"));
}

wavesmith_kernels_reduced reduced_of(const std::string& word) {
  static constexpr std::string_view kOver[] = {"row", "column", "all"};
  return static_cast<wavesmith_kernels_reduced>(index_of(word, kOver, "over"));
}

}  // namespace wavesmith::python
