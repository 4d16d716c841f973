// Runs a row's body on terms: the visitor that turns bodies into expressions. Which rows have one follows
// from their signatures: those of integers, of masks of lanes and of SCC. What a body of floats computes
// stays with the body; of such a row is known what it reads and writes.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "isa/meaning/term.h"
#include "isa/row.h"
#include "isa/wave.h"

namespace wavesmith::isa {

namespace meaning {

/// What a body receives for a source. There is none for floats, parts of registers and immediates.
template <class Tag>
struct Stand {};
// clang-format off
template <> struct Stand<u16> { using type = Term<uint16_t>; };
template <> struct Stand<i16> { using type = Term<int16_t>; };
template <> struct Stand<u32> { using type = Term<uint32_t>; };
template <> struct Stand<i32> { using type = Term<int32_t>; };
template <> struct Stand<u64> { using type = Term<uint64_t>; };
template <> struct Stand<i64> { using type = Term<int64_t>; };
template <> struct Stand<bit> { using type = Term<bool>; };
template <> struct Stand<vcc> { using type = Term<bool>; };
template <> struct Stand<scc> { using type = Term<bool>; };
template <> struct Stand<exec> { using type = Term<uint64_t>; };
template <> struct Stand<exec32> { using type = Term<uint32_t>; };
template <> struct Stand<m0> { using type = Term<uint32_t>; };
template <> struct Stand<lane_number> { using type = Term<uint32_t>; };
template <> struct Stand<row> { using type = LanesTerm; };
template <class T> struct Stand<old<T>> : Stand<T> {};
// clang-format on

/// The type of a result. A whole register is none: its body writes it lane by lane.
template <class Tag>
struct Outcome : Stand<Tag> {};
template <>
struct Outcome<row> {};
template <>
struct Outcome<row_in_place> {};
/// What v_cmpx_* leave in EXEC is one bit of each lane.
template <>
struct Outcome<exec> {
  using type = Term<bool>;
};

template <class Tag>
concept Source = requires { typename Stand<Tag>::type; };
template <class Tag>
concept Result = requires { typename Outcome<Tag>::type; };

template <class R>
struct Results_ {
  using tags = out<R>;
  static constexpr bool kTraceable = Result<R>;
};
template <class... R>
struct Results_<out<R...>> {
  using tags = out<R...>;
  static constexpr bool kTraceable = (Result<R> && ...);
};

template <class Signature>
struct Traceable;
template <class R, class... A>
struct Traceable<R(A...)> {
  static constexpr bool kValue = Results_<R>::kTraceable && (Source<A> && ...);
};

template <class Tag>
typename Stand<Tag>::type source(int number) {
  using Stands = typename Stand<Tag>::type;
  Builder& builder = Tracer::current().builder;
  if constexpr (std::is_same_v<Tag, row>) {
    const auto lanes = Term<int32_t>(Term<int32_t>::At{builder.leaf(Op::WaveLanes, 32)});
    return {builder.leaf(Op::Source, 32, static_cast<uint64_t>(number)), lanes};
  } else {
    constexpr bool kNumber = std::is_same_v<Tag, lane_number>;
    constexpr int kWidth = term::kBits<typename term::Inner<Stands>::type>;
    return Stands(typename Stands::At{kNumber
                                          ? builder.leaf(Op::LaneNumber, kWidth)
                                          : builder.leaf(Op::Source, kWidth, static_cast<uint64_t>(number))});
  }
}

/// A result, which a body may give as a term of another width, a number or a mask that is the same in all
/// lanes.
template <class V>
Expression::Id result(V value) {
  if constexpr (std::is_same_v<V, Mask>)
    return Tracer::current().builder.constant(value[0], 1);
  else if constexpr (!term::kIs<V>)
    return term::as<V>(value);
  else
    return value.id;
}
template <class V>
std::vector<Expression::Id> results(const V& value) {
  if constexpr (requires { value.third; })
    return {result(value.first), result(value.second), result(value.third)};
  else if constexpr (requires { value.second; })
    return {result(value.first), result(value.second)};
  else
    return {result(value)};
}

template <class Signature>
struct Call;
template <class R, class... A>
struct Call<R(A...)> {
  /// The numbers of the sources: only what is read has one.
  static constexpr auto numbers() {
    std::array<int, sizeof...(A) + 1> number{};
    int next = 0, i = 0;
    ((number[static_cast<size_t>(i++)] = std::is_same_v<A, lane_number> ? -1 : next++), ...);
    return number;
  }
  template <class Body, size_t... I>
  static auto of(std::index_sequence<I...>) {
    return results(Body{}(source<A>(numbers()[I])...));
  }
  template <class Body>
  static auto of() {
    return of<Body>(std::index_sequence_for<A...>{});
  }
};

}  // namespace meaning

/// Whether a signature's body runs on terms.
template <class Signature>
inline constexpr bool kTraceable = meaning::Traceable<Signature>::kValue;

/// The expression of a row. It has no results where the body takes too many paths.
template <class Signature, class Body>
const Expression* traced() {
  // Never destroyed: kernels may be read while the process ends.
  static const Expression* const expression =
      new Expression(Tracer().trace([] { return meaning::Call<Signature>::template of<Body>(); }));
  return expression;
}

}  // namespace wavesmith::isa
