// A term stands for a number of type T that is not known: what a body does to it becomes a node of an
// expression. It takes the operators that packs and scalars take, so that a body is written once for all
// three. What C++ does not let a type say (`?:`, `if`, `&&`) asks for a truth value; the tracer then runs the
// body once for each answer and joins the results.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "isa/meaning/expression.h"
#include "isa/pack.h"

namespace wavesmith::isa {

/// Runs a body along every path that conditions on terms leave open.
class Tracer {
 public:
  /// The one that terms of this thread write to.
  static Tracer& current() { return *current_; }

  Builder builder;
  /// What a body's condition is on this path.
  bool decide(Expression::Id condition);
  /// `run` gives the results of one path. No expression (no results) where there are more than kMostPaths.
  template <class Run>
  Expression trace(Run&& run) {
    Tracer* const before = current_;
    current_ = this;
    const std::vector<Expression::Id> results = explore(0, run);
    current_ = before;
    return builder.finish(paths_ > kMostPaths ? std::vector<Expression::Id>{} : results);
  }

 private:
  static constexpr int kMostPaths = 64;
  struct Decision {
    Expression::Id condition;
    bool taken;
  };
  /// The results of all paths that begin with the first `given` decisions.
  template <class Run>
  std::vector<Expression::Id> explore(size_t given, Run& run) {
    next_ = 0;
    std::vector<Expression::Id> results = run();
    if (++paths_ > kMostPaths) return results;
    const std::vector<Decision> made = decisions_;
    for (size_t d = made.size(); d-- > given;) {
      decisions_.assign(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(d) + 1);
      decisions_.back().taken = false;
      const std::vector<Expression::Id> others = explore(d + 1, run);
      for (size_t r = 0; r < results.size(); ++r)
        results[r] = builder.select(made[d].condition, results[r], others[r]);
    }
    return results;
  }

  inline static thread_local Tracer* current_ = nullptr;
  std::vector<Decision> decisions_;
  size_t next_ = 0;
  int paths_ = 0;
};

template <class T>
struct Term;

namespace term {

template <class T>
inline constexpr int kBits = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);

template <class X>
struct Inner {
  using type = X;
};
template <class T>
struct Inner<Term<T>> {
  using type = T;
};
template <class X>
inline constexpr bool kIs = !std::is_same_v<typename Inner<X>::type, X>;

/// At least one is a term, the other one a term or a number.
template <class A, class B>
concept Operands = (kIs<A> && (kIs<B> || std::is_arithmetic_v<B>)) || (std::is_arithmetic_v<A> && kIs<B>);

/// What two types are computed in: of two terms as in C; beside a term a number takes the term's type, as
/// beside a pack, unless it alone is 64 bits wide.
template <class A, class B>
auto joined() {
  using X = typename Inner<A>::type;
  using Y = typename Inner<B>::type;
  if constexpr (std::is_same_v<X, Y> || (kIs<A> && kIs<B> && sizeof(X) == sizeof(Y)))
    return std::conditional_t<std::is_unsigned_v<Y>, Y, X>{};
  else if constexpr (kIs<A> && kIs<B>)
    return std::conditional_t<(sizeof(X) > sizeof(Y)), X, Y>{};
  else if constexpr (kIs<A>)
    return std::conditional_t<(sizeof(Y) == 8 && sizeof(X) == 4), Y, X>{};
  else
    return std::conditional_t<(sizeof(X) == 8 && sizeof(Y) == 4), X, Y>{};
}

}  // namespace term

template <class T>
struct Term {
  Expression::Id id;

  struct At {
    Expression::Id id;
  };
  explicit Term(At at) : id(at.id) {}
  Term() : Term(T{}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a number beside a term is a term, as it is a pack beside
  // one.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Term(Number value)
      : id(Tracer::current().builder.constant(static_cast<uint64_t>(static_cast<T>(value)), term::kBits<T>)) {
  }

  explicit operator bool() const;
  Term& operator+=(const Term& other) { return *this = *this + other; }
  Term& operator|=(const Term& other) { return *this = *this | other; }
  Term& operator&=(const Term& other) { return *this = *this & other; }
};

namespace term {

/// A term or a number as a term of another type.
template <class T, class X>
Expression::Id as(X x) {
  if constexpr (!kIs<X>) {
    return Term<T>(x).id;
  } else {
    using From = typename Inner<X>::type;
    constexpr int kTo = kBits<T>, kFrom = kBits<From>;
    Builder& builder = Tracer::current().builder;
    if constexpr (kTo > kFrom)
      return builder.unary(std::is_signed_v<From> ? Op::SignExtend : Op::ZeroExtend, kTo, x.id);
    else if constexpr (kTo < kFrom)
      return builder.unary(Op::Truncate, kTo, x.id);
    else
      return x.id;
  }
}
template <class A, class B>
auto binary(Op op, A a, B b) {
  using T = decltype(joined<A, B>());
  return Term<T>(typename Term<T>::At{Tracer::current().builder.binary(op, kBits<T>, as<T>(a), as<T>(b))});
}
template <class A, class B>
Term<bool> comparison(Op op, A a, B b) {
  using T = decltype(joined<A, B>());
  if (op == Op::Less && std::is_signed_v<T>) op = Op::LessSigned;
  return Term<bool>(Term<bool>::At{Tracer::current().builder.binary(op, 1, as<T>(a), as<T>(b))});
}
template <class A, class B>
auto shift(Op op, A a, B b) {
  // The amount keeps its own width; a number is shifted in the type of its amount, or in its own if wider.
  using T = std::conditional_t<kIs<A>, typename Inner<A>::type, decltype(joined<A, B>())>;
  using Amount = std::conditional_t<kIs<B>, typename Inner<B>::type, T>;
  if (op == Op::ShiftRight && std::is_signed_v<T>) op = Op::ShiftRightSigned;
  return Term<T>(
      typename Term<T>::At{Tracer::current().builder.binary(op, kBits<T>, as<T>(a), as<Amount>(b))});
}
template <class T>
Term<T> unary(Op op, Term<T> a) {
  return Term<T>(typename Term<T>::At{Tracer::current().builder.unary(op, kBits<T>, a.id)});
}
inline Term<bool> not_of(Term<bool> a) {
  return Term<bool>(Term<bool>::At{Tracer::current().builder.complement(a.id)});
}

}  // namespace term

// clang-format off
template <class A, class B> requires term::Operands<A, B> auto operator+(A a, B b) { return term::binary(Op::Add, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator-(A a, B b) { return term::binary(Op::Subtract, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator*(A a, B b) { return term::binary(Op::Multiply, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator&(A a, B b) { return term::binary(Op::And, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator|(A a, B b) { return term::binary(Op::Or, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator^(A a, B b) { return term::binary(Op::Xor, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator<<(A a, B b) { return term::shift(Op::ShiftLeft, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator>>(A a, B b) { return term::shift(Op::ShiftRight, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator==(A a, B b) { return term::comparison(Op::Equal, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator!=(A a, B b) { return term::not_of(a == b); }
template <class A, class B> requires term::Operands<A, B> auto operator<(A a, B b)  { return term::comparison(Op::Less, a, b); }
template <class A, class B> requires term::Operands<A, B> auto operator>(A a, B b)  { return term::comparison(Op::Less, b, a); }
template <class A, class B> requires term::Operands<A, B> auto operator<=(A a, B b) { return term::not_of(b < a); }
template <class A, class B> requires term::Operands<A, B> auto operator>=(A a, B b) { return term::not_of(a < b); }
template <class T> Term<T> operator~(Term<T> a) { return Term<T>(typename Term<T>::At{Tracer::current().builder.complement(a.id)}); }
// clang-format on

template <class T>
Term<T>::operator bool() const {
  return Tracer::current().decide((*this != T{}).id);
}

// What isa/pack.h does to packs and scalars.
template <class T>
struct detail::PackElement<Term<T>> {
  using type = T;
};
template <class To, class From>
Term<To> convert(Term<From> from) {
  return Term<To>(typename Term<To>::At{term::as<To>(from)});
}
template <class To, class From>
auto bits(Term<From> from) {
  using T = ElementOf<To>;
  static_assert(sizeof(T) == sizeof(From));
  return Term<T>(typename Term<T>::At{from.id});
}
inline Term<bool> lanes(Term<bool> comparison) { return comparison; }
template <class T>
Term<T> choose(Term<bool> condition, Term<T> a, Term<T> b) {
  return Term<T>(typename Term<T>::At{Tracer::current().builder.select(condition.id, a.id, b.id)});
}
template <class T>
Term<T> smaller(Term<T> a, Term<T> b) {
  return choose(a < b, a, b);
}
template <class T>
Term<T> larger(Term<T> a, Term<T> b) {
  return choose(a < b, b, a);
}
template <class T>
Term<T> add_saturated(Term<T> a, Term<T> b) {
  static_assert(sizeof(T) < 8);
  return saturated<T>(convert<int64_t>(a) + convert<int64_t>(b));
}
template <class T>
Term<T> subtract_saturated(Term<T> a, Term<T> b) {
  static_assert(sizeof(T) < 8);
  return saturated<T>(convert<int64_t>(a) - convert<int64_t>(b));
}
template <class T>
Term<T> count_leading_zeros(Term<T> a) {
  return term::unary(Op::LeadingZeros, a);
}
template <class T>
Term<T> count_trailing_zeros(Term<T> a) {
  return term::unary(Op::TrailingZeros, a);
}
template <class T>
Term<T> count_ones(Term<T> a) {
  return term::unary(Op::Ones, a);
}
template <class T>
Term<T> reverse_bits(Term<T> a) {
  return term::unary(Op::ReverseBits, a);
}

/// A register of all lanes of which one is read.
struct LanesTerm {
  Expression::Id id;
  Term<int32_t> count;
  Term<uint32_t> operator[](Term<int32_t> lane) const {
    return Term<uint32_t>(
        Term<uint32_t>::At{Tracer::current().builder.binary(Op::ReadLane, 32, id, lane.id)});
  }
};

}  // namespace wavesmith::isa
