// The C API of linear algebra: checks a call and launches it.
#include "kernels/linalg/linalg.h"

#include <string>

#include "kernels/pointwise/number_types.h"

namespace wavesmith::kernels {
namespace {

constexpr const char* kName = "linalg";

/// A matrix of an operation: its name and sizes.
struct Given {
  const char* name;
  const wavesmith_linalg_matrix& matrix;
  int64_t rows, columns;
  bool may_lack = false;
};

bool is_spectrum(const Linalg& one) {
  return one.operation == WAVESMITH_LINALG_EIGENVALUES || one.operation == WAVESMITH_LINALG_SINGULAR_VALUES;
}
bool is_square(const Linalg& one) {
  return one.operation == WAVESMITH_LINALG_CHOLESKY || one.operation == WAVESMITH_LINALG_EIGENVALUES ||
         one.operation == WAVESMITH_LINALG_LDL || one.operation == WAVESMITH_LINALG_EXPONENTIAL;
}

wavesmith_kernels_status check_matrix(const Linalg& one, const Given& given) {
  const std::string name = given.name;
  if (!given.matrix.data) {
    return given.may_lack || given.rows == 0 || given.columns == 0 ? succeed()
                                                                   : invalid(kName, name + ".data is null");
  }
  int64_t extent = 0;
  for (const auto& [size, stride] :
       {std::pair(given.rows, given.matrix.row), {given.columns, given.matrix.column}}) {
    int64_t reach = 0;
    if (stride > INT32_MAX || stride < -INT32_MAX || __builtin_mul_overflow(size, stride, &reach))
      return not_supported(kName, name + " spans 2^31 elements or more");
    extent += reach < 0 ? -reach : reach;
    if (extent > INT32_MAX) return not_supported(kName, name + " spans 2^31 elements or more");
  }
  const bool is_complex = one.type >= WAVESMITH_POINTWISE_C64;
  return check_aligned(kName, name + ".data", given.matrix.data, size_of(one.type) / (is_complex ? 2 : 1));
}

wavesmith_kernels_status check_sizes(const Linalg& one) {
  for (const auto& [name, size] :
       {std::pair("batch", one.batch), {"rows", one.rows}, {"columns", one.columns}, {"inner", one.inner}}) {
    if (size < 0) return invalid(kName, std::string(name) + " is negative");
    if (size > INT32_MAX / kProductTile) return not_supported(kName, std::string(name) + " is 2^25 or more");
  }
  if (is_square(one) && one.rows != one.columns)
    return invalid(kName,
                   "rows is " + std::to_string(one.rows) + ", and columns " + std::to_string(one.columns));
  if (one.operation == WAVESMITH_LINALG_SINGULAR_VALUES && one.rows < one.columns)
    return invalid(kName, "there are fewer rows than columns");
  if (is_spectrum(one) && one.rows > kMostSpectrum)
    return not_supported(kName, "rows is " + std::to_string(one.rows) + ", more than 2048");
  if (one.operation == WAVESMITH_LINALG_EXPONENTIAL && one.rows > kMostExponential)
    return not_supported(kName, "rows is " + std::to_string(one.rows) + ", more than 64");
  if (one.operation == WAVESMITH_LINALG_REFLECT && one.inner > one.rows)
    return invalid(kName, "inner is " + std::to_string(one.inner) + ", more than rows");
  return succeed();
}

wavesmith_kernels_status check_arrays(const Linalg& one, bool vector, bool pivots, bool info) {
  if (vector && !one.vector) return invalid(kName, "vector is null");
  if (pivots && !one.pivots) return invalid(kName, "pivots is null");
  if (info && !one.info) return invalid(kName, "info is null");
  return succeed();
}

wavesmith_kernels_status check_all(const Linalg& one, std::initializer_list<Given> matrices, bool vector,
                                   bool pivots, bool info) {
  for (const Given& given : matrices)
    if (const auto status = check_matrix(one, given)) return status;
  return check_arrays(one, vector, pivots, info);
}

wavesmith_kernels_status check_operands(const Linalg& one) {
  const int64_t n = one.rows, m = one.columns, k = one.inner;
  switch (one.operation) {
    case WAVESMITH_LINALG_CHOLESKY:
      return check_all(one, {{"a", one.a, n, n}}, false, false, true);
    case WAVESMITH_LINALG_LU:
      return check_all(one, {{"a", one.a, n, m}}, false, true, true);
    case WAVESMITH_LINALG_SOLVE_LOWER:
      return check_all(one, {{"a", one.a, n, n}, {"b", one.b, n, m}}, false, false, false);
    case WAVESMITH_LINALG_EXCHANGE_ROWS:
      return check_all(one, {{"b", one.b, n, m}}, false, true, false);
    case WAVESMITH_LINALG_QR:
      return check_all(one, {{"a", one.a, n, m}}, true, false, false);
    case WAVESMITH_LINALG_REFLECT:
      return check_all(one, {{"a", one.a, n, k}, {"b", one.b, n, m}}, k > 0, false, false);
    case WAVESMITH_LINALG_EIGENVALUES:
      return check_all(one, {{"a", one.a, n, n}, {"b", one.b, n, n, true}}, true, false, true);
    case WAVESMITH_LINALG_SINGULAR_VALUES:
      if (!one.b.data != !one.c.data) return invalid(kName, "of b and c one has data");
      return check_all(one, {{"a", one.a, n, m}, {"b", one.b, n, m, true}, {"c", one.c, m, m, true}}, true,
                       false, true);
    case WAVESMITH_LINALG_LDL:
      return check_all(one, {{"a", one.a, n, n}}, false, true, true);
    case WAVESMITH_LINALG_SOLVE_LDL:
      return check_all(one, {{"a", one.a, n, n}, {"b", one.b, n, m}}, false, true, false);
    case WAVESMITH_LINALG_EXPONENTIAL:
      return check_all(one, {{"a", one.a, n, n}, {"b", one.b, n, n}}, false, false, false);
    default:
      return check_all(one, {{"a", one.a, n, k}, {"b", one.b, k, m}, {"c", one.c, n, m}}, false, false,
                       false);
  }
}

bool is_empty(const Linalg& one) { return one.batch == 0 || one.rows == 0 || one.columns == 0; }

wavesmith_kernels_status check(const Linalg& one) {
  if (one.operation < WAVESMITH_LINALG_CHOLESKY || one.operation > WAVESMITH_LINALG_EXPONENTIAL)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (!is_number(one.type)) return invalid(kName, "type is " + std::to_string(one.type) + ", no type");
  const auto last = is_spectrum(one) ? WAVESMITH_POINTWISE_F64 : WAVESMITH_POINTWISE_C128;
  if (one.type < WAVESMITH_POINTWISE_F32 || one.type > last)
    return not_supported(kName, "type is " + std::string(word_of(one.type)));
  if (const auto status = check_sizes(one)) return status;
  return is_empty(one) ? succeed() : check_operands(one);
}

size_t workspace_of(const Linalg& one) {
  if (one.operation == WAVESMITH_LINALG_EXPONENTIAL)
    return static_cast<size_t>(kExponentialKept * one.batch * one.rows * one.rows * size_of(one.type));
  const int64_t more = one.operation == WAVESMITH_LINALG_EIGENVALUES || one.c.data ? one.columns : 0;
  if (!is_spectrum(one) || fits_in_shared(one.rows, one.columns, more, size_of(one.type))) return 0;
  return static_cast<size_t>(one.batch * (one.rows + more) * one.columns * size_of(one.type));
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_linalg_workspace(const wavesmith_linalg_description* linalg) {
  return linalg && check(*linalg) == WAVESMITH_KERNELS_SUCCESS && !is_empty(*linalg) ? workspace_of(*linalg)
                                                                                     : 0;
}

wavesmith_kernels_status wavesmith_kernels_linalg(const wavesmith_linalg_description* linalg, void* stream) {
  if (!linalg) return invalid(kName, "the description is null");
  if (const auto status = check(*linalg)) return status;
  if (is_empty(*linalg)) return succeed();
  if (const auto status =
          check_workspace(kName, linalg->workspace, linalg->workspace_bytes, workspace_of(*linalg)))
    return status;
  return launch_linalg(*linalg, stream);
}
