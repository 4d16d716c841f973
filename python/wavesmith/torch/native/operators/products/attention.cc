// Scaled dot product attention: the kernel library's forward and gradients.

#include <algorithm>

#include <ATen/core/Tensor.h>

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "device/generator.h"
#include "operators/kernels.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

constexpr const char* kName = "scaled_dot_product_attention";
constexpr std::int64_t kLargestHead = 256, kHeadStep = 8;

double scale_or_default(std::optional<double> scale, const Tensor& query) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(3))));
}

// Whether the current device has a kernel for such heads.
bool has_kernel(at::ScalarType type, std::int64_t head_size, std::int64_t head_size_v, double dropout) {
  const auto at = [&](int number) {
    const auto size = std::max(head_size, head_size_v);
    return wavesmith_kernels_heads{.data = reinterpret_cast<void*>(std::uintptr_t{1} << number),
                                   .batch_stride = size,
                                   .row_stride = size,
                                   .head_stride = size};
  };
  const wavesmith_kernels_attention_description one{.batches = 1,
                                                    .heads_q = 1,
                                                    .heads_kv = 1,
                                                    .length_q = 1,
                                                    .length_k = 1,
                                                    .head_size = head_size,
                                                    .head_size_v = head_size_v,
                                                    .type = *kernel_type(type),
                                                    .q = at(16),
                                                    .k = at(17),
                                                    .v = at(18),
                                                    .o = at(19),
                                                    .scale = 1,
                                                    .window_left = -1,
                                                    .window_right = -1,
                                                    .dropout = static_cast<float>(dropout)};
  return wavesmith_kernels_attention_check(&one, nullptr) == WAVESMITH_KERNELS_SUCCESS;
}

bool served(const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& mask,
            double dropout, bool gqa) {
  if (mask.has_value() && mask->defined()) return false;
  if (!(dropout >= 0 && dropout < 1)) return false;
  if (query.is_nested() || query.dim() != 4 || key.dim() != 4 || value.dim() != 4) return false;
  const auto type = query.scalar_type();
  if (type != at::kHalf && type != at::kBFloat16) return false;
  // While a program is traced, batches and lengths are symbols that are not to become numbers here.
  const auto number = [](const Tensor& tensor, std::int64_t dimension) {
    return tensor.sym_size(dimension).guard_int(__FILE__, __LINE__);
  };
  const auto size = number(query, 3), size_v = number(value, 3);
  const auto heads = number(query, 1), heads_kv = number(key, 1);
  if (key.sym_sizes().slice(0, 3) != value.sym_sizes().slice(0, 3)) return false;
  if (key.sym_size(0) != query.sym_size(0) || number(key, 3) != size) return false;
  if (heads_kv == 0 || (gqa ? heads % heads_kv != 0 : heads != heads_kv)) return false;
  if (size == 0 || size_v == 0 || std::max(size, size_v) > kLargestHead) return false;
  const auto padded = [](std::int64_t heads) { return (heads + kHeadStep - 1) / kHeadStep * kHeadStep; };
  const KernelCall call(query.device());
  return has_kernel(type, padded(size), padded(size_v), dropout);
}

std::int64_t choose(const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& mask,
                    double dropout, bool, std::optional<double>, bool gqa) {
  const auto& context = at::globalContext();
  const bool fused = context.userEnabledOverrideableSDP() || context.userEnabledFlashSDP() ||
                     context.userEnabledMemEfficientSDP();
  auto backend = at::SDPBackend::error;
  if (fused && served(query, key, value, mask, dropout, gqa)) {
    backend = at::SDPBackend::overrideable;
  } else if (context.userEnabledMathSDP()) {
    backend = at::SDPBackend::math;
  }
  TORCH_CHECK(backend != at::SDPBackend::error, "No available kernel. Aborting execution.");
  return static_cast<std::int64_t>(backend);
}

// A tensor of heads whose elements follow each other; the kernels read two elements at a time.
Tensor fitting(const Tensor& heads) {
  const auto rest = heads.size(3) % kHeadStep;
  if (rest != 0) return at::constant_pad_nd(heads, {0, kHeadStep - rest});
  bool fits = heads.stride(3) == 1 && (heads.size(2) <= 1 || heads.stride(2) >= heads.size(3)) &&
              reinterpret_cast<std::uintptr_t>(heads.const_data_ptr()) % 4 == 0;
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    fits = fits && (heads.size(dimension) <= 1 || heads.stride(dimension) % 2 == 0);
  }
  return fits ? heads : heads.contiguous();
}

wavesmith_kernels_heads heads_of(const Tensor& heads) {
  return {.data = const_cast<void*>(heads.const_data_ptr()),
          .batch_stride = heads.stride(0),
          .row_stride = heads.stride(2),
          .head_stride = heads.stride(1)};
}

// What queries see: PyTorch counts positions from the sequences' beginnings, the library from their ends.
Tensor seen(const Tensor& heads, const Tensor& query, bool causal) {
  return causal && heads.size(2) > query.size(2) ? heads.slice(2, 0, query.size(2)) : heads;
}

using Description = wavesmith_kernels_attention_description;

// Of tensors that fit, for queries that see the keys before and at their own position, or all.
Description description_of(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& o,
                           const Tensor& lse, bool causal, double scale) {
  return {.batches = q.size(0),
          .heads_q = q.size(1),
          .heads_kv = k.size(1),
          .length_q = q.size(2),
          .length_k = k.size(2),
          .head_size = q.size(3),
          .head_size_v = v.size(3),
          .type = *kernel_type(q.scalar_type()),
          .q = heads_of(q),
          .k = heads_of(k),
          .v = heads_of(v),
          .o = heads_of(o),
          .scale = static_cast<float>(scale),
          .causal = 0,
          .window_left = -1,
          .window_right = causal ? q.size(2) - k.size(2) : -1,
          .lse = const_cast<float*>(lse.const_data_ptr<float>()),
          .lse_batch_stride = lse.stride(0),
          .lse_head_stride = lse.stride(1)};
}

// The numbers that dropout draws, as PyTorch hands them on to the gradients: on the host, or where a graph
// draws them in the device's memory.
struct Draws {
  Tensor seed, offset;
};
Draws no_draws() { return {at::empty({}, at::dtype(at::kLong)), at::empty({}, at::dtype(at::kLong))}; }

// Of the numbers in a graph's state, the offset from there, what its replays find there.
Draws draws_of(const DrawSource& from, const Tensor& like) {
  if (from.state == nullptr) {
    Draws draws = no_draws();
    *draws.seed.mutable_data_ptr<std::int64_t>() = static_cast<std::int64_t>(from.seed);
    *draws.offset.mutable_data_ptr<std::int64_t>() = static_cast<std::int64_t>(from.offset);
    return draws;
  }
  const Tensor state = at::empty({2}, like.options().dtype(at::kLong));
  check(hipMemcpyAsync(state.mutable_data_ptr(), from.state, 2 * sizeof(std::uint64_t), kMemcpyDefault,
                       native(current_stream(like.device().index()))),
        "hipMemcpyAsync");
  return {state.select(0, 0), state.select(0, 1).add_(static_cast<std::int64_t>(from.offset))};
}

// Says of which numbers the gradients' weights are dropped; what it gives back has to live as long.
Tensor draw_again(Description& forward, double dropout, const Draws& draws) {
  forward.dropout = static_cast<float>(dropout);
  if (dropout == 0) return {};
  if (draws.seed.is_cpu()) {
    forward.dropout_seed = static_cast<std::uint64_t>(draws.seed.item<std::int64_t>());
    forward.dropout_offset = static_cast<std::uint64_t>(draws.offset.item<std::int64_t>());
    return {};
  }
  const Tensor state = at::stack({draws.seed, draws.offset});
  forward.dropout_state = static_cast<const std::uint64_t*>(state.const_data_ptr());
  return state;
}

using Forward = std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor>;

Forward attention(const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& bias,
                  double dropout, bool causal, bool, std::optional<double> scale) {
  same_device(kName, {{"query", &query}, {"key", &key}, {"value", &value}});
  TORCH_CHECK_NOT_IMPLEMENTED(served(query, key, value, bias, dropout, true),
                              "no fused attention on wavesmith for these arguments");
  const KernelCall call(query.device());
  const Tensor q = fitting(query), k = fitting(seen(key, query, causal)),
               v = fitting(seen(value, query, causal));
  const auto batches = q.size(0), heads = q.size(1), length = q.size(2), size = v.size(3);
  // As flash attention lays results out: heads of a position beside each other.
  const Tensor o = at::empty({batches, length, heads, size}, q.options()).transpose(1, 2);
  const Tensor lse = at::empty({batches, heads, length}, q.options().dtype(at::kFloat));
  auto description = description_of(q, k, v, o, lse, causal, scale_or_default(scale, query));
  const auto launch = [&] {
    if (o.numel() > 0) check_kernel(wavesmith_kernels_attention(&description, call.stream()), kName);
  };
  Draws draws = no_draws();
  if (dropout == 0) {
    launch();
  } else {
    const auto index = query.device().index();
    draw(std::nullopt, index, native(current_stream(index)), [&](const DrawSource& from) {
      description.dropout = static_cast<float>(dropout);
      description.dropout_seed = from.seed;
      description.dropout_offset = from.offset;
      description.dropout_state = from.state;
      launch();
      draws = draws_of(from, query);
      return static_cast<std::uint64_t>(4 * batches * heads);
    });
  }
  return {o.slice(3, 0, value.size(3)),
          lse,
          Tensor(),
          Tensor(),
          length,
          k.size(2),
          draws.seed,
          draws.offset,
          Tensor()};
}

using AttentionGradients = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// Each lies as what it is the gradient of, which is what PyTorch says of this operator when it traces it.
Tensor laid_out(const Tensor& gradient, const Tensor& like) {
  Tensor made = at::empty_like(like);
  return made.strides() == gradient.strides() ? gradient : made.copy_(gradient);
}

AttentionGradients all_gradients(const Tensor& upstream, const Tensor& query, const Tensor& key,
                                 const Tensor& value, const Tensor& out, const Tensor& lse, bool causal,
                                 double scale, double dropout, const Draws& draws) {
  const KernelCall call(query.device());
  const Tensor q = fitting(query), k = fitting(seen(key, query, causal)),
               v = fitting(seen(value, query, causal));
  const Tensor o = fitting(out), d_o = fitting(upstream), rows = lse.contiguous();
  const auto like = [](const Tensor& heads) { return at::empty(heads.sizes(), heads.options()); };
  const Tensor dq = like(q), dk = like(k), dv = like(v);
  wavesmith_kernels_attention_backward_description description{
      .forward = description_of(q, k, v, o, rows, causal, scale),
      .d_o = heads_of(d_o),
      .dq = heads_of(dq),
      .dk = heads_of(dk),
      .dv = heads_of(dv),
      // As PyTorch's own: the same in each run only where that is asked for.
      .any_order = at::globalContext().deterministicAlgorithms() ? 0 : 1};
  const Tensor state = draw_again(description.forward, dropout, draws);
  check_kernel(wavesmith_kernels_attention_backward_workspace(&description, &description.workspace_bytes),
               kName);
  const Tensor workspace =
      at::empty({static_cast<std::int64_t>(description.workspace_bytes)}, q.options().dtype(at::kByte));
  description.workspace = workspace.mutable_data_ptr();
  check_kernel(wavesmith_kernels_attention_backward(&description, call.stream()), kName);
  // Keys behind the last query have no gradient.
  const auto whole = [](const Tensor& gradient, const Tensor& of) {
    const Tensor some = gradient.slice(3, 0, of.size(3));
    const auto hidden = of.size(2) - some.size(2);
    return laid_out(hidden > 0 ? at::constant_pad_nd(some, {0, 0, 0, hidden}) : some, of);
  };
  return {whole(dq, query), whole(dk, key), whole(dv, value), Tensor()};
}

AttentionGradients attention_backward(const Tensor& grad_out, const Tensor& query, const Tensor& key,
                                      const Tensor& value, const Tensor&, std::array<bool, 4> wanted,
                                      const Tensor& out, const Tensor& lse, const Tensor&, const Tensor&,
                                      c10::SymInt, c10::SymInt, double dropout, bool causal,
                                      const Tensor& seed, const Tensor& offset, std::optional<double> scale) {
  if (query.numel() == 0 || key.numel() == 0) {
    return {query.new_zeros(query.sizes()), key.new_zeros(key.sizes()), value.new_zeros(value.sizes()),
            Tensor()};
  }
  const auto factor = scale_or_default(scale, query);
  auto gradients =
      all_gradients(grad_out, query, key, value, out, lse, causal, factor, dropout, {seed, offset});
  auto& [of_query, of_key, of_value, of_bias] = gradients;
  if (!wanted[0]) of_query = Tensor();
  if (!wanted[1]) of_key = Tensor();
  if (!wanted[2]) of_value = Tensor();
  return gradients;
}

const bool registered = [] {
  auto& stub = at::native::_fused_sdp_choice_stub;
  if (kIsCuda) {
    stub.set_cuda_dispatch_ptr(&choose);
  } else {
    stub.set_privateuse1_dispatch_ptr(&choose);
  }
  return true;
}();

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("_fused_sdp_choice", &choose);
  m.impl("_scaled_dot_product_fused_attention_overrideable", &attention);
  m.impl("_scaled_dot_product_fused_attention_overrideable_backward", &attention_backward);
}

}  // namespace wavesmith::device
