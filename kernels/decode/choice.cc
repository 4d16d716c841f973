#include "kernels/decode/choice.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numbers>
#include <utility>

#include "kernels/library/element_type.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_decode_description;

int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

PagedArguments paged(const wavesmith_kernels_paged& cache) {
  const int64_t size = size_of(cache.type);
  constexpr int64_t kScale = sizeof(float);
  PagedArguments arguments{.data = cache.data,
                           .scale = cache.scale,
                           .block = cache.block_stride * size,
                           .row = cache.row_stride * size,
                           .head = cache.head_stride * size,
                           .scale_head = cache.scale_per_head ? kScale : 0};
  if (!cache.token_scales) return arguments;
  arguments.scale = cache.token_scales;
  arguments.scale_block = cache.token_scales_block_stride * kScale;
  arguments.scale_row = cache.token_scales_row_stride * kScale;
  arguments.scale_head = cache.token_scales_head_stride * kScale;
  return arguments;
}

/// The table's word for the caches.
std::string word_of_caches(const Description& decode) {
  if (decode.k.type == decode.type) return "same";
  const bool token = decode.k.token_scales && decode.k.type != WAVESMITH_KERNELS_I8;
  return std::string(word_of(decode.k.type)) + (token ? "_token" : "");
}

/// What a refusal says of the size of values.
std::string with_values(const Description& decode) {
  return has_latents(decode) ? " with a head_size_v of " + std::to_string(decode.head_size_v) : "";
}

/// How many parts a context is split into, and the keys of each, by the least time, which is counted in keys
/// per compute unit: units share the memory's bandwidth, and the one that has most workgroups is ready last.
void split(const Description& decode, int compute_units, const DecodeConfiguration& row,
           DecodeArguments& arguments) {
  constexpr int64_t kMostRounds = 32;   // of workgroups on a compute unit: more parts gain nothing
  constexpr int64_t kMostParts = 512;   // of a context: the second kernel takes long for more
  constexpr int64_t kOfWorkgroup = 16;  // what beginning and ending one takes
  // Of latents a workgroup has many rows and a key few bytes: those of a row's part, written and read again.
  const int64_t of_part = row.has_latents() ? 5 * row.rows : 0;
  constexpr int64_t kOfCombining = 64;  // the second kernel
  // How much faster than its share a unit reads where others have nothing; with many rows products take
  // longer.
  const int64_t alone = row.rows > 16 ? 1 : 2;
  constexpr int64_t kRagged = 16;  // the part of a workgroup's keys that the last ones read on their own
  // Keys that a tile of rows sees, from a multiple of a step on.
  const int64_t seen = decode.window_left < 0 ? decode.longest_context
                                              : std::min(decode.longest_context,
                                                         decode.window_left + decode.length_q + row.keys);
  const int64_t undivided = decode.batches * decode.heads_kv * arguments.tiles;
  const int64_t most = std::clamp<int64_t>(kMostRounds * compute_units / undivided, 1, kMostParts);
  int64_t least = INT64_MAX;
  for (int64_t wanted = 1; wanted <= most; ++wanted) {
    const int64_t keys = std::max<int64_t>(1, ceiling(ceiling(seen, wanted), row.keys)) * row.keys;
    const int64_t splits = std::max<int64_t>(1, ceiling(seen, keys));
    if (wanted > 1 && splits == arguments.splits) continue;
    const int64_t rounds = ceiling(undivided * splits, compute_units);
    const int64_t reading = std::min<int64_t>(undivided * splits, compute_units);
    const int64_t time = rounds * keys * std::max(reading, compute_units / alone) / compute_units +
                         rounds * (kOfWorkgroup + (splits > 1 ? of_part : 0)) + (alone - 1) * keys / kRagged +
                         (splits > 1 ? kOfCombining : 0);
    if (time >= least) continue;
    least = time;
    arguments.keys = static_cast<int>(keys);
    arguments.splits = static_cast<int>(splits);
  }
}

}  // namespace

wavesmith_kernels_status choose_decode(const Description& decode, std::string_view target, int compute_units,
                                       DecodeChoice& choice) {
  std::string sizes;
  const int64_t heads_per_kv = decode.heads_q / decode.heads_kv;
  const int64_t rows = decode.length_q * heads_per_kv, of_values = values_of(decode);
  const std::string caches = word_of_caches(decode);
  for (const DecodeConfiguration& row : decode_configurations()) {
    if (row.target != target || !row.has_cache_of(caches) || has_latents(decode) != row.has_latents())
      continue;
    const std::string size = std::to_string(row.head_size) +
                             (row.has_latents() ? " with one of " + std::to_string(row.head_size_v) : "");
    if (!sizes.ends_with(size)) sizes += (sizes.empty() ? "" : ", ") + size;
    if (row.head_size != decode.head_size || row.head_size_v != of_values) continue;
    // The fewest rows that hold all, or as many as there are.
    const DecodeConfiguration* const other = choice.configuration;
    if (!other || (other->rows < rows && other->rows < row.rows) ||
        (row.rows >= rows && row.rows < other->rows))
      choice.configuration = &row;
  }
  const std::string what =
      std::string(word_of(decode.type)) + " with caches of " + std::string(word_of(decode.k.type)) +
      (decode.k.token_scales ? " with token_scales" : "") + " for " + std::string(target);
  if (sizes.empty()) return not_supported(kDecode, "there is no kernel of " + what);
  if (!choice.configuration)
    return not_supported(kDecode, "head_size is " + std::to_string(decode.head_size) + with_values(decode) +
                                      ", and there are kernels of " + what + " for " + sizes);
  const DecodeConfiguration& row = *choice.configuration;
  DecodeArguments& arguments = choice.arguments;
  arguments = {
      .q = decode.q.data,
      .o = decode.o.data,
      .k = paged(decode.k),
      .v = paged(decode.v),
      // Without a table, any number that is there is read in place of an entry.
      .table = decode.block_table ? decode.block_table : decode.context_lengths,
      .lengths = decode.context_lengths,
      .slopes = decode.alibi_slopes,
      .sinks = decode.sinks,
      .lse = decode.lse,
      .stride_q = {decode.q.batch_stride, decode.q.row_stride, decode.q.head_stride},
      .stride_o = {decode.o.batch_stride, decode.o.row_stride, decode.o.head_stride},
      .table_stride = decode.block_table ? decode.block_table_stride : 1,
      .lse_batch = decode.lse_batch_stride,
      .lse_head = decode.lse_head_stride,
      .slopes_batch = decode.alibi_batch_stride,
      .heads = static_cast<int>(decode.heads_q),
      .heads_kv = static_cast<int>(decode.heads_kv),
      .heads_per_kv = static_cast<int>(heads_per_kv),
      .length_q = static_cast<int>(decode.length_q),
      .rows = static_cast<int>(rows),
      .tiles = static_cast<int>(ceiling(rows, row.rows)),
      .longest = static_cast<int>(decode.longest_context),
      .blocks = decode.block_table ? static_cast<int>(decode.blocks) : 0,
      .page_shift = decode.block_table ? std::countr_zero(static_cast<uint64_t>(decode.page_size)) : 31,
      .page_mask = decode.block_table ? static_cast<int>(decode.page_size - 1) : INT32_MAX,
      .left = limited(decode.window_left),
      .dies = row.dies,
      .factor = decode.scale * std::numbers::log2e_v<float>,
      .softcap = decode.softcap * std::numbers::log2e_v<float>,
      .per_cap = decode.softcap != 0 ? decode.scale / decode.softcap : 0,
  };
  const int64_t most = INT32_MAX / row.threads - row.dies;  // what a grid holds
  const int64_t of_batch = decode.heads_kv * arguments.tiles;
  const int64_t all_rows = decode.batches * decode.length_q * decode.heads_q;
  if (decode.batches > most / of_batch || all_rows > most / kCombineWaves)
    return not_supported(kDecode, "batches, heads_q and length_q make more workgroups than a grid holds");
  split(decode, compute_units, row, arguments);
  arguments.workgroups = static_cast<int>(decode.batches * of_batch * arguments.splits);
  arguments.per_die = static_cast<int>(ceiling(arguments.workgroups, row.dies));
  const bool latent = row.has_latents();
  choice.kernel = (latent ? "mla_" : "decode_") + std::string(word_of(decode.type)) + "_" +
                  std::to_string(latent ? row.rows : row.head_size) + (caches == "same" ? "" : "_" + caches);
  if (arguments.splits == 1) return succeed();
  choice.combine = "decode_" + std::string(word_of(decode.type)) + "_combine";
  choice.parts = static_cast<size_t>(all_rows * arguments.splits * of_values);
  choice.workspace_bytes = (choice.parts + static_cast<size_t>(all_rows * arguments.splits)) * sizeof(float);
  return succeed();
}

}  // namespace wavesmith::kernels
