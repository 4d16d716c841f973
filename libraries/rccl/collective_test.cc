// RCCL's reductions and other collectives, of all types and operations, in place and not, against sums of
// doubles and of wide integers written out here.
#include <algorithm>

#include "libraries/rccl/rccl_test.h"

namespace {

using namespace wavesmith::libraries;

using Wide = unsigned __int128;

class Collectives : public RcclTest {
 protected:
  struct Input {
    int type = 0, operation = 0;
    bool fnuz = true;
    std::vector<Bytes> of;  ///< each rank's
    [[nodiscard]] const uint8_t* at(size_t rank, size_t i) const { return of[rank].data() + i * width(type); }
  };

  Input input(int type, int operation, size_t count) {
    Input all{type, operation, ranks_[0].device < 8, {}};
    for (size_t r = 0; r < ranks_.size(); ++r) all.of.push_back(elements(type, count, all.fnuz));
    return all;
  }

  /// The bits of an integer, wrapped around.
  static uint64_t integer(const Input& in, size_t i) {
    const size_t bits = 8 * width(in.type);
    const bool is_signed = in.type == kI8 || in.type == kI32 || in.type == kI64;
    const auto wrapped = [&](Wide value) -> __int128 {
      const auto kept = value & ((Wide(1) << bits) - 1);
      if (is_signed && (kept >> (bits - 1)) != 0)
        return static_cast<__int128>(kept) - (static_cast<__int128>(1) << bits);
      return static_cast<__int128>(kept);
    };
    const auto load = [&](size_t rank) {
      uint64_t value = 0;
      std::memcpy(&value, in.at(rank, i), width(in.type));
      return wrapped(value);
    };
    __int128 result = load(0);
    for (size_t r = 1; r < in.of.size(); ++r) {
      const __int128 next = load(r);
      if (in.operation == kMax || in.operation == kMin)
        result = in.operation == kMax ? std::max(result, next) : std::min(result, next);
      else
        result = wrapped(in.operation == kProd ? Wide(result) * Wide(next) : Wide(result) + Wide(next));
    }
    if (in.operation == kAvg) result /= static_cast<__int128>(in.of.size());
    uint64_t stored = 0;
    const auto low = static_cast<uint64_t>(result);
    std::memcpy(&stored, &low, width(in.type));
    return stored;
  }

  /// Element i of the reduction is at `got`: once rounded, from sums of at least 24 bits.
  static void expect(const Input& in, size_t i, const uint8_t* got) {
    if (is_integer(in.type)) {
      uint64_t bits = 0;
      std::memcpy(&bits, got, width(in.type));
      ASSERT_EQ(bits, integer(in, i)) << "type " << in.type << " operation " << in.operation << " at " << i;
      return;
    }
    double want = float_at(in.type, in.fnuz, in.at(0, i)), size = std::abs(want);
    for (size_t r = 1; r < in.of.size(); ++r) {
      const double next = float_at(in.type, in.fnuz, in.at(r, i));
      if (in.operation == kProd) {
        want *= next;
        size = std::abs(want);
      } else if (in.operation == kMax || in.operation == kMin) {
        want = in.operation == kMax ? std::max(want, next) : std::min(want, next);
        size = 0;
      } else {
        want += next;
        size += std::abs(next);
      }
    }
    if (in.operation == kAvg) want /= static_cast<double>(in.of.size());
    const Format f = format(in.type, in.fnuz);
    want = std::clamp(want, -f.largest, f.largest);
    const double half = std::max(std::ldexp(std::abs(want), -f.mantissa - 1),
                                 std::ldexp(1, -f.bias - f.mantissa));  // of the last bit
    const double sums = static_cast<double>(in.of.size()) * std::ldexp(size, in.type == kF64 ? -53 : -24);
    ASSERT_NEAR(float_at(in.type, in.fnuz, got), want,
                in.operation == kMax || in.operation == kMin ? 0 : half + sums)
        << "type " << in.type << " operation " << in.operation << " at " << i;
  }

  void all_reduce(int type, int operation, size_t count, bool in_place, bool by_threads) {
    const Input in = input(type, operation, count);
    std::vector<Bytes> from = in.of, to(ranks_.size(), Bytes(count * width(type), 0x5a));
    const auto ask = [&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const void* const send = from[n].data();
      void* const receive = in_place ? from[n].data() : to[n].data();
      return rccl("ncclAllReduce", send, receive, count, type, operation, r.comm, r.stream);
    };
    if (by_threads)
      each(ask);
    else
      all(ask);
    wait();
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const Bytes& got = in_place ? from[r] : to[r];
      if (r > 0) ASSERT_EQ(got, in_place ? from[0] : to[0]);
      for (size_t i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(expect(in, i, got.data() + i * width(type)));
    }
  }
};

TEST_F(Collectives, ReduceAllTypesByAllOperations) {
  for (const int count : {2, 3, 8}) {
    ASSERT_NO_FATAL_FAILURE(start(count));
    for (int type = 0; type < kTypes; ++type)
      for (int operation = kSum; operation <= kAvg; ++operation)
        ASSERT_NO_FATAL_FAILURE(all_reduce(type, operation, 1 + below(1500u), below(2) == 0, below(2) == 0))
            << count << " ranks";
    end();
  }
}

TEST_F(Collectives, ReduceOcpsFloatsOnGpusThatHaveThem) {
  ASSERT_NO_FATAL_FAILURE(start(2, 8));
  for (const int type : {kE4m3, kE5m2})
    for (int operation = kSum; operation <= kAvg; ++operation)
      ASSERT_NO_FATAL_FAILURE(all_reduce(type, operation, 777, false, false));
}

TEST_F(Collectives, ReduceToOneRank) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  for (const bool in_place : {false, true}) {
    const size_t count = 1 + below(1000u), root = below(3u);
    const Input in = input(kF32, kSum, count);
    std::vector<Bytes> from = in.of;
    Bytes to(count * 4);
    all([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const void* const send = from[n].data();
      void* const receive = n != root ? nullptr : in_place ? from[n].data() : to.data();
      return rccl("ncclReduce", send, receive, count, int{kF32}, int{kSum}, static_cast<int>(root), r.comm,
                  r.stream);
    });
    wait();
    for (size_t r = 0; r < 3; ++r)
      if (r != root) EXPECT_EQ(from[r], in.of[r]);
    for (size_t i = 0; i < count; ++i)
      ASSERT_NO_FATAL_FAILURE(expect(in, i, (in_place ? from[root] : to).data() + i * 4));
  }
}

TEST_F(Collectives, ReduceAndScatter) {
  for (const int count : {2, 3, 8}) {
    ASSERT_NO_FATAL_FAILURE(start(count));
    const size_t ranks = ranks_.size();
    for (const bool in_place : {false, true})
      for (const int type : {kF16, kI32, kF64}) {
        const size_t part = 1 + below(700u), bytes = part * width(type);
        const Input in = input(type, kSum, part * ranks);
        std::vector<Bytes> from = in.of, to(ranks, Bytes(bytes));
        all([&](const Rank& r) {
          const auto n = static_cast<size_t>(r.rank);
          const void* const send = from[n].data();
          void* const receive = in_place ? from[n].data() + n * bytes : to[n].data();
          return rccl("ncclReduceScatter", send, receive, part, type, int{kSum}, r.comm, r.stream);
        });
        wait();
        for (size_t r = 0; r < ranks; ++r)
          for (size_t i = 0; i < part; ++i)
            ASSERT_NO_FATAL_FAILURE(expect(
                in, r * part + i, (in_place ? from[r].data() + r * bytes : to[r].data()) + i * width(type)));
      }
    end();
  }
}

TEST_F(Collectives, GatherEverywhereAndBroadcast) {
  for (const int count : {2, 3, 8}) {
    ASSERT_NO_FATAL_FAILURE(start(count));
    const size_t ranks = ranks_.size();
    for (const bool in_place : {false, true}) {
      const size_t part = 1 + below(3000u), root = below(ranks);
      const Input in = input(kU8, kSum, part);
      Bytes whole;
      for (const Bytes& each : in.of) whole.insert(whole.end(), each.begin(), each.end());
      std::vector<Bytes> gathered(ranks, Bytes(part * ranks)), spread(ranks, Bytes(part)), same = in.of;
      for (size_t r = 0; r < ranks; ++r) std::copy_n(in.of[r].data(), part, gathered[r].data() + r * part);
      std::vector<Bytes> from = in.of;
      each([&](const Rank& r) {
        const auto n = static_cast<size_t>(r.rank);
        const void* const send = in_place ? gathered[n].data() + n * part : from[n].data();
        void* const receive = gathered[n].data();
        return rccl("ncclAllGather", send, receive, part, int{kU8}, r.comm, r.stream);
      });
      all([&](const Rank& r) {
        const auto n = static_cast<size_t>(r.rank);
        const void* const send = n == root ? from[n].data() : nullptr;
        void* const receive = spread[n].data();
        return rccl("ncclBroadcast", send, receive, part, int{kU8}, static_cast<int>(root), r.comm, r.stream);
      });
      all([&](const Rank& r) {
        void* const data = same[static_cast<size_t>(r.rank)].data();
        return rccl("ncclBcast", data, part, int{kU8}, static_cast<int>(root), r.comm, r.stream);
      });
      wait();
      for (size_t r = 0; r < ranks; ++r) {
        EXPECT_EQ(gathered[r], whole);
        EXPECT_EQ(spread[r], in.of[root]);
        EXPECT_EQ(same[r], in.of[root]);
      }
    }
    end();
  }
}

TEST_F(Collectives, ScaleByEachRanksFactorBeforeTheSum) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  enum { kOnDevice, kOnHost };
  const size_t count = 1 + below(1000u);
  const Input in = input(kF32, kSum, count);
  std::vector<std::vector<float>> to(3, std::vector<float>(count));
  float factors[3], *device = nullptr;
  int operations[3];
  hip("hipMalloc", reinterpret_cast<void**>(&device), sizeof(float));
  for (const Rank& r : ranks_) {
    const auto n = static_cast<size_t>(r.rank);
    factors[n] = static_cast<float>(number());
    float factor = factors[n];
    // The last one is not there before the stream writes it.
    void* const place = n == 2 ? static_cast<void*>(device) : &factor;
    ASSERT_EQ(rccl("ncclRedOpCreatePreMulSum", &operations[n], place, int{kF32},
                   n == 2 ? int{kOnDevice} : int{kOnHost}, r.comm),
              kOk);
    factor = 1e9f;
  }
  EXPECT_GE(operations[0], 5);
  hip("hipMemcpyAsync", static_cast<void*>(device), static_cast<const void*>(&factors[2]), sizeof(float), 4,
      ranks_[2].stream);
  const auto ask = [&](const Rank& r) {
    const auto n = static_cast<size_t>(r.rank);
    const void* const send = in.of[n].data();
    void* const receive = to[n].data();
    return rccl("ncclAllReduce", send, receive, count, int{kF32}, operations[n], r.comm, r.stream);
  };
  all(ask);
  wait();
  for (size_t i = 0; i < count; ++i) {
    double want = 0;
    for (size_t r = 0; r < 3; ++r)
      want += static_cast<double>(factors[r]) * float_at(kF32, true, in.at(r, i));
    for (size_t r = 0; r < 3; ++r) ASSERT_NEAR(static_cast<double>(to[r][i]), want, 2e-6);
  }
  for (const Rank& r : ranks_) EXPECT_EQ(rccl("ncclRedOpDestroy", operations[r.rank], r.comm), kOk);
  EXPECT_EQ(ask(ranks_[0]), kBadArgument);
  hip("hipFree", static_cast<void*>(device));
}

TEST_F(Collectives, KeepInfinitiesNansAndDenormals) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  // Pairs of bits and their sum: infinities, a NaN, the smallest denormals, an overflow, a tie to even.
  constexpr uint16_t kHalves[][3] = {{0x7c00, 0x3c00, 0x7c00}, {0x7c00, 0xfc00, 0x7e00},
                                     {0x7e01, 0x3c00, 0x7e00}, {0x0001, 0x0002, 0x0003},
                                     {0x7bff, 0x7bff, 0x7c00}, {0x6800, 0x3c00, 0x6800}};
  constexpr uint16_t kBrains[][3] = {{0x7f80, 0x3f80, 0x7f80}, {0x7f80, 0xff80, 0x7fc0},
                                     {0x7fc1, 0x3f80, 0x7fc0}, {0x0001, 0x0002, 0x0003},
                                     {0x7f7f, 0x7f7f, 0x7f80}, {0x4380, 0x3f80, 0x4380}};
  const auto check = [&](const uint16_t (&rows)[6][3], int type, uint16_t nan) {
    uint16_t data[2][6];
    for (size_t i = 0; i < 6; ++i)
      for (size_t r = 0; r < 2; ++r) data[r][i] = rows[i][r];
    all([&](const Rank& r) {
      void* const place = data[r.rank];
      return rccl("ncclAllReduce", static_cast<const void*>(place), place, size_t{6}, type, int{kSum}, r.comm,
                  r.stream);
    });
    wait();
    for (const auto& got : data)
      for (size_t i = 0; i < 6; ++i) {
        if (rows[i][2] == nan)
          EXPECT_GE(got[i] & 0x7fff, nan) << type << " row " << i;
        else
          EXPECT_EQ(got[i], rows[i][2]) << type << " row " << i;
      }
  };
  check(kHalves, kF16, 0x7e00);
  check(kBrains, kBf16, 0x7fc0);
}

TEST_F(Collectives, LeaveNansOutOfMinimaAndMaxima) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  const float nan = std::nanf("");
  const float from[2][3] = {{nan, 1, nan}, {2, nan, nan}};
  for (const int operation : {kMin, kMax}) {
    float to[2][3];
    all([&](const Rank& r) {
      const void* const send = from[r.rank];
      void* const receive = to[r.rank];
      return rccl("ncclAllReduce", send, receive, size_t{3}, int{kF32}, operation, r.comm, r.stream);
    });
    wait();
    for (const auto& got : to) {
      EXPECT_EQ(got[0], 2);
      EXPECT_EQ(got[1], 1);
      EXPECT_TRUE(std::isnan(got[2]));
    }
  }
}

}  // namespace
