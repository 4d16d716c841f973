// Operators whose results have as many elements as are found: what is not 0, what is different. They read
// that number from the device, for which they wait, as on other GPUs.
#include "order/found.h"

#include <ATen/ops/_unique2_ops.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero_ops.h>
#include <ATen/ops/nonzero_static_ops.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/unique_consecutive_ops.h>
#include <ATen/ops/unique_dim_ops.h>

#include "operators/index.h"
#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {

using at::Tensor;

Found::Found(const Tensor& x, bool flat)
    : x_(x),
      count_(made({}, {}, x.options().dtype(c10::ScalarType::Long))),
      one_(described<wavesmith_nonzero_description>(x)) {
  one_.count = count_.mutable_data_ptr<std::int64_t>();
  one_.is_flat = flat;
  one_.workspace_bytes = wavesmith_kernels_nonzero_workspace(&one_);
  memory_ = workspace(one_.workspace_bytes);
  one_.workspace = memory_.get();
}

void Found::call() {
  serve(wavesmith_kernels_nonzero(&one_, native(current_stream(x_.device().index()))), "nonzero");
}

std::int64_t Found::count() {
  call();
  one_.has_counted = 1;
  return count_.item<std::int64_t>();
}

void Found::write(const Tensor& places) {
  if (places.numel() == 0) return;
  const auto bytes = static_cast<std::int64_t>(places.itemsize());
  one_.places = {};
  // The first coordinate is of the slowest dimension, which the library takes last.
  one_.places.data = static_cast<char*>(places.data_ptr()) + (places.size(1) - 1) * places.stride(1) * bytes;
  one_.places.type = WAVESMITH_POINTWISE_I64;
  one_.places.strides[0] = places.stride(0) * bytes, one_.places.strides[1] = -places.stride(1) * bytes;
  one_.most = places.size(0);
  call();
}

namespace {

c10::TensorOptions integers(const Tensor& like) { return like.options().dtype(c10::ScalarType::Long); }

Tensor nonzero(const Tensor& x) {
  Found found(x, false);
  const Tensor places = made({x.dim(), found.count()}, {}, integers(x)).t();  // by columns, as other GPUs
  found.write(places);
  return places;
}

Tensor nonzero_static(const Tensor& x, c10::SymInt size, std::int64_t fill_value) {
  if (size < 0) throw NotServed();
  const Tensor places = at::full({size.expect_int(), x.dim()}, fill_value, integers(x));
  Found(x, false).write(places);
  return places;
}

using Three = std::tuple<Tensor, Tensor, Tensor>;

Tensor none(const Tensor& like) { return made({0}, {}, integers(like)); }

// Runs of equal elements, or of equal rows: where each begins, and what PyTorch tells beside.
class Runs {
 public:
  explicit Runs(const Tensor& rows) : begins_(made({rows.size(0)}, {}, rows.options().dtype(at::kBool))) {
    const auto rest = rows.size(0) - 1;
    begins_.narrow(0, 0, 1).fill_(true);
    Tensor differs = begins_.narrow(0, 1, rest);
    const Tensor later = rows.narrow(0, 1, rest), sooner = rows.narrow(0, 0, rest);
    if (rows.dim() == 1)
      at::ne_out(differs, later, sooner);
    else
      differs.copy_(later.ne(sooner).any(1));
    first_ = flat_places(begins_);
  }
  [[nodiscard]] const Tensor& first() const { return first_; }
  // The number of each element's run.
  [[nodiscard]] Tensor run() const { return begins_.cumsum(0).sub_(1); }
  [[nodiscard]] Tensor lengths() const {
    const Tensor ends = made(first_.sizes(), {}, first_.options());
    ends.narrow(0, 0, ends.size(0) - 1).copy_(first_.narrow(0, 1, ends.size(0) - 1));
    ends.narrow(0, ends.size(0) - 1, 1).fill_(begins_.size(0));
    return ends.sub_(first_);
  }

 private:
  Tensor begins_, first_;
};

// What is in run i of sorted elements, of which each came from a place.
Tensor unsorted(const Tensor& places, const Tensor& run) {
  return made(places.sizes(), {}, places.options()).scatter_(0, places, run);
}

Three unique(const Tensor& x, bool, bool inverse, bool counts) {
  if (x.is_complex()) throw NotServed();
  if (x.numel() == 0)
    return {x.new_empty({0}), made(inverse ? x.sizes() : c10::IntArrayRef{0}, {}, integers(x)), none(x)};
  const Tensor flat = x.reshape(-1), ordered = made(flat.sizes(), {}, flat.options()),
               places = inverse ? made(flat.sizes(), {}, integers(x)) : Tensor();
  put_in_order(flat, 0, false, ordered, places);
  const Runs runs(ordered);
  return {elements_at(ordered, runs.first()),
          inverse ? unsorted(places, runs.run()).view(x.sizes()) : none(x),
          counts ? runs.lengths() : none(x)};
}

Three unique_consecutive(const Tensor& x, bool inverse, bool counts, std::optional<std::int64_t> dim) {
  if (x.numel() == 0 || x.is_complex() || (dim && (*dim < -x.dim() || *dim >= x.dim()))) throw NotServed();
  const Tensor rows = dim ? x.movedim(*dim, 0) : x.reshape(-1);
  const Runs runs(dim ? rows.reshape({rows.size(0), -1}) : rows);
  const Tensor values = dim ? rows.index_select(0, runs.first()) : elements_at(rows, runs.first());
  return {dim ? values.movedim(0, *dim).contiguous() : values,
          !inverse ? none(x)
          : dim    ? runs.run()
                   : runs.run().view(x.sizes()),
          counts ? runs.lengths() : none(x)};
}

// Rows in the order of their first elements, where these are equal of their second ones, and so on.
Three unique_along(const Tensor& x, std::int64_t dim, bool, bool inverse, bool counts) {
  constexpr std::int64_t kMost = 64;  // sorts, one for each element of a row
  if (x.numel() == 0 || x.is_complex() || dim < -x.dim() || dim >= x.dim() || x.numel() / x.size(dim) > kMost)
    throw NotServed();
  const Tensor rows = x.movedim(dim, 0);
  Tensor flat = rows.reshape({rows.size(0), -1}), places;
  for (std::int64_t column = flat.size(1) - 1; column >= 0; --column) {
    const Tensor keys = flat.select(1, column);
    const Tensor order =
        std::get<1>(at::sort(places.defined() ? keys.index_select(0, places) : keys, true, 0, false));
    places = places.defined() ? places.index_select(0, order) : order;
  }
  const Runs runs(flat.index_select(0, places));
  const Tensor values = rows.index_select(0, places.index_select(0, runs.first()));
  return {values.movedim(0, dim).contiguous(), inverse ? unsorted(places, runs.run()) : none(x),
          counts ? runs.lengths() : none(x)};
}

}  // namespace

Tensor flat_places(const Tensor& x) {
  Found found(x, true);
  const Tensor places = made({found.count(), 1}, {}, integers(x));
  found.write(places);
  return places.squeeze(1);
}

Tensor elements_at(const Tensor& vector, const Tensor& places) {
  const Tensor elements = made(places.sizes(), {}, vector.options().memory_format(std::nullopt));
  launch_wrapped(WAVESMITH_INDEXED_GET, vector, 0, places, elements);
  return elements;
}

WAVESMITH_OPERATORS(aten, m) {
  plain<&nonzero, at::_ops::nonzero>(m);
  plain<&nonzero_static, at::_ops::nonzero_static>(m);
  plain<&unique, at::_ops::_unique2>(m);
  plain<&unique_consecutive, at::_ops::unique_consecutive>(m);
  plain<&unique_along, at::_ops::unique_dim>(m);
}

}  // namespace wavesmith::device
