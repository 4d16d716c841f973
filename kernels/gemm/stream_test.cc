// Streamed products, of which workgroups share tiles along K, on a GPU of each target that has some.
#include "kernels/gemm/choice/stream.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpus/gpu.h"
#include "kernels/gemm/testing.h"

namespace wavesmith::kernels {
namespace {

/// A tile of kernels for streamed products, and the types of A and B.
struct Streamed {
  const GemmConfiguration* tile;
  std::pair<Type, Type> types;
};

class StreamGemm : public GemmOnGpu {
 protected:
  static bool is_small(Type type) { return size_of(type) == 1 && type != WAVESMITH_KERNELS_I8; }
  static std::vector<Streamed> streamed() {
    std::vector<Streamed> all;
    for (const auto& types : pairs())
      for (const GemmConfiguration& tile : gemm_configurations())
        if (tile.target == kTargets[GetParam()] && tile.has(types_word(types.first, types.second) + "s"))
          all.push_back({&tile, types});
    return all;
  }
  /// Workgroups that fill the GPU once.
  static int64_t workgroups(const GemmConfiguration& tile) {
    return int64_t{(*gpus::find_gpu(kGpus[GetParam()]))->multiprocessors()} * tile.at_once;
  }
  /// Everything but tile, sizes and layout at random.
  Case stream_case(const Streamed& one, int64_t m, int64_t n, int64_t k, bool a_by_rows, bool b_by_rows) {
    Case made = random_case(m, n, k, one.types);
    made.tile = one.tile->name, made.parts = kStreamed, made.batches = 1;
    made.a_by_rows = a_by_rows, made.b_by_rows = b_by_rows;
    if (!one.tile->has_layout(false, false)) made.d_by_rows = true;
    const int64_t in_dword = std::max<int64_t>(1, 4 / size_of(one.types.first));
    const int64_t whole = one.tile->pieces ? 16 / size_of(one.types.first) : in_dword;
    const auto up = [](int64_t size, int64_t to) { return (size + to - 1) / to * to; };
    made.k = up(k, one.tile->pieces || a_by_rows || !b_by_rows ? whole : 1);
    made.padding = made.padding / whole * whole,
    made.offset = made.offset / static_cast<size_t>(whole) * static_cast<size_t>(whole);
    if (!a_by_rows || b_by_rows || !made.d_by_rows) made.m = up(m, in_dword), made.n = up(n, in_dword);
    return made;
  }
};

TEST_P(StreamGemm, EveryKernelEqualsSumsInDoublePrecision) {
  for (const Streamed& one : streamed())
    for (const bool a_by_rows : {true, false})
      for (const bool b_by_rows : {false, true}) {
        if (!one.tile->has_layout(a_by_rows, !b_by_rows)) continue;
        // A tile or two each way, and so many parts of a tile that most are a step.
        const int64_t m = between(1, one.tile->rows + 40), n = between(1, one.tile->columns + 40);
        Case made = stream_case(one, m, n, between(2 * one.tile->depth + 1, 9 * one.tile->depth), a_by_rows,
                                b_by_rows);
        made.d_by_rows = true;  // by columns it is the kernel of another layout
        check(made);
        if (HasFatalFailure()) return;
      }
}

TEST_P(StreamGemm, EdgesOfTilesAndSteps) {
  for (const Streamed& one : streamed()) {
    if (is_small(one.types.first) || one.types.first == WAVESMITH_KERNELS_F16) continue;  // as i8 and bf16
    const int64_t rows = one.tile->rows, columns = one.tile->columns, depth = 2 * one.tile->depth;
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, depth + 1},
                                  {rows, columns, 2 * depth},
                                  {rows + 1, columns - 1, 3 * depth - 1},
                                  {rows - 1, columns + 1, 2 * depth + 1}}) {
      check(stream_case(one, m, n, k, true, false));
      if (HasFatalFailure()) return;
    }
  }
}

// A round of whole tiles, and five eighths of one that are shared: of most targets' workgroups a part of a
// tile more each than tiles have, so that runs begin and end within tiles.
TEST_P(StreamGemm, WholeTilesAreThoseOfThePlainKernelAndSharedOnesUpToRounding) {
  for (const Streamed& one : streamed()) {
    const GemmConfiguration& tile = *one.tile;
    if (one.types.first != WAVESMITH_KERNELS_BF16 && one.types.first != WAVESMITH_KERNELS_I8) continue;
    const bool integers = is_integer(one.types.first);
    const int64_t tiles = workgroups(tile) * 13 / 8, across = 16, k = 6 * tile.depth + 16;
    const int64_t m = (tiles + across - 1) / across * tile.rows - 5, n = across * tile.columns - 8;
    const HostMatrix a = random_matrix(m, k, 1, true, 0, one.types.first),
                     b = random_matrix(k, n, 1, false, 0, one.types.second);
    const OnGpu on_a(a.elements), on_b(b.elements);
    std::array<Elements, 3> results;
    for (size_t run = 0; run < results.size(); ++run) {
      HostMatrix d = matrix(m, n, 1, true, 0, integers ? WAVESMITH_KERNELS_I32 : WAVESMITH_KERNELS_F32);
      const OnGpu on_d(d.elements);
      wavesmith_kernels_gemm_description gemm{.m = m,
                                              .n = n,
                                              .k = k,
                                              .batches = 1,
                                              .alpha = 1,
                                              .a = a.on(on_a),
                                              .b = b.on(on_b),
                                              .d = d.on(on_d)};
      const std::string name = std::string(tile.name) + (run == 0 ? "" : word_of_parts(kStreamed));
      size_t bytes = 0;
      ASSERT_EQ(wavesmith_kernels_gemm_workspace(&gemm, name.c_str(), &bytes), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(bytes > 0, run > 0);
      Elements workspace(WAVESMITH_KERNELS_F32, bytes / 4 + 1);
      if (run == 1) std::ranges::fill(workspace.bytes, uint8_t{0x3f});  // poisoned in two ways
      const OnGpu on_workspace(workspace);
      if (run > 0) gemm.workspace = on_workspace.data(), gemm.workspace_bytes = bytes;
      ASSERT_EQ(wavesmith_kernels_gemm_with(&gemm, name.c_str(), nullptr), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message();
      ASSERT_EQ(hipDeviceSynchronize(), 0);
      on_d.copy_to(d.elements);
      results[run] = d.elements;
    }
    ASSERT_EQ(results[1].bytes, results[2].bytes) << "the same in each run";
    size_t same = 0;
    for (size_t i = 0; i < results[0].count(); ++i) {
      const double plain = results[0].get(i), got = results[1].get(i);
      same += plain == got;
      // Elements are normal numbers below six; both results keep the bound of a sum.
      ASSERT_LE(std::abs(got - plain),
                integers ? 0 : 2 * static_cast<double>(k) * 0x1p-24 * static_cast<double>(k) * 4)
          << tile.name << " at " << i;
    }
    EXPECT_GE(same * 13, results[0].count() * 7) << "whole tiles are summed up in the same order";
    if (!integers) EXPECT_LT(same, results[0].count()) << "shared tiles are not";
  }
}

TEST_P(StreamGemm, RefusesWorkspacesThatAreTooSmallAndTilesOfWhichNoneIsShared) {
  for (const Streamed& one : streamed()) {
    const OnGpu memory(Elements(one.types.first, 1));
    const auto type = one.types.first,
               type_d = is_integer(type) ? WAVESMITH_KERNELS_I32 : WAVESMITH_KERNELS_F32;
    const int64_t k = 8 * one.tile->depth;
    const auto at = [&](int number) { return static_cast<char*>(memory.data()) + (int64_t{number} << 32); };
    wavesmith_kernels_gemm_description gemm{.m = 3,
                                            .n = 8,
                                            .k = k,
                                            .batches = 1,
                                            .alpha = 1,
                                            .a = {at(0), type, k, 1, 0},
                                            .b = {at(1), one.types.second, 1, k, 0},
                                            .d = {at(2), type_d, 8, 1, 0}};
    const std::string name = std::string(one.tile->name) + "/stream";
    size_t bytes = 0;
    ASSERT_EQ(wavesmith_kernels_gemm_workspace(&gemm, name.c_str(), &bytes), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    gemm.workspace = at(3), gemm.workspace_bytes = bytes - 1;
    EXPECT_EQ(wavesmith_kernels_gemm_with(&gemm, name.c_str(), nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(wavesmith_kernels_message()),
              "gemm: workspace_bytes is " + std::to_string(bytes - 1) + ", less than the " +
                  std::to_string(bytes) + " that " + name + " wants");
    gemm.m = one.tile->rows * workgroups(*one.tile), gemm.d.row_stride = 8;
    EXPECT_EQ(wavesmith_kernels_gemm_with(&gemm, name.c_str(), nullptr), WAVESMITH_KERNELS_NOT_SUPPORTED);
    EXPECT_EQ(std::string(wavesmith_kernels_message()).substr(0, 47),
              "gemm: no tile of d would be shared with a tile ")
        << wavesmith_kernels_message();
  }
}

INSTANTIATE_TEST_SUITE_P(On, StreamGemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
