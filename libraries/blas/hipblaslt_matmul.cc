// hipBLASLt: matrix products, with biases, activations and scales. Types and values: hipblaslt.h of ROCm 7.0.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "libraries/blas/hipblaslt_types.h"
#include "libraries/blas/kernel/product_kernel.h"
#include "libraries/blas/operations.h"
#include "libraries/blas/product.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {

constexpr int kByRows = 1, kOnGpu = 1, kTypeOfD = 255, kVector = 3;

/// Its fields are what hipblasLtMatmulDescAttributes_t names, by the value of the attribute.
struct Description {
  int compute, scalars;
  int32_t operation_a, operation_b;                    // 0, 1
  uint32_t epilogue;                                   // 2
  const void* bias;                                    // 3
  int32_t bias_type;                                   // 4
  const float *scale_a, *scale_b, *scale_c, *scale_d;  // 5 to 8
  const void *aux_scale, *aux;                         // 9, 10
  int64_t aux_ld, aux_stride;                          // 11, 12
  int32_t pointer_mode;                                // 13
  const void* largest;                                 // 14
  int32_t aux_type, scale_mode_a, scale_mode_b;        // 22, 31, 32
};

struct Layout {
  int32_t type, order, batches;
  uint64_t rows, columns;
  int64_t ld, stride;
};

template <class T>
int make(T** place, const T& value) {
  if (!place) return kInvalidValue;
  *place = static_cast<T*>(std::malloc(sizeof(T)));
  if (!*place) return kAllocFailed;
  std::memcpy(*place, &value, sizeof(T));
  return kSuccess;
}

int discard(void* object) {
  if (!object) return kInvalidValue;
  std::free(object);
  return kSuccess;
}

template <class T>
int take(T& field, const void* value, size_t size) {
  if (size < sizeof field) return kInvalidValue;
  std::memcpy(&field, value, sizeof field);
  return kSuccess;
}

Matrix matrix_of(const Layout& layout, const void* data, int operation) {
  const bool by_columns = (layout.order != kByRows) == (operation == kAsItIs);
  return {const_cast<void*>(data),    number_of(layout.type), by_columns ? 1 : layout.ld,
          by_columns ? layout.ld : 1, layout.stride,          operation == kConjugated};
}

/// What a call asks for that is not served; null: nothing.
const char* not_served(const Description& description) {
  Activation activation{};
  if (!activation_of(description.epilogue, activation))
    return "HIPBLAS_STATUS_NOT_SUPPORTED for this epilogue";
  if (description.pointer_mode != 0 && description.pointer_mode != kOnGpu)
    return "HIPBLAS_STATUS_NOT_SUPPORTED for vectors of alpha";
  for (const int32_t mode : {description.scale_mode_a, description.scale_mode_b})
    if (mode != 0 && mode != kVector) return "HIPBLAS_STATUS_NOT_SUPPORTED for scales of blocks";
  if (description.largest) return "HIPBLAS_STATUS_NOT_SUPPORTED for the largest number of D";
  if ((description.epilogue & kAux) && description.aux_scale)
    return "HIPBLAS_STATUS_NOT_SUPPORTED for a scaled auxiliary matrix";
  return nullptr;
}

/// What follows the product; its matrix before the activation lies as D does.
Epilogue epilogue_of(const Description& description, const Layout& d) {
  Epilogue epilogue{};
  activation_of(description.epilogue, epilogue.activation);
  if (description.epilogue & kBias) {
    epilogue.bias = description.bias;
    epilogue.bias_type = number_of(description.bias_type == kTypeOfD ? d.type : description.bias_type);
  }
  if (description.epilogue & kAux) {
    Layout aux = d;
    aux.ld = description.aux_ld;
    aux.stride = description.aux_stride;
    if (description.aux_type != kTypeOfD) aux.type = description.aux_type;
    epilogue.before = matrix_of(aux, description.aux, kAsItIs);
  }
  epilogue.scale_a = description.scale_a;
  epilogue.scale_b = description.scale_b;
  epilogue.scale_c = description.scale_c;
  epilogue.scale_d = description.scale_d;
  epilogue.scale_a_by_row = description.scale_mode_a == kVector;
  epilogue.scale_b_by_column = description.scale_mode_b == kVector;
  return epilogue;
}

struct FourLayouts {
  const Layout *a, *b, *c, *d;
};

/// The product of matrices that lie like this, without their data and factors. False: the sizes differ.
bool product_of(const Description& description, const FourLayouts& layouts, Product& product) {
  const auto& [a, b, c, d] = layouts;
  const bool a_as_it_is = description.operation_a == kAsItIs, b_as_it_is = description.operation_b == kAsItIs;
  const uint64_t m = a_as_it_is ? a->rows : a->columns, k = a_as_it_is ? a->columns : a->rows,
                 n = b_as_it_is ? b->columns : b->rows;
  for (const Layout* result : {c, d})
    if (result->rows != m || result->columns != n || result->batches != a->batches) return false;
  if ((b_as_it_is ? b->rows : b->columns) != k || b->batches != a->batches) return false;
  product = {.m = static_cast<int64_t>(m),
             .n = static_cast<int64_t>(n),
             .k = static_cast<int64_t>(k),
             .batches = d->batches,
             .arrays = false,
             .a = matrix_of(*a, nullptr, description.operation_a),
             .b = matrix_of(*b, nullptr, description.operation_b),
             .c = matrix_of(*c, nullptr, kAsItIs),
             .d = matrix_of(*d, nullptr, kAsItIs),
             .compute = scalars_of(description.compute),
             .alpha = nullptr,
             .beta = nullptr,
             .scalars_on_gpu = description.pointer_mode == kOnGpu,
             .epilogue = epilogue_of(description, *d)};
  return true;
}

}  // namespace

WAVESMITH_SERVED int hipblasLtMatmulDescCreate(Description** place, int compute, int scalars) {
  Description description{};
  description.compute = compute;
  description.scalars = scalars;
  description.operation_a = description.operation_b = kAsItIs;
  description.epilogue = kNothing;
  description.bias_type = description.aux_type = kTypeOfD;
  return make(place, description);
}
WAVESMITH_SERVED int hipblasLtMatmulDescDestroy(void* description) { return discard(description); }

WAVESMITH_SERVED int hipblasLtMatmulDescSetAttribute(Description* description, int attribute,
                                                     const void* value, size_t size) {
  if (!description || !value || attribute < 0) return kInvalidValue;
  const auto to = [&](auto& field) { return take(field, value, size); };
  switch (attribute) {
    case 0:
      return to(description->operation_a);
    case 1:
      return to(description->operation_b);
    case 2:
      return to(description->epilogue);
    case 3:
      return to(description->bias);
    case 4:
      return to(description->bias_type);
    case 5:
      return to(description->scale_a);
    case 6:
      return to(description->scale_b);
    case 7:
      return to(description->scale_c);
    case 8:
      return to(description->scale_d);
    case 9:
      return to(description->aux_scale);
    case 10:
      return to(description->aux);
    case 11:
      return to(description->aux_ld);
    case 12:
      return to(description->aux_stride);
    case 13:
      return to(description->pointer_mode);
    case 14:
      return to(description->largest);
    case 22:
      return to(description->aux_type);
    case 31:
      return to(description->scale_mode_a);
    case 32:
      return to(description->scale_mode_b);
    default:
      return WAVESMITH_UNSUPPORTED("hipblasLtMatmulDescSetAttribute",
                                   "HIPBLAS_STATUS_NOT_SUPPORTED for this attribute", kNotSupported);
  }
}

WAVESMITH_SERVED int hipblasLtMatrixLayoutCreate(Layout** place, int type, uint64_t rows, uint64_t columns,
                                                 int64_t ld) {
  return make(place, Layout{type, 0, 1, rows, columns, ld, 0});
}
WAVESMITH_SERVED int hipblasLtMatrixLayoutDestroy(void* layout) { return discard(layout); }

WAVESMITH_SERVED int hipblasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value,
                                                       size_t size) {
  if (!layout || !value) return kInvalidValue;
  switch (attribute) {  // hipblasLtMatrixLayoutAttribute_t
    case 0:
      return take(layout->batches, value, size);
    case 1:
      return take(layout->stride, value, size);
    case 2:
      return take(layout->type, value, size);
    case 3:
      return take(layout->order, value, size);
    case 4:
      return take(layout->rows, value, size);
    case 5:
      return take(layout->columns, value, size);
    case 6:
      return take(layout->ld, value, size);
    default:
      return kInvalidValue;
  }
}

// There is one way to compute a product. Memory of the caller's is welcome, none is needed.
WAVESMITH_SERVED int hipblasLtMatmulPreferenceCreate(uint64_t** place) { return make(place, uint64_t{0}); }
WAVESMITH_SERVED int hipblasLtMatmulPreferenceDestroy(void* preference) { return discard(preference); }
WAVESMITH_SERVED int hipblasLtMatmulPreferenceSetAttribute(uint64_t* preference, int attribute,
                                                           const void* value, size_t size) {
  constexpr int kMostWorkspace = 1;  // HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
  if (!preference || !value) return kInvalidValue;
  return attribute == kMostWorkspace ? take(*preference, value, size) : kSuccess;
}

WAVESMITH_SERVED int hipblasLtMatmulAlgoGetHeuristic(void* handle, const Description* description,
                                                     const Layout* a, const Layout* b, const Layout* c,
                                                     const Layout* d, const uint64_t* preference, int asked,
                                                     Heuristic* results, int* count) {
  if (!handle || !description || !a || !b || !c || !d || asked < 1 || !results || !count)
    return kInvalidValue;
  *count = 0;
  static std::atomic_flag said;
  if (const char* const why = not_served(*description))
    return unsupported("hipblasLtMatmulAlgoGetHeuristic", why, kNotSupported, said);
  results[0] = Heuristic{};
  results[0].waves = 1;
  const _Float16 some[] = {1, 1};  // a factor that is not 0, of halves and of floats
  Product product{};
  if (preference && *preference > 0 && product_of(*description, {a, b, c, d}, product)) {
    product.alpha = product.beta = some;
    results[0].workspace = std::min<size_t>(*preference, product_workspace(product));
  }
  *count = 1;
  return kSuccess;
}

WAVESMITH_SERVED int hipblasLtMatmul(void* handle, const Description* description, const void* alpha,
                                     const void* a, const Layout* a_layout, const void* b,
                                     const Layout* b_layout, const void* beta, const void* c,
                                     const Layout* c_layout, void* d, const Layout* d_layout,
                                     const Algorithm*, void* workspace, size_t workspace_bytes,
                                     void* stream) {
  if (!handle || !description || !alpha || !a || !a_layout || !b || !b_layout || !beta || !c_layout || !d ||
      !d_layout)
    return kInvalidValue;
  static std::atomic_flag said;
  if (const char* const why = not_served(*description))
    return unsupported("hipblasLtMatmul", why, kNotSupported, said);
  if ((description->epilogue & kBias && !description->bias) ||
      (description->epilogue & kAux && (!description->aux || description->aux_ld < 1)))
    return kInvalidValue;
  Product product{};
  if (!product_of(*description, {a_layout, b_layout, c_layout, d_layout}, product)) return kInvalidValue;
  product.a.data = const_cast<void*>(a), product.b.data = const_cast<void*>(b);
  product.c.data = const_cast<void*>(c), product.d.data = d;
  product.alpha = alpha, product.beta = beta;
  product.workspace = workspace, product.workspace_bytes = workspace_bytes;
  if (!c) product.c = product.d;
  const Number scalars = number_of(description->scalars);
  const Called called("hipblasLtMatmul");
  const bool as_expected = scalar_size(product.compute, product.a.type) == scalar_size(scalars, Number::None);
  const Outcome outcome = as_expected ? multiply(product, stream) : Outcome::NotServed;
  return outcome == Outcome::NotServed
             ? unsupported("hipblasLtMatmul", "HIPBLAS_STATUS_NOT_SUPPORTED for these types", kNotSupported,
                           said)
             : status_of(outcome, kStatuses);
}
