// What ranks of RCCL send to one another: alone, in groups, in rings, and the collectives made of such
// messages.
#include <algorithm>
#include <numeric>

#include "libraries/rccl/rccl_test.h"

namespace {

using namespace wavesmith::libraries;

class Messages : public RcclTest {
 protected:
  Bytes random_bytes(size_t count) {
    Bytes data(count);
    for (uint8_t& each : data) each = static_cast<uint8_t>(random_());
    return data;
  }
  int send(const Rank& from, const Bytes& data, int to) {
    const void* const place = data.data();
    return rccl("ncclSend", place, data.size(), int{kU8}, to, from.comm, from.stream);
  }
  int receive(const Rank& to, Bytes& data, int from) {
    void* const place = data.data();
    return rccl("ncclRecv", place, data.size(), int{kU8}, from, to.comm, to.stream);
  }
};

TEST_F(Messages, GoAroundInARing) {
  for (const int count : {2, 3, 8}) {
    ASSERT_NO_FATAL_FAILURE(start(count));
    const size_t size = below(5000u);
    std::vector<Bytes> from, to(ranks_.size(), Bytes(size));
    for (size_t r = 0; r < ranks_.size(); ++r) from.push_back(random_bytes(size));
    each([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      EXPECT_EQ(rccl("ncclGroupStart"), kOk);
      EXPECT_EQ(send(r, from[n], (r.rank + 1) % count), kOk);
      EXPECT_EQ(receive(r, to[n], (r.rank + count - 1) % count), kOk);
      return rccl("ncclGroupEnd");
    });
    wait();
    for (size_t r = 0; r < ranks_.size(); ++r) EXPECT_EQ(to[(r + 1) % ranks_.size()], from[r]);
    end();
  }
}

TEST_F(Messages, BetweenTwoArriveInTheirOrder) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  std::vector<Bytes> from, to;
  for (int i = 0; i < 20; ++i) {
    from.push_back(random_bytes(below(100u)));
    to.emplace_back(from.back().size());
  }
  // Some in one group, the others alone: the ends need not be grouped alike.
  const size_t grouped = below(from.size());
  EXPECT_EQ(rccl("ncclGroupStart"), kOk);
  for (size_t i = 0; i < grouped; ++i) EXPECT_EQ(send(ranks_[0], from[i], 1), kOk);
  EXPECT_EQ(rccl("ncclGroupEnd"), kOk);
  for (size_t i = grouped; i < from.size(); ++i) EXPECT_EQ(send(ranks_[0], from[i], 1), kOk);
  for (Bytes& each : to) EXPECT_EQ(receive(ranks_[1], each, 0), kOk);
  wait();
  EXPECT_EQ(to, from);
}

TEST_F(Messages, ToOneselfAndCollectivesShareAGroup) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  const Bytes from = random_bytes(1000);
  std::vector<Bytes> own(3, Bytes(1000)), whole(3, Bytes(3000));
  std::vector<int> sums = {1, 10, 100};
  EXPECT_EQ(rccl("ncclGroupStart"), kOk);
  all([&](const Rank& r) {  // a group in a group
    const auto n = static_cast<size_t>(r.rank);
    const void* const send_place = from.data();
    void *const gathered = whole[n].data(), *const sum = &sums[n];
    EXPECT_EQ(receive(r, own[n], r.rank), kOk);
    EXPECT_EQ(rccl("ncclAllReduce", static_cast<const void*>(sum), sum, size_t{1}, int{kI32}, int{kSum},
                   r.comm, r.stream),
              kOk);
    EXPECT_EQ(rccl("ncclAllGather", send_place, gathered, size_t{1000}, int{kU8}, r.comm, r.stream), kOk);
    return send(r, from, r.rank);
  });
  EXPECT_EQ(sums[0], 1);  // nothing happens before the outer group ends
  EXPECT_EQ(rccl("ncclGroupEnd"), kOk);
  wait();
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(own[r], from);
    EXPECT_EQ(sums[r], 111);
    for (size_t part = 0; part < 3; ++part)
      EXPECT_TRUE(std::equal(from.begin(), from.end(), whole[r].data() + part * 1000));
  }
}

TEST_F(Messages, AreSentAndAnsweredWithoutAGroup) {
  ASSERT_NO_FATAL_FAILURE(start(2));
  const Bytes there = random_bytes(333), back = random_bytes(44);
  Bytes got_there(333), got_back(44);
  std::vector<int> sums = {3, 4};
  // One rank's send comes before its collective, the other's receive in the same group as that.
  EXPECT_EQ(send(ranks_[0], there, 1), kOk);
  void *const first = &sums[0], *const second = &sums[1];
  EXPECT_EQ(rccl("ncclAllReduce", static_cast<const void*>(first), first, size_t{1}, int{kI32}, int{kSum},
                 ranks_[0].comm, ranks_[0].stream),
            kOk);
  EXPECT_EQ(rccl("ncclGroupStart"), kOk);
  EXPECT_EQ(rccl("ncclAllReduce", static_cast<const void*>(second), second, size_t{1}, int{kI32}, int{kSum},
                 ranks_[1].comm, ranks_[1].stream),
            kOk);
  EXPECT_EQ(receive(ranks_[1], got_there, 0), kOk);
  EXPECT_EQ(rccl("ncclGroupEnd"), kOk);
  EXPECT_EQ(send(ranks_[1], back, 0), kOk);
  EXPECT_EQ(receive(ranks_[0], got_back, 1), kOk);
  wait();
  EXPECT_EQ(got_there, there);
  EXPECT_EQ(got_back, back);
  EXPECT_EQ(sums, (std::vector<int>{7, 7}));
}

TEST_F(Messages, GatherAndScatter) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  for (const bool in_place : {false, true}) {
    const size_t part = 1 + below(1000u);
    const int root = below(3);
    const auto at_root = static_cast<size_t>(root);
    std::vector<Bytes> from;
    Bytes whole, gathered(3 * part), scattered[3];
    for (int r = 0; r < 3; ++r) {
      from.push_back(random_bytes(part));
      whole.insert(whole.end(), from.back().begin(), from.back().end());
      scattered[r].resize(part);
    }
    if (in_place) std::copy_n(from[at_root].data(), part, gathered.data() + at_root * part);
    Bytes spread = whole;
    all([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const bool own = in_place && r.rank == root;
      const void* const send = own ? gathered.data() + n * part : from[n].data();
      void* const receive = r.rank == root ? gathered.data() : nullptr;
      return rccl("ncclGather", send, receive, part, int{kU8}, root, r.comm, r.stream);
    });
    all([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const void* const send = r.rank == root ? spread.data() : nullptr;
      void* const receive = in_place && r.rank == root ? spread.data() + n * part : scattered[n].data();
      return rccl("ncclScatter", send, receive, part, int{kU8}, root, r.comm, r.stream);
    });
    wait();
    EXPECT_EQ(gathered, whole);
    EXPECT_EQ(spread, whole);
    for (size_t r = 0; r < 3; ++r)
      if (!in_place || r != at_root) EXPECT_EQ(scattered[r], from[r]);
  }
}

TEST_F(Messages, FromAllToAll) {
  for (const int count : {2, 3, 8}) {
    ASSERT_NO_FATAL_FAILURE(start(count));
    const size_t ranks = ranks_.size(), part = 1 + below(500u);
    std::vector<std::vector<int16_t>> from(ranks), to(ranks), back(ranks);
    for (size_t r = 0; r < ranks; ++r) {
      from[r].resize(ranks * part);
      to[r].resize(ranks * part);
      for (int16_t& each : from[r]) each = static_cast<int16_t>(random_());
    }
    all([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const void* const send = from[n].data();
      void* const receive = to[n].data();
      return rccl("ncclAllToAll", send, receive, part, int{kF16}, r.comm, r.stream);
    });
    wait();
    for (size_t r = 0; r < ranks; ++r)
      for (size_t s = 0; s < ranks; ++s)
        ASSERT_TRUE(
            std::equal(to[r].data() + s * part, to[r].data() + (s + 1) * part, from[s].data() + r * part));
    end();
  }
}

TEST_F(Messages, FromAllToAllOfDifferentSizes) {
  for (const bool in_place : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(start(3));
    size_t counts[3][3], sends_at[3][3], receives_at[3][3], receives[3][3];
    constexpr size_t kRoom = 1200;
    for (auto& row : counts)
      for (size_t& each : row) each = below(4u) == 0 ? 0 : below(400u);
    std::vector<std::vector<float>> from(3, std::vector<float>(kRoom)), to = from;
    for (size_t r = 0; r < 3; ++r) {
      size_t sent = 0, received = 0;
      for (size_t s = 0; s < 3; ++s) {
        sends_at[r][s] = sent;
        sent += counts[r][s];
        receives[r][s] = counts[s][r];
        receives_at[r][s] = received;
        received += counts[s][r];
      }
      for (float& each : from[r]) each = static_cast<float>(number());
    }
    auto data = from;
    all([&](const Rank& r) {
      const auto n = static_cast<size_t>(r.rank);
      const void* const send = data[n].data();
      void* const receive = in_place ? data[n].data() : to[n].data();
      return rccl("ncclAllToAllv", send, static_cast<const size_t*>(counts[n]),
                  static_cast<const size_t*>(sends_at[n]), receive, static_cast<const size_t*>(receives[n]),
                  static_cast<const size_t*>(receives_at[n]), int{kF32}, r.comm, r.stream);
    });
    wait();
    for (size_t r = 0; r < 3; ++r)
      for (size_t s = 0; s < 3; ++s)
        for (size_t i = 0; i < counts[s][r]; ++i)
          ASSERT_EQ((in_place ? data : to)[r][receives_at[r][s] + i], from[s][sends_at[s][r] + i]);
    end();
  }
}

TEST_F(Messages, OfDifferentSizesAtTheirEndsAreAnErrorOfAll) {
  ASSERT_NO_FATAL_FAILURE(start(3));
  const Bytes from(100);
  Bytes to(99, 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(send(ranks_[0], from, 1), kOk);
  EXPECT_EQ(receive(ranks_[1], to, 0), kOk);
  wait();
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("rank 1 receives 99 bytes from rank 0, which sends 100"),
      std::string::npos);
  EXPECT_EQ(to, Bytes(99, 7));
  for (const Rank& r : ranks_) EXPECT_EQ(state(r), kBadUsage);
}

}  // namespace
