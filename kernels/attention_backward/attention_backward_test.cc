// Attention's gradients on a GPU of each target, against double precision.
#include <array>
#include <limits>

#include "kernels/attention_backward/configuration.h"
#include "kernels/attention_backward/gradients_testing.h"

namespace wavesmith::kernels {
namespace {

using Case = AttentionCase;

/// The gradients in host memory.
struct Gradients {
  HostHeads d_o, dq, dk, dv;
};

class AttentionBackward : public AttentionProblems {
 protected:
  Gradients gradients(const AttentionProblem& made) {
    const Case& one = made.one;
    Gradients all{made.o, made.o, made.k, made.v};
    const auto of_q = [&](int64_t size) {
      return HostHeads(one, size, one.packed_q ? 1 : one.batches, made.rows_q(), one.heads_q);
    };
    const auto of_k = [&](int64_t size) {
      return HostHeads(one, size, one.packed_k ? 1 : one.batches, made.rows_k(), one.heads_kv);
    };
    all.d_o = of_q(one.size_v()), all.dq = of_q(one.head_size);
    all.dk = of_k(one.head_size), all.dv = of_k(one.size_v());
    fill(all.d_o, one.packed_q ? 1 : one.batches, made.rows_q(), one.heads_q, 1);
    return all;
  }

  /// Computes them from what the forward kernel left in the problem.
  static void run(const AttentionProblem& made, Gradients& all, bool any_order = false) {
    const AttentionOnGpu gpu(made);
    const OnGpu d_o(all.d_o.elements), dq(all.dq.elements), dk(all.dk.elements), dv(all.dv.elements);
    wavesmith_kernels_attention_backward_description backward{.forward = gpu.description(),
                                                              .d_o = all.d_o.on(d_o),
                                                              .dq = all.dq.on(dq),
                                                              .dk = all.dk.on(dk),
                                                              .dv = all.dv.on(dv),
                                                              .any_order = any_order};
    ASSERT_EQ(wavesmith_kernels_attention_backward_workspace(&backward, &backward.workspace_bytes),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, backward.workspace_bytes / 4));
    backward.workspace = workspace.data();
    ASSERT_EQ(wavesmith_kernels_attention_backward(&backward, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    dq.copy_to(all.dq.elements);
    dk.copy_to(all.dk.elements);
    dv.copy_to(all.dv.elements);
  }

  void check(const Case& one) {
    AttentionProblem made = problem(one);
    check(made);
  }
  void check(AttentionProblem& made) {
    Gradients all = gradients(made);
    check(made, all);
  }
  /// Runs both ways, backward in the order that is the same in each run and in any, and compares all of the
  /// gradients' memory, padding included, with the bounds of wavesmith_attention.h.
  void check(AttentionProblem& made, Gradients& all) {
    const Gradients before = all;
    AttentionProblems::run(made);
    if (HasFatalFailure()) return;
    const ExpectedGradients expected(made, all.d_o, GetParam() == 0,
                                     [&](double element) { return as_operand(element, made.one.type); });
    for (const bool any_order : {true, false}) {
      if (any_order && !adds()) continue;
      all = before;
      run(made, all, any_order);
      if (HasFatalFailure()) return;
      compare(made, all, before, expected);
      if (HasFatalFailure()) return;
    }
  }
  void compare(const AttentionProblem& made, const Gradients& all, const Gradients& before,
               const ExpectedGradients& expected) {
    const double scale = made.one.scale;
    compare(made, "dq", all.dq, before.dq, expected.dq, scale, made.one.packed_q, true);
    if (!HasFatalFailure())
      compare(made, "dk", all.dk, before.dk, expected.dk, scale, made.one.packed_k, false);
    if (!HasFatalFailure()) compare(made, "dv", all.dv, before.dv, expected.dv, 1, made.one.packed_k, false);
  }

  void compare(const AttentionProblem& made, const char* name, const HostHeads& got, const HostHeads& before,
               const ExpectedHeads& expected, double scale, bool packed, bool of_q) {
    const Case& one = made.one;
    ErrorNote note;
    std::vector<char> written(got.elements.count(), 0);
    for (int64_t batch = 0; batch < one.batches; ++batch) {
      const auto [first, length] = of_q ? made.sequence_q(batch) : made.sequence_k(batch);
      for (int64_t head = 0; head < (of_q ? one.heads_q : one.heads_kv); ++head)
        for (int64_t i = 0; i < length; ++i)
          for (int64_t d = 0; d < got.head_size; ++d) {
            const size_t at = got.at(packed ? 0 : batch, first + i, head, d);
            written[at] = 1;
            const double value = scale * expected.value[at], allowed = expected.bound(at, scale, one.type);
            const double is = got.elements.get(at);
            if (std::isnan(value)) {
              ASSERT_TRUE(std::isnan(is)) << one.text() << " " << name << " " << i << " " << d << ": " << is;
              continue;
            }
            note.add(std::abs(is - value), allowed);
            ASSERT_LE(std::abs(is - value), allowed)
                << one.text() << " " << name << "[" << batch << "][" << head << "][" << i << "][" << d
                << "]: " << is << " instead of " << value;
          }
    }
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i])
        ASSERT_EQ(std::memcmp(&got.elements.bytes[i * 2], &before.elements.bytes[i * 2], 2), 0)
            << one.text() << " wrote beyond the rows of " << name << ", at element " << i;
  }

  /// Whether the GPU has kernels in which workgroups add to dQ.
  [[nodiscard]] bool adds() const {
    return std::ranges::any_of(attention_backward_configurations(), [](const auto& row) {
      return row.target == kTargets[GetParam()] && row.gradient == "all";
    });
  }
  /// Everything but the lengths at random.
  Case random_one(int64_t length_q, int64_t length_k) {
    Case one = random_case(length_q, length_k);
    one.lse = true;
    return one;
  }
};

TEST_P(AttentionBackward, EqualsDoublePrecision) {
  check({.batches = 1, .length_q = 128, .length_k = 128});
  check({.batches = 2, .heads_q = 4, .heads_kv = 2, .length_q = 130, .length_k = 200});
  check({.heads_q = 2, .length_q = 150, .length_k = 150, .causal = true});
}

TEST_P(AttentionBackward, SmallOnesOfAllKindsEqualDoublePrecision) {
  for (int round = 0; round < 60; ++round) {
    check(random_one(between(1, 70), between(0, 90)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttentionBackward, LengthsAroundTheTilesEqualDoublePrecision) {
  for (int round = 0; round < 12; ++round) {
    Case one = random_one(one_of<int64_t>({1, 31, 33, 127, 128, 129, 255, 257}),
                          one_of<int64_t>({1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300}));
    one.batches = between(1, 2);
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttentionBackward, EveryKernelEqualsDoublePrecision) {
  int kernels = 0;
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations())
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
      for (const float softcap : {0.0F, 20.0F}) {
        if (row.target != kTargets[GetParam()]) continue;
        const int64_t other = between(3, 5) * row.tile + between(-1, 1), own = row.rows + between(-1, 1);
        const bool of_q = row.gradient == "queries";
        check({.heads_q = 2,
               .length_q = of_q ? own : other,
               .length_k = of_q ? other : own,
               .head_size = row.head_size,
               .type = type,
               .causal = softcap != 0,
               .softcap = softcap});
        if (HasFatalFailure()) return;
        ++kernels;
      }
  EXPECT_GE(kernels, 4);
}

TEST_P(AttentionBackward, HeadsOfValuesMayBeShorterOrLonger) {
  for (int round = 0; round < 12; ++round) {
    Case one = random_one(between(1, 140), between(0, 90));
    one.head_size = round % 3 == 0 ? 192 : 8 * between(1, 32);
    one.head_size_v = round % 3 == 0 ? 128 : 8 * between(1, 32);
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttentionBackward, LargeHeadsEqualDoublePrecisionUnderEveryMask) {
  const struct {
    int64_t size, size_v;
  } heads[] = {{136, 0}, {192, 0}, {256, 0}, {192, 128}, {72, 200}};
  for (const auto& [size, size_v] : heads) {
    const Case plain{.heads_q = 2,
                     .heads_kv = one_of<int64_t>({1, 2}),
                     .length_q = between(65, 140),
                     .length_k = between(65, 140),
                     .head_size = size,
                     .head_size_v = size_v,
                     .type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})};
    Case causal = plain, window = plain, packed = plain, shaped = plain;
    causal.causal = true;
    window.left = between(0, 70), window.right = between(0, 40);
    packed.batches = 3, packed.packed_q = packed.packed_k = packed.causal = true;
    shaped.softcap = 20, shaped.alibi = true;
    for (const Case& one : {plain, causal, window, packed, shaped}) {
      check(one);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(AttentionBackward, MasksEndAtTheRightRowWhereverTilesDo) {
  for (int64_t window = 0; window < 66; window += 1 + between(0, 4)) {
    check({.length_q = 33, .length_k = 130, .head_size = 64, .right = window});
    check({.length_q = 130, .length_k = 33, .head_size = 64, .left = window});
    check({.length_q = 100, .length_k = 100, .head_size = 64, .left = window, .right = 66 - window});
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttentionBackward, ScoresFarApartKeepTheBound) {
  for (const double size : {8.0, 40.0})
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}) {
      check({.length_q = 40, .length_k = 200, .type = type, .scale = 0.3F, .size = size});
      if (HasFatalFailure()) return;
    }
}

TEST_P(AttentionBackward, NanAndInfinityReachTheRowsThatSeeThem) {
  for (const int64_t size : {128, 256}) {
    AttentionProblem made = problem({.length_q = 100, .length_k = 100, .head_size = size});
    Gradients all = gradients(made);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    made.q.elements.set(made.q.at(0, 7, 0, 5), kNan);
    check(made, all);
    if (HasFatalFailure()) return;
    for (int64_t d = 0; d < size; ++d) {
      EXPECT_TRUE(std::isnan(all.dq.elements.get(all.dq.at(0, 7, 0, d))));
      EXPECT_FALSE(std::isnan(all.dq.elements.get(all.dq.at(0, 8, 0, d))));
      EXPECT_TRUE(std::isnan(all.dv.elements.get(all.dv.at(0, 50, 0, d))));
    }
  }
}

TEST_P(AttentionBackward, WhatLiesBehindASequenceDoesNotMatter) {
  // The second sequences are NaN in all that is read; the first ones' gradients have none.
  AttentionProblem made =
      problem({.batches = 2, .length_q = 70, .length_k = 70, .packed_q = true, .packed_k = true});
  made.starts_q = {0, 40, 75}, made.starts_k = {0, 33, 65};
  const AttentionProblem as_many = problem({.batches = 1, .length_q = 75, .length_k = 65});
  made.q = as_many.q, made.k = as_many.k, made.v = as_many.v, made.o = as_many.o, made.lse = as_many.lse;
  Gradients all = gradients(made);
  const auto poison = [](HostHeads& heads, int64_t from, int64_t to) {
    for (int64_t row = from; row < to; ++row)
      for (int64_t d = 0; d < 128; ++d)
        heads.elements.set(heads.at(0, row, 0, d), std::numeric_limits<double>::quiet_NaN());
  };
  poison(made.q, 40, 75), poison(all.d_o, 40, 75), poison(made.k, 33, 65), poison(made.v, 33, 65);
  check(made, all);
}

TEST_P(AttentionBackward, RowsWithoutAnotherHaveNoGradient) {
  for (const bool causal : {false, true}) {
    AttentionProblem made = problem({.batches = 2, .length_q = 20, .length_k = 0, .causal = causal});
    Gradients all = gradients(made);
    check(made, all);
    if (HasFatalFailure()) return;
    EXPECT_EQ(all.dq.elements.get(0), 0);
    // The last queries see the keys, the first ones none; and keys of which no query sees the first ones.
    check({.length_q = 90, .length_k = 20, .causal = causal});
    check({.length_q = 20, .length_k = 90, .causal = causal, .left = 5});
    if (HasFatalFailure()) return;
  }
  AttentionProblem no_queries = problem({.length_q = 0, .length_k = 40});
  Gradients all = gradients(no_queries);
  run(no_queries, all);
  for (int64_t i = 0; i < 40 * 128; ++i) {
    ASSERT_EQ(all.dk.elements.get(static_cast<size_t>(i)), 0);
    ASSERT_EQ(all.dv.elements.get(static_cast<size_t>(i)), 0);
  }
}

TEST_P(AttentionBackward, ResultsAreTheSameInEachRun) {
  for (const int64_t size : {128, 256}) {
    AttentionProblem made = problem(
        {.heads_q = 4, .heads_kv = 2, .length_q = 200, .length_k = 300, .head_size = size, .causal = true});
    AttentionProblems::run(made);
    Gradients all = gradients(made), again = all;
    run(made, all);
    run(made, again);
    EXPECT_EQ(all.dq.elements.bytes, again.dq.elements.bytes);
    EXPECT_EQ(all.dk.elements.bytes, again.dk.elements.bytes);
    EXPECT_EQ(all.dv.elements.bytes, again.dv.elements.bytes);
  }
}

TEST_P(AttentionBackward, EveryKernelWithDropoutEqualsDoublePrecision) {
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations())
    for (const Type type : {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16})
      for (const bool shaped : {false, true}) {
        if (row.target != kTargets[GetParam()] || row.gradient != "queries" || row.head_size > 128) continue;
        Case one = dropout_case(row.rows, row.head_size, type, shaped);
        one.heads_kv = shaped ? 1 : 2;
        check(one);
        if (HasFatalFailure()) return;
      }
}

TEST_P(AttentionBackward, DropoutOfAllKindsEqualsDoublePrecision) {
  for (int round = 0; round < 24; ++round) {
    Case one = random_dropout_case(between(1, 140), between(0, 170));
    one.lse = true;
    check(one);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, AttentionBackward, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
