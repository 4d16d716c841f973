// For tests of decode: a case's queries, caches and tables in host memory, and how it is run.
#pragma once

#include <algorithm>
#include <numeric>

#include "kernels/testing.h"

namespace wavesmith::kernels {

inline constexpr int kPerToken = 3;  ///< of a case's `scales`
inline constexpr double kUnit = 40;  ///< what a cache of integers has of a 1, before its scale

/// What a case varies.
struct DecodeCase {
  int64_t batches = 1, heads_q = 1, heads_kv = 1, length_q = 1, head_size = 128;
  int64_t head_size_v = 0;  ///< less than head_size: V is the first elements of K
  int64_t longest = 1;
  std::vector<int64_t> lengths;  ///< of contexts; none: at random
  Type type = WAVESMITH_KERNELS_BF16, cache = WAVESMITH_KERNELS_BF16;
  bool paged = true;
  int64_t page_size = 16, left = -1;
  float scale = 0.125F, softcap = 0;
  bool alibi = false, alibi_per_batch = false, sinks = false, lse = true;
  int scales = 0;              ///< of the caches: none, one, one per head, kPerToken
  bool scales_inside = false;  ///< those of positions end rows, of which `cache_padding` has the bytes
  int spread = 1;              ///< of the exponents of V's scales of positions, which reach four times as far
  bool heads_outside = false;  ///< of a block positions follow each other, not heads
  int64_t padding = 0;         ///< elements that rows are apart beyond what they hold
  int64_t cache_padding = 0;   ///< further ones of caches
  double size = 1;             ///< of the elements of q and k

  [[nodiscard]] int64_t size_v() const { return head_size_v == 0 ? head_size : head_size_v; }
  [[nodiscard]] bool has_latents() const { return size_v() < head_size; }
  [[nodiscard]] std::string text() const {
    std::string text;
    const auto add = [&](const char* name, auto value) {
      text += std::string(text.empty() ? "" : " ") + name + " " + std::to_string(value);
    };
    add("batches", batches), add("heads_q", heads_q), add("heads_kv", heads_kv), add("length_q", length_q);
    add("head_size", head_size), add("head_size_v", head_size_v), add("longest", longest), add("type", type),
        add("cache", cache);
    add("paged", paged), add("page_size", page_size), add("left", left), add("scale", scale);
    add("softcap", softcap), add("alibi", alibi + alibi_per_batch), add("sinks", sinks);
    add("scales", scales), add("scales_inside", scales_inside), add("spread", spread);
    add("heads_outside", heads_outside), add("padding", padding);
    add("cache_padding", cache_padding), add("size", size);
    return text;
  }
};

/// Heads in host memory, NaN where nothing was set: of a batch's positions, or of a block's.
struct DecodeHeads {
  int64_t batch_stride = 0, row_stride = 0, head_stride = 0;
  Elements elements;

  DecodeHeads() = default;
  DecodeHeads(const DecodeCase& one, Type type, int64_t size, int64_t batches, int64_t rows, int64_t heads,
              int64_t more_padding = 0) {
    const int64_t apart = size + one.padding + more_padding;
    row_stride = one.heads_outside ? apart : heads * apart;
    head_stride = one.heads_outside ? rows * apart : apart;
    batch_stride = rows * heads * apart;
    elements = Elements(type, static_cast<size_t>(batches * batch_stride));
  }
  [[nodiscard]] size_t at(int64_t batch, int64_t row, int64_t head, int64_t i) const {
    return static_cast<size_t>(batch * batch_stride + row * row_stride + head * head_stride + i);
  }
};

inline std::vector<double> numbers(const Elements& elements) {
  std::vector<double> all(elements.count());
  for (size_t i = 0; i < all.size(); ++i) all[i] = elements.get(i);
  return all;
}

/// Scales of each position and head in host memory, NaN where nothing was set: beside a cache, or in its
/// rows.
struct TokenScales {
  int64_t block_stride = 0, row_stride = 0, head_stride = 0;
  Elements beside;

  TokenScales() = default;
  TokenScales(const DecodeCase& one, const DecodeHeads& cache, int64_t blocks, int64_t rows, int64_t heads) {
    if (one.scales_inside) {
      constexpr int64_t kWord = 4;
      block_stride = cache.batch_stride / kWord, row_stride = cache.row_stride / kWord;
      head_stride = cache.head_stride / kWord;
      return;
    }
    row_stride = one.heads_outside ? 1 : heads, head_stride = one.heads_outside ? rows : 1;
    block_stride = rows * heads;
    beside = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(blocks * block_stride));
  }
};

/// The inputs and results of a case in host memory.
struct DecodeProblem {
  DecodeCase one;
  int64_t positions = 0;  ///< of a block
  int64_t entries = 0;    ///< of the table, per sequence
  std::vector<int32_t> lengths, table;
  std::vector<float> slopes, sinks, k_scales, v_scales;
  TokenScales k_token_scales, v_token_scales;
  DecodeHeads q, o, k, v;
  Elements lse;  ///< batches by heads by queries
  size_t workspace_bytes = 0;

  /// Random elements; of the caches NaN where no context is, and no entry of the table is right there.
  DecodeProblem(const DecodeCase& of, std::mt19937& random) : one(of) {
    const auto between = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    // A prime number of them, again and again: drawing them takes longer than everything else.
    std::vector<double> normals(16381);
    for (double& number : normals) number = std::normal_distribution<double>()(random);
    size_t next = 0;
    const auto normal = [&] { return normals[next++ % normals.size()]; };
    for (int64_t b = 0; b < one.batches; ++b)
      lengths.push_back(static_cast<int32_t>(!one.lengths.empty() ? one.lengths[static_cast<size_t>(b)]
                                             : between(0, 4) == 0 ? 0
                                             : between(0, 2) == 0 ? one.longest
                                                                  : between(0, one.longest)));
    positions = one.paged ? one.page_size : std::max<int64_t>(one.longest, 1);
    entries = (one.longest + positions - 1) / positions + between(0, 2);
    const int64_t blocks = one.paged ? one.batches * entries + between(1, 3) : one.batches;
    std::vector<int32_t> order(static_cast<size_t>(blocks));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    table.assign(static_cast<size_t>(one.batches * entries), between(0, 1) == 0 ? -7 : 1 << 30);
    for (int64_t b = 0; b < one.batches; ++b)
      for (int64_t page = 0; page * positions < length(b) && one.paged; ++page)
        table[static_cast<size_t>(b * entries + page)] = order[static_cast<size_t>(b * entries + page)];
    q = DecodeHeads(one, one.type, one.head_size, one.batches, one.length_q, one.heads_q);
    o = DecodeHeads(one, one.type, one.size_v(), one.batches, one.length_q, one.heads_q);
    k = v = DecodeHeads(one, one.cache, one.head_size, blocks, positions, one.heads_kv, one.cache_padding);
    if (one.scales == kPerToken)
      k_token_scales = v_token_scales = TokenScales(one, k, blocks, positions, one.heads_kv);
    const bool integers = one.cache == WAVESMITH_KERNELS_I8;
    const double unit = integers ? kUnit : 1;
    for (int64_t b = 0; b < one.batches; ++b) {
      for (int64_t i = 0; i < one.length_q; ++i)
        for (int64_t head = 0; head < one.heads_q; ++head)
          for (int64_t d = 0; d < one.head_size; ++d)
            q.elements.set(q.at(b, i, head, d), normal() * one.size);
      for (int64_t j = 0; j < length(b); ++j)
        for (int64_t head = 0; head < one.heads_kv; ++head)
          for (int64_t d = 0; d < one.head_size; ++d) {
            const auto element = static_cast<size_t>(d);
            const auto stored = [&](double number) {
              return integers ? std::clamp(std::round(number * unit), -128.0, 127.0) : number;
            };
            k.elements.set(key(k, b, j, head) + element, stored(normal() * (integers ? 1 : one.size)));
            v.elements.set(key(v, b, j, head) + element, stored(normal()));
          }
      for (int64_t j = 0; j < length(b) && one.scales == kPerToken; ++j)
        for (int64_t head = 0; head < one.heads_kv; ++head) {
          set_scale(k, k_token_scales, b, j, head, std::exp2(normal()) * (integers ? one.size : 1) / unit);
          set_scale(v, v_token_scales, b, j, head,
                    std::exp2(one.spread * std::clamp(normal(), -4., 4.)) / unit);
        }
    }
    const int64_t of_slopes = !one.alibi ? 0 : one.alibi_per_batch ? one.heads_q * one.batches : one.heads_q;
    for (int64_t i = 0; i < of_slopes; ++i) slopes.push_back(std::exp2(-static_cast<float>(between(0, 8))));
    for (int64_t i = 0; i < one.heads_q && one.sinks; ++i) sinks.push_back(static_cast<float>(3 * normal()));
    for (int64_t i = 0; i < (one.scales == kPerToken ? 0
                             : one.scales == 2       ? one.heads_kv
                                                     : one.scales);
         ++i) {
      k_scales.push_back(static_cast<float>(std::exp2(normal()) * (integers ? one.size : 1) / unit));
      v_scales.push_back(static_cast<float>(std::exp2(normal()) / unit));
    }
    if (one.has_latents()) v = k, v_scales = k_scales;
    lse = Elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(one.batches * one.heads_q * one.length_q));
  }

  [[nodiscard]] int64_t length(int64_t batch) const { return lengths[static_cast<size_t>(batch)]; }
  /// Where a key's, or a value's, first element is.
  [[nodiscard]] size_t key(const DecodeHeads& cache, int64_t batch, int64_t j, int64_t head) const {
    return cache.at(block_of(batch, j), j % positions, head, 0);
  }
  [[nodiscard]] int64_t block_of(int64_t batch, int64_t j) const {
    return one.paged ? table[static_cast<size_t>(batch * entries + j / positions)] : batch;
  }
  [[nodiscard]] double slope(int64_t batch, int64_t head) const {
    if (!one.alibi) return 0;
    return slopes[static_cast<size_t>((one.alibi_per_batch ? batch * one.heads_q : 0) + head)];
  }
  [[nodiscard]] double k_scale(int64_t batch, int64_t j, int64_t head) const {
    return scale_of(k, k_token_scales, k_scales, batch, j, head);
  }
  [[nodiscard]] double v_scale(int64_t batch, int64_t j, int64_t head) const {
    return scale_of(v, v_token_scales, v_scales, batch, j, head);
  }
  /// Sets the scale of a position's head.
  void set_scale(DecodeHeads& cache, TokenScales& scales, int64_t batch, int64_t j, int64_t head,
                 double value) {
    const auto scale = static_cast<float>(value);
    if (one.scales_inside)
      std::memcpy(&cache.elements.bytes[inside(cache, batch, j, head)], &scale, sizeof(scale));
    else
      scales.beside.set(beside(scales, batch, j, head), scale);
  }

  /// Computes it, into o and lse, and sees that nothing was written behind the workspace.
  void run() {
    const auto words = [](const auto& all) {
      Elements elements(WAVESMITH_KERNELS_F32, all.size());
      if (!all.empty()) std::memcpy(elements.bytes.data(), all.data(), elements.bytes.size());
      return elements;
    };
    const auto floats = [](const OnGpu& gpu, const std::vector<float>& all) {
      return all.empty() ? nullptr : static_cast<const float*>(gpu.data());
    };
    const OnGpu on_q(q.elements), on_k(k.elements), on_v(v.elements), on_o(o.elements), on_lse(lse);
    const OnGpu on_slopes(words(slopes)), on_sinks(words(sinks)), on_k_scales(words(k_scales)),
        on_v_scales(words(v_scales)), on_lengths(words(lengths)), on_table(words(table));
    const OnGpu on_k_beside(k_token_scales.beside), on_v_beside(v_token_scales.beside);
    const auto cache = [&](const DecodeHeads& of, const OnGpu& gpu, const float* scale,
                           const TokenScales& scales, const OnGpu& beside) {
      void* const rows_end = static_cast<char*>(gpu.data()) + one.head_size;
      return wavesmith_kernels_paged{
          .data = gpu.data(),
          .type = one.cache,
          .block_stride = of.batch_stride,
          .row_stride = of.row_stride,
          .head_stride = of.head_stride,
          .scale = scale,
          .scale_per_head = one.scales == 2,
          .token_scales = one.scales != kPerToken
                              ? nullptr
                              : static_cast<float*>(one.scales_inside ? rows_end : beside.data()),
          .token_scales_block_stride = scales.block_stride,
          .token_scales_row_stride = scales.row_stride,
          .token_scales_head_stride = scales.head_stride};
    };
    wavesmith_kernels_decode_description decode{
        .batches = one.batches,
        .heads_q = one.heads_q,
        .heads_kv = one.heads_kv,
        .length_q = one.length_q,
        .head_size = one.head_size,
        .head_size_v = one.head_size_v,
        .type = one.type,
        .q = {on_q.data(), q.batch_stride, q.row_stride, q.head_stride},
        .o = {on_o.data(), o.batch_stride, o.row_stride, o.head_stride},
        .k = cache(k, on_k, floats(on_k_scales, k_scales), k_token_scales, on_k_beside),
        .v = one.has_latents() ? wavesmith_kernels_paged{}
                               : cache(v, on_v, floats(on_v_scales, v_scales), v_token_scales, on_v_beside),
        .blocks = static_cast<int64_t>(k.elements.count()) / k.batch_stride,
        .page_size = one.page_size,
        .block_table = one.paged ? static_cast<const int32_t*>(on_table.data()) : nullptr,
        .block_table_stride = entries,
        .context_lengths = static_cast<const int32_t*>(on_lengths.data()),
        .longest_context = one.longest,
        .scale = one.scale,
        .window_left = one.left,
        .softcap = one.softcap,
        .alibi_slopes = floats(on_slopes, slopes),
        .alibi_batch_stride = one.alibi_per_batch ? one.heads_q : 0,
        .sinks = floats(on_sinks, sinks),
        .lse = one.lse ? static_cast<float*>(on_lse.data()) : nullptr,
        .lse_batch_stride = one.heads_q * one.length_q,
        .lse_head_stride = one.length_q};
    ASSERT_EQ(wavesmith_kernels_decode_workspace(&decode, &workspace_bytes), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    constexpr size_t kCanary = 64;
    Elements workspace(WAVESMITH_KERNELS_F32, workspace_bytes / 4 + kCanary);
    const OnGpu on_workspace(workspace);
    decode.workspace = on_workspace.data(), decode.workspace_bytes = workspace_bytes;
    ASSERT_EQ(wavesmith_kernels_decode(&decode, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_o.copy_to(o.elements);
    on_lse.copy_to(lse);
    on_workspace.copy_to(workspace);
    for (size_t i = workspace_bytes; i < workspace.bytes.size(); ++i)
      ASSERT_EQ(workspace.bytes[i], 0xff) << one.text() << ": wrote behind the workspace";
  }

 private:
  /// The byte of a cache at which the scale of a position's head is.
  [[nodiscard]] size_t inside(const DecodeHeads& cache, int64_t batch, int64_t j, int64_t head) const {
    return key(cache, batch, j, head) + static_cast<size_t>(one.head_size);
  }
  /// Its number among those beside a cache.
  [[nodiscard]] size_t beside(const TokenScales& scales, int64_t batch, int64_t j, int64_t head) const {
    return static_cast<size_t>(block_of(batch, j) * scales.block_stride + j % positions * scales.row_stride +
                               head * scales.head_stride);
  }
  [[nodiscard]] double scale_of(const DecodeHeads& cache, const TokenScales& of_tokens,
                                const std::vector<float>& scales, int64_t batch, int64_t j,
                                int64_t head) const {
    if (one.scales != kPerToken)
      return scales.empty() ? 1 : scales[scales.size() > 1 ? static_cast<size_t>(head) : 0];
    if (!one.scales_inside) return of_tokens.beside.get(beside(of_tokens, batch, j, head));
    float scale = 0;
    std::memcpy(&scale, &cache.elements.bytes[inside(cache, batch, j, head)], sizeof(scale));
    return scale;
  }
};

}  // namespace wavesmith::kernels
