// The kernel library for Python: its C API, and arrays that any package made, by DLPack.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "kernels/wavesmith_all_reduce.h"
#include "kernels/wavesmith_experts.h"
#include "kernels/wavesmith_kernels.h"
#include "kernels/wavesmith_router.h"
#include "python/native/hip.h"

namespace wavesmith::python {

/// A matrix as Python describes it: address (0: there is none), type, row stride, column stride, batch stride
/// (all in elements).
using MatrixTuple = std::tuple<uintptr_t, std::string, int64_t, int64_t, int64_t>;

/// Rows of a matrix: address (0: there is none), type, row stride in elements.
using RowsTuple = std::tuple<uintptr_t, std::string, int64_t>;
/// A vector: address (0: there is none) and type.
using VectorTuple = std::tuple<uintptr_t, std::string>;
/// Scales: address (0: there are none), "unscaled", "given", "matrix", "row", "block" or "mx", columns of a
/// block, row stride and column stride in elements; of products "square", too.
using ScalesTuple = std::tuple<uintptr_t, std::string, int64_t, int64_t, int64_t>;
/// Heads of tokens: address, type, token stride, head stride (in elements).
using HeadsTuple = std::tuple<uintptr_t, std::string, int64_t, int64_t>;

/// A tensor of heads: address, batch stride, row stride, head stride (in elements).
using AttendedTuple = std::tuple<uintptr_t, int64_t, int64_t, int64_t>;

/// An attention as Python describes it.
struct AttentionWords {
  std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>
      sizes;  ///< batches, heads of q, of k, lengths of q and k, head size
  std::string type;
  AttendedTuple q, k, v, o;
  float scale, softcap;
  bool causal;
  std::tuple<int64_t, int64_t> window;
  std::tuple<uintptr_t, int64_t> alibi_slopes;  ///< address, batch stride
  std::tuple<uintptr_t, uintptr_t, int64_t, int64_t>
      packed;                                     ///< addresses of cu_seqlens of q and k, positions in all
  std::tuple<uintptr_t, int64_t, int64_t> lse;    ///< address, batch stride, head stride
  uintptr_t sinks;                                ///< address
  std::tuple<float, uint64_t, uint64_t> dropout;  ///< probability, seed, offset
};

/// Keys or values in a cache of pages: address, type, strides of blocks, positions and heads (in elements),
/// address of scales (0: there are none), whether there is one per head.
using PagedTuple = std::tuple<uintptr_t, std::string, int64_t, int64_t, int64_t, uintptr_t,
                              std::variant<bool, std::tuple<int64_t, int64_t, int64_t>>>;

/// Sizes of a sort by expert: tokens, choices, experts, experts of the map.
using SortedSizes = std::tuple<int64_t, int64_t, int64_t, int64_t>;
/// Its arrays' addresses: ids, map, weights, offsets of groups, tokens, places, sorted weights; 0: there is
/// none.
using SortedAddresses =
    std::tuple<uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t>;

class Kernels {
 public:
  /// Loads that libwavesmith_kernels, which takes its HIP calls to the one that `hip` has. `hip` outlives
  /// this.
  Kernels(Hip& hip, const std::string& library);

  /// The tiles for the current device and A and B of these types.
  std::vector<std::string> gemm_tiles(const std::string& a, const std::string& b) const;
  /// The kernel that a product would get, or an exception that says why there is none; launches nothing.
  std::string gemm_check(const wavesmith_kernels_gemm_description& gemm);
  void gemm(wavesmith_kernels_gemm_description gemm, const std::optional<std::string>& tile,
            uintptr_t workspace, size_t bytes, uintptr_t stream);

  /// Norms of `sizes` rows and columns. `residual` and `sum`: both or neither.
  void norm(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
            const RowsTuple& residual, const RowsTuple& sum, const VectorTuple& weight,
            const VectorTuple& bias, float weight_offset, float epsilon, bool centred,
            const ScalesTuple& scales, uintptr_t stream);
  /// The bytes of each rank's buffer for `sizes` rows and columns.
  size_t all_reduce_buffer(std::tuple<int64_t, int64_t> sizes, int ranks, const std::string& type);
  /// Addresses may be 0: there is none.
  void all_reduce(std::tuple<int64_t, int64_t> sizes, int rank, const std::string& type, uintptr_t x,
                  uintptr_t residual, uintptr_t sum, uintptr_t y, uintptr_t weight, float weight_offset,
                  float epsilon, const std::vector<uintptr_t>& buffers, size_t bytes, uintptr_t stream);
  void softmax(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y, float scale,
               bool logarithm, uintptr_t stream);
  /// `sizes`: tokens, experts and the chosen; `bias`: address (0: there is none); `groups`: how many, how
  /// many are kept, what one is worth; `weights` and `ids`: addresses.
  void router(std::tuple<int64_t, int64_t, int64_t> sizes, const RowsTuple& logits, const std::string& scores,
              bool renormalised, float factor, uintptr_t bias,
              const std::tuple<int64_t, int64_t, std::string>& groups, uintptr_t weights, uintptr_t ids,
              uintptr_t stream);
  void gate(std::tuple<int64_t, int64_t> sizes, const RowsTuple& gate, const RowsTuple& up,
            const RowsTuple& y, const std::string& activation, const ScalesTuple& scales, uintptr_t stream);
  /// `factors`: alpha and beta. `z_column_stride`: 1, or 0 where a row of z has one element.
  void elementwise(std::tuple<int64_t, int64_t> sizes, const std::string& operation,
                   std::tuple<float, float> factors, const RowsTuple& x, const RowsTuple& z,
                   int64_t z_column_stride, const RowsTuple& y, uintptr_t stream);
  /// `over`: "row", "column" or "all".
  size_t reduce_workspace(std::tuple<int64_t, int64_t> sizes, const std::string& reduction,
                          const std::string& over, const RowsTuple& x, const RowsTuple& y);
  void reduce(std::tuple<int64_t, int64_t> sizes, const std::string& reduction, const std::string& over,
              const RowsTuple& x, const RowsTuple& y, uintptr_t workspace, size_t bytes, uintptr_t stream);
  /// `sizes`: rows, columns and matrices.
  void transpose(std::tuple<int64_t, int64_t, int64_t> sizes, const MatrixTuple& x, const MatrixTuple& y,
                 uintptr_t stream);
  void quantise(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
                const ScalesTuple& scales, uintptr_t stream);
  void dequantise(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
                  const ScalesTuple& scales, uintptr_t stream);
  /// Rotary embeddings of `sizes` tokens, heads, elements per head and rotated elements. `positions`: address
  /// and the bits of each.
  void rope(std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, const HeadsTuple& x, const HeadsTuple& y,
            const RowsTuple& cosines, const RowsTuple& sines, std::tuple<uintptr_t, int> positions,
            int64_t first_position, bool interleaved, uintptr_t stream);

  size_t sort_experts_workspace(const SortedSizes& sizes, const SortedAddresses& at);
  void sort_experts(const SortedSizes& sizes, const SortedAddresses& at, uintptr_t workspace, size_t bytes,
                    uintptr_t stream);
  /// Sums of rows of `sizes` tokens, columns, choices and rows of x; `weights`: an address, 0: there are
  /// none.
  void combine(std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, const RowsTuple& x,
               const RowsTuple& addend, const RowsTuple& y, uintptr_t places, uintptr_t weights,
               uintptr_t stream);

  void attention(const AttentionWords& words, uintptr_t stream);
  /// A byte for each key of a row of attention, 1 where dropout keeps its weight, and by what that grows.
  std::tuple<nanobind::bytes, float> attention_dropout(decltype(AttentionWords::dropout) dropout,
                                                       int64_t heads,
                                                       std::tuple<int64_t, int64_t, int64_t> row,
                                                       int64_t keys);

  /// The bytes of workspace that a decode takes, or an exception that says why there is no kernel for it.
  /// The bytes of workspace that a product takes: as dispatch chooses, or with a tile.
  size_t gemm_workspace(const wavesmith_kernels_gemm_description& gemm,
                        const std::optional<std::string>& tile);
  size_t decode_workspace(const wavesmith_kernels_decode_description& decode);
  void decode(wavesmith_kernels_decode_description decode, uintptr_t workspace, size_t bytes,
              uintptr_t stream);
  /// Writes to a cache. `sizes`: tokens, heads, elements per head, blocks and positions of a page.
  void cache(std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t> sizes, const HeadsTuple& k,
             const HeadsTuple& v, const PagedTuple& k_cache, const PagedTuple& v_cache, uintptr_t slots,
             uintptr_t stream);

 private:
  /// Throws when a call failed, with the library's message.
  void check(wavesmith_kernels_status status);

  Hip& hip_;
  decltype(&wavesmith_kernels_message) message_ = nullptr;
  decltype(&wavesmith_kernels_gemm) gemm_ = nullptr;
  decltype(&wavesmith_kernels_gemm_check) gemm_check_ = nullptr;
  decltype(&wavesmith_kernels_gemm_with) gemm_with_ = nullptr;
  decltype(&wavesmith_kernels_gemm_tile) gemm_tile_ = nullptr;
  decltype(&wavesmith_kernels_norm) norm_ = nullptr;
  decltype(&wavesmith_kernels_all_reduce) all_reduce_ = nullptr;
  decltype(&wavesmith_kernels_all_reduce_buffer) all_reduce_buffer_ = nullptr;
  decltype(&wavesmith_kernels_softmax) softmax_ = nullptr;
  decltype(&wavesmith_kernels_router) router_ = nullptr;
  decltype(&wavesmith_kernels_gate) gate_ = nullptr;
  decltype(&wavesmith_kernels_elementwise) elementwise_ = nullptr;
  decltype(&wavesmith_kernels_reduce) reduce_ = nullptr;
  decltype(&wavesmith_kernels_reduce_workspace) reduce_workspace_ = nullptr;
  decltype(&wavesmith_kernels_transpose) transpose_ = nullptr;
  decltype(&wavesmith_kernels_quantise) quantise_ = nullptr;
  decltype(&wavesmith_kernels_dequantise) dequantise_ = nullptr;
  decltype(&wavesmith_kernels_rope) rope_ = nullptr;
  decltype(&wavesmith_kernels_sort_experts) sort_experts_ = nullptr;
  decltype(&wavesmith_kernels_sort_experts_workspace) sort_experts_workspace_ = nullptr;
  decltype(&wavesmith_kernels_combine) combine_ = nullptr;
  decltype(&wavesmith_kernels_attention) attention_ = nullptr;
  decltype(&wavesmith_kernels_attention_dropout) attention_dropout_ = nullptr;
  decltype(&wavesmith_kernels_decode) decode_ = nullptr;
  decltype(&wavesmith_kernels_gemm_workspace) gemm_workspace_ = nullptr;
  decltype(&wavesmith_kernels_decode_workspace) decode_workspace_ = nullptr;
  decltype(&wavesmith_kernels_cache) cache_ = nullptr;
};

/// Scales as Python describes them: addresses of A's, B's and D's (0: there is none), whether A has one per
/// row and B one per column.
using ScaleTuple = std::tuple<uintptr_t, uintptr_t, uintptr_t, bool, bool>;
/// Scales of blocks, and elements from those of a matrix to the next one's.
using BlockScaleTuple = std::tuple<ScalesTuple, int64_t>;

/// Describes a product. `activation`: "", "relu", "gelu" or "silu"; `weights`: of B of 4 bits the type of its
/// scales and the address of its zero points, otherwise "" and 0; `group_offsets`: an address, 0: no groups.
wavesmith_kernels_gemm_description gemm_description(
    std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, float alpha, float beta, const MatrixTuple& a,
    const MatrixTuple& b, const MatrixTuple& c, const MatrixTuple& d, const std::string& activation,
    uintptr_t bias, const std::string& bias_type, bool bias_per_row, const ScaleTuple& scales,
    const std::tuple<BlockScaleTuple, BlockScaleTuple>& block_scales,
    const std::tuple<std::string, uintptr_t>& weights, uintptr_t group_offsets,
    const std::tuple<uintptr_t, int64_t>& a_rows, bool gated, bool groups_along_k);

/// Describes a decode, its workspace aside. `sizes`: batches, heads of q and of the caches, queries of a
/// sequence, head size; `table`: address (0: there is none), stride, blocks and positions of a page;
/// `contexts`: address and the longest one.
wavesmith_kernels_decode_description decode_description(
    std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t> sizes, const std::string& type,
    const AttendedTuple& q, const AttendedTuple& o, const PagedTuple& k, const PagedTuple& v,
    std::tuple<uintptr_t, int64_t, int64_t, int64_t> table, std::tuple<uintptr_t, int64_t> contexts,
    float scale, float softcap, int64_t window_left, std::tuple<uintptr_t, int64_t> alibi_slopes,
    uintptr_t sinks, std::tuple<uintptr_t, int64_t, int64_t> lse);

/// What an array is: (address, type as "bf16", shape, strides in elements, DLPack's device type, device).
nanobind::tuple array_of(const nanobind::ndarray<nanobind::ro>& array);
/// The same of one that may be written to; TypeError for others.
nanobind::tuple writable_array_of(const nanobind::ndarray<>& array);

/// New memory as an array by rows that other packages can take over by DLPack: of the current device, or with
/// `device` -1 of the host.
nanobind::ndarray<nanobind::array_api> new_array(Hip& hip, const std::vector<size_t>& shape,
                                                 const std::string& type, int device);

}  // namespace wavesmith::python
