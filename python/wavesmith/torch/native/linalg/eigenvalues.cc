// Eigenvalues of any matrix, which the host computes, for `_linalg/eigenvalues.py`: it reads and writes the
// device's memory.
#include <tuple>

#include <ATen/ops/linalg_eig.h>
#include <torch/library.h>

#include "memory/host_view.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

bool is_lapacks(c10::ScalarType type) {
  return type == c10::ScalarType::Float || type == c10::ScalarType::Double ||
         type == c10::ScalarType::ComplexFloat || type == c10::ScalarType::ComplexDouble;
}

std::tuple<at::Tensor, at::Tensor> eigenvalues_by_host(const at::Tensor& a) {
  const auto dimensions = a.dim();
  if (dimensions < 2 || a.size(-1) != a.size(-2) || a.numel() == 0 || !is_lapacks(a.scalar_type())) {
    const auto [values, vectors] = at::linalg_eig(host_view(a));
    return {values.to(a.device()), vectors.to(a.device())};
  }
  const auto options = a.options().dtype(c10::toComplexType(a.scalar_type())).memory_format(std::nullopt);
  const at::Tensor values = made(a.sizes().slice(0, dimensions - 1), {}, options);
  const at::Tensor vectors = made(a.sizes(), {}, options).mT();  // LAPACK's are columns
  at::Tensor seen_values = host_view(values), seen_vectors = host_view(vectors);
  at::linalg_eig_out(seen_values, seen_vectors, host_view(a));
  return {values, vectors};
}

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) { m.def("eigenvalues_by_host(Tensor a) -> (Tensor, Tensor)"); }

}  // namespace

WAVESMITH_OPERATORS(wavesmith_device, m) { m.impl("eigenvalues_by_host", &eigenvalues_by_host); }

}  // namespace wavesmith::device
