#include "toolchain/spare_headers.h"

// Names and meanings: Thrust's documentation, "Namespace macros", "thrust/pair.h", "thrust/tuple.h",
// "thrust/swap.h". With these CuPy's kernels, whose complex numbers and tuples live in that namespace,
// compile without rocThrust.
namespace wavesmith::toolchain {
namespace {

constexpr const char* kNamespace = R"(#pragma once
#define THRUST_NS_QUALIFIER ::thrust
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
namespace thrust {}
)";

constexpr const char* kSwap = R"(#pragma once
namespace thrust {
template <class T>
__host__ __device__ inline void swap(T& a, T& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
}
)";

constexpr const char* kPair = R"(#pragma once
#include <thrust/tuple.h>
namespace thrust {
template <class A, class B>
struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  __host__ __device__ constexpr pair() : first(), second() {}
  __host__ __device__ constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D>
  __host__ __device__ constexpr pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
};
template <class A, class B>
__host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <class A, class B>
__host__ __device__ constexpr bool operator==(const pair<A, B>& x, const pair<A, B>& y) { return x.first == y.first && x.second == y.second; }
template <class A, class B>
__host__ __device__ constexpr bool operator!=(const pair<A, B>& x, const pair<A, B>& y) { return !(x == y); }
template <class A, class B>
__host__ __device__ constexpr bool operator<(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <int I, class A, class B>
__host__ __device__ constexpr auto& get(pair<A, B>& p) { if constexpr (I == 0) return p.first; else return p.second; }
template <int I, class A, class B>
__host__ __device__ constexpr const auto& get(const pair<A, B>& p) { if constexpr (I == 0) return p.first; else return p.second; }
}
)";

constexpr const char* kTuple = R"(#pragma once
namespace thrust {
template <class... T>
struct tuple;
template <>
struct tuple<> {};
template <class Head, class... Tail>
struct tuple<Head, Tail...> {
  Head head;
  tuple<Tail...> tail;
  __host__ __device__ constexpr tuple() : head(), tail() {}
  __host__ __device__ constexpr tuple(const Head& first, const Tail&... rest) : head(first), tail(rest...) {}
  template <class H, class... T>
  __host__ __device__ constexpr tuple(const tuple<H, T...>& other) : head(other.head), tail(other.tail) {}
  tuple(const tuple&) = default;
  __host__ __device__ constexpr tuple& operator=(const tuple& other) {
    head = other.head;
    tail = other.tail;
    return *this;
  }
  template <class H, class... T>
  __host__ __device__ constexpr tuple& operator=(const tuple<H, T...>& other) {
    head = other.head;
    tail = other.tail;
    return *this;
  }
};
template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> { static constexpr int value = sizeof...(T); };
template <int I, class T>
struct tuple_element;
template <class Head, class... Tail>
struct tuple_element<0, tuple<Head, Tail...>> { typedef Head type; };
template <int I, class Head, class... Tail>
struct tuple_element<I, tuple<Head, Tail...>> : tuple_element<I - 1, tuple<Tail...>> {};
template <int I, class Head, class... Tail>
__host__ __device__ constexpr auto& get(tuple<Head, Tail...>& t) { if constexpr (I == 0) return t.head; else return get<I - 1>(t.tail); }
template <int I, class Head, class... Tail>
__host__ __device__ constexpr const auto& get(const tuple<Head, Tail...>& t) { if constexpr (I == 0) return t.head; else return get<I - 1>(t.tail); }
template <class... T>
__host__ __device__ constexpr tuple<T...> make_tuple(T... values) { return tuple<T...>(values...); }
template <class... T>
__host__ __device__ constexpr tuple<T&...> tie(T&... values) { return tuple<T&...>(values...); }
__host__ __device__ constexpr bool operator==(const tuple<>&, const tuple<>&) { return true; }
template <class H, class... T>
__host__ __device__ constexpr bool operator==(const tuple<H, T...>& x, const tuple<H, T...>& y) { return x.head == y.head && x.tail == y.tail; }
template <class... T>
__host__ __device__ constexpr bool operator!=(const tuple<T...>& x, const tuple<T...>& y) { return !(x == y); }
__host__ __device__ constexpr bool operator<(const tuple<>&, const tuple<>&) { return false; }
template <class H, class... T>
__host__ __device__ constexpr bool operator<(const tuple<H, T...>& x, const tuple<H, T...>& y) {
  return x.head < y.head || (!(y.head < x.head) && x.tail < y.tail);
}
}
)";

// "Bfloat16" of HIP's math API reference; the headers of HIP 5 have no such file, Triton's of HIP 7 neither.
// Conversion from float rounds to nearest, ties to even, as clang's __bf16 does.
constexpr const char* kBfloat16 = R"(#pragma once
#define __ws_bf16 __host__ __device__ inline constexpr
struct __hip_bfloat16 {
  __bf16 __x;
  __hip_bfloat16() = default;
  __ws_bf16 __hip_bfloat16(float value) : __x(static_cast<__bf16>(value)) {}
  __ws_bf16 __hip_bfloat16(double value) : __x(static_cast<__bf16>(value)) {}
  __ws_bf16 __hip_bfloat16(int value) : __x(static_cast<__bf16>(static_cast<float>(value))) {}
  __ws_bf16 __hip_bfloat16(unsigned value) : __x(static_cast<__bf16>(static_cast<float>(value))) {}
  __ws_bf16 operator float() const { return static_cast<float>(__x); }
  __ws_bf16 __hip_bfloat16& operator+=(__hip_bfloat16 y) { return *this = __hip_bfloat16(float(*this) + float(y)); }
  __ws_bf16 __hip_bfloat16& operator-=(__hip_bfloat16 y) { return *this = __hip_bfloat16(float(*this) - float(y)); }
  __ws_bf16 __hip_bfloat16& operator*=(__hip_bfloat16 y) { return *this = __hip_bfloat16(float(*this) * float(y)); }
  __ws_bf16 __hip_bfloat16& operator/=(__hip_bfloat16 y) { return *this = __hip_bfloat16(float(*this) / float(y)); }
};
__ws_bf16 __hip_bfloat16 operator+(__hip_bfloat16 x, __hip_bfloat16 y) { return x += y; }
__ws_bf16 __hip_bfloat16 operator-(__hip_bfloat16 x, __hip_bfloat16 y) { return x -= y; }
__ws_bf16 __hip_bfloat16 operator*(__hip_bfloat16 x, __hip_bfloat16 y) { return x *= y; }
__ws_bf16 __hip_bfloat16 operator/(__hip_bfloat16 x, __hip_bfloat16 y) { return x /= y; }
__ws_bf16 __hip_bfloat16 operator-(__hip_bfloat16 x) { return __hip_bfloat16(-float(x)); }
__ws_bf16 bool operator==(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) == float(y); }
__ws_bf16 bool operator!=(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) != float(y); }
__ws_bf16 bool operator<(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) < float(y); }
__ws_bf16 bool operator<=(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) <= float(y); }
__ws_bf16 bool operator>(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) > float(y); }
__ws_bf16 bool operator>=(__hip_bfloat16 x, __hip_bfloat16 y) { return float(x) >= float(y); }
__ws_bf16 __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }
__ws_bf16 float __bfloat162float(__hip_bfloat16 x) { return float(x); }
__ws_bf16 unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return __builtin_bit_cast(unsigned short, x.__x); }
__ws_bf16 short __bfloat16_as_short(__hip_bfloat16 x) { return __builtin_bit_cast(short, x.__x); }
__ws_bf16 __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  __hip_bfloat16 y{};
  y.__x = __builtin_bit_cast(__bf16, x);
  return y;
}
__ws_bf16 __hip_bfloat16 __short_as_bfloat16(short x) { return __ushort_as_bfloat16(static_cast<unsigned short>(x)); }
__ws_bf16 bool __hisnan(__hip_bfloat16 x) { return (__bfloat16_as_ushort(x) & 0x7fff) > 0x7f80; }
__ws_bf16 int __hisinf(__hip_bfloat16 x) { return (__bfloat16_as_ushort(x) & 0x7fff) == 0x7f80; }
#undef __ws_bf16
)";

// rocWMMA's API reference, "Namespaces" and "Data types". TileLang's kernels include it, and use only HIP's
// bfloat16 that comes with it; Debian's librocwmma-dev has no rocwmma/internal, without which it compiles
// nothing. Whoever does use it is told why that cannot be.
constexpr const char* kRocwmma = R"(#pragma once
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
namespace rocwmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
using float16_t = _Float16;
using bfloat16_t = ::hip_bfloat16;
using float32_t = float;
using float64_t = double;
template <class Use, unsigned M, unsigned N, unsigned K, class T, class... More>
class fragment {
  static_assert(sizeof(T) == 0, "rocWMMA's own headers are not on this machine: WAVESMITH_HIP_PATH=... or "
                                "ROCM_PATH=... names a ROCm that has rocwmma/internal");
};
}
)";

constexpr SpareHeader kHeaders[] = {
    {"hip/hip_bf16.h", kBfloat16},
    {"rocwmma/rocwmma.hpp", kRocwmma},
    {"thrust/detail/config/namespace.h", kNamespace},
    {"thrust/pair.h", kPair},
    {"thrust/swap.h", kSwap},
    {"thrust/tuple.h", kTuple},
};

}  // namespace

const std::span<const SpareHeader> kSpareHeaders = kHeaders;

}  // namespace wavesmith::toolchain
