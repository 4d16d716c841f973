// What Python gives: words and tuples that describe types, matrices and scales, as the C API has them. A word
// that there is not is an exception that names those that there are.
#pragma once

#include <string>
#include <string_view>

#include "python/native/kernels.h"

namespace wavesmith::python {

/// An element type: its word, and what it is in DLPack.
struct Type {
  std::string_view word;
  wavesmith_kernels_type type;
  nanobind::dlpack::dtype in_dlpack;
};

const Type& type_of(std::string_view word);
/// f32 where there is no word.
wavesmith_kernels_type optional_type_of(std::string_view word);
/// "bf16", "i8", "c64"; several lanes are not named apart, for no array has them.
std::string word_of(nanobind::dlpack::dtype type);

wavesmith_kernels_matrix matrix_of(const MatrixTuple& given);
wavesmith_kernels_rows rows_of(const RowsTuple& given);
wavesmith_kernels_scales scales_of(const ScalesTuple& given);
wavesmith_kernels_token_heads heads_of(const HeadsTuple& given);
wavesmith_kernels_heads attended_of(const AttendedTuple& given);
wavesmith_kernels_paged paged_of(const PagedTuple& given);

wavesmith_kernels_activation activation_of(const std::string& word);
wavesmith_kernels_elementwise_operation elementwise_operation_of(const std::string& word);
wavesmith_router_scores router_scores_of(const std::string& word);
wavesmith_router_worth router_worth_of(const std::string& word);
wavesmith_kernels_reduction reduction_of(const std::string& word);
wavesmith_kernels_reduced reduced_of(const std::string& word);

}  // namespace wavesmith::python
