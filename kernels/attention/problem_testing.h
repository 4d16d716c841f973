// For tests of attention and its gradients: problems of random numbers, in host memory and on a GPU.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/testing.h"

namespace wavesmith::kernels {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a case varies.
struct AttentionCase {
  int64_t batches = 1, heads_q = 1, heads_kv = 1, length_q = 1, length_k = 1, head_size = 128;
  int64_t head_size_v = 0;  ///< 0: head_size
  Type type = WAVESMITH_KERNELS_BF16;
  bool causal = false;
  int64_t left = -1, right = -1;
  float scale = 0.125F, softcap = 0;
  bool alibi = false, alibi_per_batch = false, packed_q = false, packed_k = false, lse = true;
  bool heads_outside = false;  ///< of a batch positions follow each other, not heads
  int64_t padding = 0;         ///< elements that rows are apart beyond what they hold
  double size = 1;             ///< of the elements of q and k
  bool sinks = false;
  float dropout = 0;
  uint64_t seed = 0, offset = 0;
  bool state = false;  ///< seed and offset are in the device's memory

  [[nodiscard]] int64_t size_v() const { return head_size_v == 0 ? head_size : head_size_v; }
  [[nodiscard]] std::string text() const {
    return "batches " + std::to_string(batches) + " heads " + std::to_string(heads_q) + "/" +
           std::to_string(heads_kv) + " lengths " + std::to_string(length_q) + " " +
           std::to_string(length_k) + " head size " + std::to_string(head_size) + "/" +
           std::to_string(size_v()) + " type " + std::to_string(type) + " causal " + std::to_string(causal) +
           " window " + std::to_string(left) + " " + std::to_string(right) + " scale " +
           std::to_string(scale) + " softcap " + std::to_string(softcap) + " alibi " + std::to_string(alibi) +
           std::to_string(alibi_per_batch) + " packed " + std::to_string(packed_q) +
           std::to_string(packed_k) + " heads outside " + std::to_string(heads_outside) + " padding " +
           std::to_string(padding) + " size " + std::to_string(size) + " sinks " + std::to_string(sinks) +
           " dropout " + std::to_string(dropout) + " seed " + std::to_string(seed) + " offset " +
           std::to_string(offset) + " state " + std::to_string(state);
  }
};

/// A tensor of heads in host memory.
struct HostHeads {
  int64_t head_size = 0, batch_stride = 0, row_stride = 0, head_stride = 0;
  Elements elements;

  HostHeads() = default;
  HostHeads(const AttentionCase& one, int64_t size, int64_t batches, int64_t rows, int64_t heads)
      : head_size(size) {
    const int64_t apart = head_size + one.padding;
    row_stride = one.heads_outside ? apart : heads * apart;
    head_stride = one.heads_outside ? rows * apart : apart;
    batch_stride = rows * heads * apart;
    elements = Elements(one.type, static_cast<size_t>(batches * batch_stride));
  }
  [[nodiscard]] size_t at(int64_t batch, int64_t row, int64_t head, int64_t i) const {
    return static_cast<size_t>(batch * batch_stride + row * row_stride + head * head_stride + i);
  }
  [[nodiscard]] wavesmith_kernels_heads on(const OnGpu& gpu) const {
    return {gpu.data(), batch_stride, row_stride, head_stride};
  }
};

/// The inputs and results of a case in host memory.
struct AttentionProblem {
  AttentionCase one;
  std::vector<int32_t> starts_q, starts_k;  ///< empty: not packed
  std::vector<float> slopes, sinks;
  HostHeads q, k, v, o;
  Elements lse;  ///< heads by positions, per batch

  [[nodiscard]] int64_t rows_q() const { return one.packed_q ? starts_q.back() : one.length_q; }
  [[nodiscard]] int64_t rows_k() const { return one.packed_k ? starts_k.back() : one.length_k; }
  /// Of a batch: where its sequence begins in its tensor, and its length.
  [[nodiscard]] std::pair<int64_t, int64_t> sequence_q(int64_t batch) const {
    if (!one.packed_q) return {0, one.length_q};
    const auto b = static_cast<size_t>(batch);
    return {starts_q[b], starts_q[b + 1] - starts_q[b]};
  }
  [[nodiscard]] std::pair<int64_t, int64_t> sequence_k(int64_t batch) const {
    if (!one.packed_k) return {0, one.length_k};
    const auto b = static_cast<size_t>(batch);
    return {starts_k[b], starts_k[b + 1] - starts_k[b]};
  }
};

/// A kernel with so many rows and its dropout; `shaped`: also a window and a cap.
inline AttentionCase dropout_case(int64_t rows, int64_t head_size, Type type, bool shaped) {
  return {.heads_q = 2,
          .length_q = rows + 1,
          .length_k = 131,
          .head_size = head_size,
          .type = type,
          .left = shaped ? 77 : -1,  // the first key that a row sees is none of a multiple
          .softcap = shaped ? 20.0F : 0.0F,
          .dropout = 0.3F,
          .seed = 1234567890123456789,
          .offset = 48};
}

/// What multiplies a row's weights: 0 where they are dropped.
inline std::vector<double> dropout_factors(const AttentionCase& one, int64_t batch, int64_t head,
                                           int64_t query, int64_t keys) {
  const wavesmith_kernels_attention_description attention{
      .heads_q = one.heads_q, .dropout = one.dropout, .dropout_seed = one.seed, .dropout_offset = one.offset};
  std::vector<uint8_t> kept(static_cast<size_t>(keys), 1);
  float factor = 1;
  EXPECT_EQ(
      wavesmith_kernels_attention_dropout(&attention, batch, head, query, 0, keys, kept.data(), &factor),
      WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  std::vector<double> factors;
  for (const uint8_t one_kept : kept) factors.push_back(one_kept ? factor : 0);
  return factors;
}

/// The elements as numbers.
inline std::vector<double> numbers(const Elements& elements) {
  std::vector<double> all(elements.count());
  for (size_t i = 0; i < all.size(); ++i) all[i] = elements.get(i);
  return all;
}

/// The same on the GPU.
struct AttentionOnGpu {
  const AttentionProblem& problem;
  OnGpu q, k, v, o, lse, slopes, sinks, starts_q, starts_k, state;

  explicit AttentionOnGpu(const AttentionProblem& made)
      : problem(made),
        q(made.q.elements),
        k(made.k.elements),
        v(made.v.elements),
        o(made.o.elements),
        lse(made.lse),
        slopes(words(made.slopes)),
        sinks(words(made.sinks)),
        starts_q(words(made.starts_q)),
        starts_k(words(made.starts_k)),
        state(words(std::vector<uint64_t>{made.one.seed, 16})) {}
  [[nodiscard]] wavesmith_kernels_attention_description description() const {
    const AttentionCase& one = problem.one;
    return {.batches = one.batches,
            .heads_q = one.heads_q,
            .heads_kv = one.heads_kv,
            .length_q = one.length_q,
            .length_k = one.length_k,
            .head_size = one.head_size,
            .head_size_v = one.head_size_v,
            .type = one.type,
            .q = problem.q.on(q),
            .k = problem.k.on(k),
            .v = problem.v.on(v),
            .o = problem.o.on(o),
            .scale = one.scale,
            .causal = one.causal,
            .window_left = one.left,
            .window_right = one.right,
            .softcap = one.softcap,
            .alibi_slopes = one.alibi ? static_cast<const float*>(slopes.data()) : nullptr,
            .alibi_batch_stride = one.alibi_per_batch ? one.heads_q : 0,
            .cu_seqlens_q = one.packed_q ? static_cast<const int32_t*>(starts_q.data()) : nullptr,
            .cu_seqlens_k = one.packed_k ? static_cast<const int32_t*>(starts_k.data()) : nullptr,
            .total_q = problem.rows_q(),
            .total_k = problem.rows_k(),
            .lse = one.lse ? static_cast<float*>(lse.data()) : nullptr,
            .lse_batch_stride = one.heads_q * problem.rows_q(),
            .lse_head_stride = problem.rows_q(),
            .sinks = one.sinks ? static_cast<const float*>(sinks.data()) : nullptr,
            .dropout = one.dropout,
            .dropout_seed = one.state ? ~one.seed : one.seed,
            .dropout_offset = one.state ? one.offset - 16 : one.offset,
            .dropout_state = one.state ? static_cast<const uint64_t*>(state.data()) : nullptr};
  }

 private:
  template <class T>
  static Elements words(const std::vector<T>& all) {
    Elements elements(WAVESMITH_KERNELS_F32, all.size() * sizeof(T) / 4);
    if (!all.empty()) std::memcpy(elements.bytes.data(), all.data(), elements.bytes.size());
    return elements;
  }
};

/// Makes problems, and computes attention.
class AttentionProblems : public OnEachGpu {
 protected:
  void fill(HostHeads& heads, int64_t batches, int64_t rows, int64_t count, double size) {
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t head = 0; head < count; ++head)
          for (int64_t i = 0; i < heads.head_size; ++i)
            heads.elements.set(heads.at(b, row, head, i), normal() * size);
  }

  /// Random elements; what is padding stays NaN.
  AttentionProblem problem(const AttentionCase& one) {
    AttentionProblem made{.one = one};
    const auto starts = [&](std::vector<int32_t>& all, int64_t longest) {
      all = {0};
      for (int64_t b = 0; b < one.batches; ++b)
        all.push_back(all.back() + static_cast<int32_t>(between(0, 3) == 0   ? 0
                                                        : between(0, 2) == 0 ? longest
                                                                             : between(0, longest)));
    };
    if (one.packed_q) starts(made.starts_q, one.length_q);
    if (one.packed_k) starts(made.starts_k, one.length_k);
    const int64_t batches_q = one.packed_q ? 1 : one.batches, batches_k = one.packed_k ? 1 : one.batches;
    made.q = HostHeads(one, one.head_size, batches_q, made.rows_q(), one.heads_q);
    made.o = HostHeads(one, one.size_v(), batches_q, made.rows_q(), one.heads_q);
    made.k = HostHeads(one, one.head_size, batches_k, made.rows_k(), one.heads_kv);
    made.v = HostHeads(one, one.size_v(), batches_k, made.rows_k(), one.heads_kv);
    fill(made.q, batches_q, made.rows_q(), one.heads_q, one.size);
    fill(made.k, batches_k, made.rows_k(), one.heads_kv, one.size);
    fill(made.v, batches_k, made.rows_k(), one.heads_kv, 1);
    made.lse = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(batches_q * one.heads_q * made.rows_q()));
    const int64_t slopes = !one.alibi ? 0 : one.alibi_per_batch ? one.heads_q * one.batches : one.heads_q;
    for (int64_t i = 0; i < slopes; ++i) made.slopes.push_back(std::exp2(-static_cast<float>(between(0, 8))));
    for (int64_t i = 0; one.sinks && i < one.heads_q; ++i)
      made.sinks.push_back(one_of({0.0F, -3.0F, 2.5F, 30.0F, 500.0F, -static_cast<float>(kInfinity)}));
    return made;
  }

  /// Computes it, into its o and lse.
  static void run(AttentionProblem& made) {
    const AttentionOnGpu gpu(made);
    const auto attention = gpu.description();
    ASSERT_EQ(wavesmith_kernels_attention(&attention, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    gpu.o.copy_to(made.o.elements);
    gpu.lse.copy_to(made.lse);
  }

  /// What CDNA2 takes an element for: subnormal numbers are 0.
  [[nodiscard]] double as_operand(double element, Type type) const {
    const bool flushes = GetParam() == 0;
    return flushes && std::abs(element) < (type == WAVESMITH_KERNELS_F16 ? 0x1p-14 : 0x1p-126) ? 0 : element;
  }

  /// The same with dropout, for heads of up to 128.
  AttentionCase random_dropout_case(int64_t length_q, int64_t length_k) {
    AttentionCase one = random_case(length_q, length_k);
    one.head_size = one_of<int64_t>({64, 128, 8 * between(1, 16)});
    one.dropout = one_of({0.1F, 0.25F, 0.5F, 0.9F, 0.999F, 1e-6F});
    one.seed = random_() * 0x100000001ULL;
    one.offset = one_of<uint64_t>({16, 1024, ~uint64_t{3}});
    one.state = between(0, 2) == 0;
    return one;
  }

  /// Everything but the lengths at random.
  AttentionCase random_case(int64_t length_q, int64_t length_k) {
    AttentionCase one{.batches = between(1, 3), .length_q = length_q, .length_k = length_k};
    one.heads_kv = between(1, 2);
    one.heads_q = one.heads_kv * between(1, 3);
    one.head_size = one_of<int64_t>({64, 128, 8 * between(1, 16), 8 * between(17, 32)});
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.causal = between(0, 1) == 1;
    one.left = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.right = one_of<int64_t>({-1, -1, 0, between(0, 100)});
    one.scale = one_of({0.125F, 0.125F, 1.0F, 0.01F, -0.2F, 0.0F});
    one.softcap = one_of({0.0F, 0.0F, 5.0F, 30.0F});
    one.alibi = between(0, 2) == 0;
    one.alibi_per_batch = between(0, 1) == 1;
    one.packed_q = between(0, 2) == 0;
    one.packed_k = between(0, 2) == 0;
    one.lse = between(0, 3) != 0;
    one.heads_outside = between(0, 1) == 1;
    one.padding = one_of<int64_t>({0, 0, 2, 8, 18});
    one.sinks = between(0, 3) == 0;
    return one;
  }
};

}  // namespace wavesmith::kernels
