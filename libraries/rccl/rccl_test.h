// For tests of RCCL: ranks on emulated GPUs, and elements of all types with their values as doubles, by
// formulas of their own.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "libraries/shim/seeded_test.h"

namespace wavesmith::libraries {

/// Sets the machine before anything reads it: eight GPUs with FNUZ's 8-bit floats, two with OCP's.
inline const bool rccl_machine = setenv("WAVESMITH_GPU", "mi300x:8,mi355x:2", 1) == 0;

// ncclDataType_t, ncclRedOp_t and ncclResult_t.
enum Type { kI8, kU8, kI32, kU32, kI64, kU64, kF16, kF32, kF64, kBf16, kE4m3, kE5m2, kTypes };
enum { kSum, kProd, kMax, kMin, kAvg };
enum { kOk = 0, kBadArgument = 4, kBadUsage = 5, kRemote = 6, kUnderWay = 7 };

struct UniqueId {
  char bytes[128];
};

inline size_t width(int type) {
  constexpr size_t kWidths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kWidths[type];
}
inline bool is_integer(int type) { return type <= kU64; }

/// Of a float of a type: bits of the mantissa, the bias of its exponent, and its largest number.
struct Format {
  int mantissa, bias;
  double largest;
};
inline Format format(int type, bool fnuz) {
  switch (type) {
    case kF16:
      return {10, 15, 65504};
    case kBf16:
      return {7, 127, 3.3895313892515355e38};
    case kF32:
      return {23, 127, 3.4028234663852886e38};
    case kF64:
      return {52, 1023, 1.7976931348623157e308};
    case kE4m3:
      return fnuz ? Format{3, 8, 240} : Format{3, 7, 448};
    default:
      return fnuz ? Format{2, 16, 57344} : Format{2, 15, 57344};
  }
}

inline double float_at(int type, bool fnuz, const void* place) {
  if (type == kF32) return static_cast<double>(*static_cast<const float*>(place));
  if (type == kF64) return *static_cast<const double*>(place);
  const Format f = format(type, fnuz);
  uint16_t bits = 0;
  std::memcpy(&bits, place, width(type));
  const int all = static_cast<int>(width(type)) * 8 - 1;
  const double sign = bits >> all & 1 ? -1 : 1;
  const int fraction = bits & ((1 << f.mantissa) - 1);
  const int exponent = (bits & ((1 << all) - 1)) >> f.mantissa;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - f.bias - f.mantissa);
  return sign * std::ldexp(fraction + (1 << f.mantissa), exponent - f.bias - f.mantissa);
}

class RcclTest : public SeededTest {
 protected:
  struct Rank {
    int rank = 0, device = 0;
    void *comm = nullptr, *stream = nullptr;
  };

  void SetUp() override {
    SeededTest::SetUp();
    ASSERT_TRUE(rccl_);
  }
  void TearDown() override { end(); }
  void end() {
    for (const Rank& r : ranks_) {
      hip("hipSetDevice", r.device);
      hip("hipStreamSynchronize", r.stream);
      hip("hipStreamDestroy", r.stream);
    }
    for (const Rank& r : ranks_) EXPECT_EQ(rccl("ncclCommDestroy", r.comm), kOk);
    ranks_.clear();
  }

  template <class... Args>
  void hip(const char* name, Args... args) {
    ASSERT_EQ(call(hip_, name, args...), 0) << name;
  }
  template <class... Args>
  int rccl(const char* name, Args... args) {
    return call(rccl_, name, args...);
  }

  /// Ranks on the devices from `first` on, by ncclCommInitAll.
  void start(int count, int first = 0) {
    std::vector<int> devices;
    for (int i = 0; i < count; ++i) devices.push_back(first + i);
    std::vector<void*> comms(devices.size());
    ASSERT_EQ(rccl("ncclCommInitAll", comms.data(), count, static_cast<const int*>(devices.data())), kOk);
    take(comms, first);
  }
  void take(const std::vector<void*>& comms, int first = 0) {
    for (size_t i = 0; i < comms.size(); ++i) {
      Rank r{static_cast<int>(i), first + static_cast<int>(i), comms[i], nullptr};
      hip("hipSetDevice", r.device);
      hip("hipStreamCreateWithFlags", &r.stream, 1u);
      ranks_.push_back(r);
    }
  }
  /// Calls `ask` for every rank, in one thread and one group.
  void all(const std::function<int(const Rank&)>& ask) {
    ASSERT_EQ(rccl("ncclGroupStart"), kOk);
    for (const Rank& r : ranks_) ASSERT_EQ(ask(r), kOk);
    ASSERT_EQ(rccl("ncclGroupEnd"), kOk);
  }
  /// Calls `ask` for every rank, in a thread of its own.
  void each(const std::function<int(const Rank&)>& ask) {
    std::vector<std::thread> threads;
    for (const Rank& r : ranks_)
      threads.emplace_back([&] {
        hip("hipSetDevice", r.device);
        EXPECT_EQ(ask(r), kOk);
      });
    for (std::thread& thread : threads) thread.join();
  }
  void wait() {
    for (const Rank& r : ranks_) hip("hipStreamSynchronize", r.stream);
  }
  UniqueId id() {
    UniqueId made;
    EXPECT_EQ(rccl("ncclGetUniqueId", &made), kOk);
    return made;
  }
  int sum(const Rank& r, int* data, size_t count = 1) {
    return rccl("ncclAllReduce", static_cast<const void*>(data), static_cast<void*>(data), count, int{kI32},
                int{kSum}, r.comm, r.stream);
  }
  int state(const Rank& r) {
    int error = -1;
    EXPECT_EQ(rccl("ncclCommGetAsyncError", r.comm, &error), kOk);
    return error;
  }

  using Bytes = std::vector<uint8_t>;
  /// Random elements, without NaN and infinity, whose products over ranks stay in the type's range.
  Bytes elements(int type, size_t count, bool fnuz) {
    Bytes data(count * width(type));
    for (size_t i = 0; i < count; ++i) {
      uint8_t* const to = data.data() + i * width(type);
      if (is_integer(type)) {
        const uint64_t bits = random_() * 0x100000000ull + random_();
        std::memcpy(to, &bits, width(type));
      } else if (type == kF32) {
        const auto value = static_cast<float>(2 * number());
        std::memcpy(to, &value, sizeof value);
      } else if (type == kF64) {
        const double value = 2 * number();
        std::memcpy(to, &value, sizeof value);
      } else {
        const Format f = format(type, fnuz);
        const auto exponent = static_cast<unsigned>(f.bias + 1 - below(5));
        const unsigned fraction = random_() & ((1u << f.mantissa) - 1);
        const unsigned bits = (random_() & 1) << (width(type) * 8 - 1) | exponent << f.mantissa | fraction;
        std::memcpy(to, &bits, width(type));
      }
    }
    return data;
  }

  void* const rccl_ = open_library("librccl.so.1");
  std::vector<Rank> ranks_;
};

}  // namespace wavesmith::libraries
