// What an instruction computes, as data: the operations that its row's body makes of its sources. The body is
// written once, in C++ (isa/row.h); isa/meaning/trace.h runs it on terms, which note what is done to them.
// Whoever asks what an instruction does to values that are no plain numbers (formulas, sets of lanes, what is
// initialised) evaluates the expression over a domain (isa/meaning/evaluate.h) and names no instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace wavesmith::isa {

/// Operations on bit patterns. What has a sign says so; every other one is the same for both.
enum class Op : uint8_t {
  // Leaves.
  Constant,    ///< Node::constant
  Source,      ///< what the row's role number `constant` of those that read holds
  LaneNumber,  ///< of the lane that computes
  WaveLanes,   ///< lanes of the wave
  // Of one argument.
  ZeroExtend,
  SignExtend,
  Truncate,
  LeadingZeros,   ///< of 0: the width
  TrailingZeros,  ///< of 0: the width
  Ones,           ///< how many bits are set
  ReverseBits,
  // Of two. Shifts use the low bits of their amount, as many as name a bit.
  Add,
  Subtract,
  Multiply,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  Equal,
  Less,
  LessSigned,
  ReadLane,  ///< what the first argument's register holds in the lane whose number is the second
  // Of three.
  Select,  ///< the second where the first is 1, otherwise the third
};

/// An operation on earlier nodes.
struct Node {
  Op op;
  uint8_t bits;      ///< of the result; 1: true or false
  uint8_t from = 0;  ///< bits of the first argument
  uint8_t count = 0;
  uint16_t arguments[3] = {};
  uint64_t constant = 0;
};

/// The low `bits` set.
constexpr uint64_t low_bits(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

/// The result of an operation, not a leaf and not ReadLane, on numbers; unused bits of arguments and result
/// are 0.
uint64_t compute(const Node& node, uint64_t a, uint64_t b, uint64_t c);

/// Results over a list of nodes. Equal nodes stand in it once.
class Expression {
 public:
  using Id = uint16_t;
  [[nodiscard]] const Node& node(Id id) const { return nodes_[id]; }
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  /// The roots, in the order of the signature's results.
  [[nodiscard]] const std::vector<Id>& results() const { return results_; }
  [[nodiscard]] bool is_constant(Id id, uint64_t value) const {
    return nodes_[id].op == Op::Constant && nodes_[id].constant == value;
  }
  /// Whether `id` is the complement of another node, which it then names.
  [[nodiscard]] bool is_complement(Id id, Id& of) const;

 private:
  friend class Builder;
  std::vector<Node> nodes_;
  std::vector<Id> results_;
};

/// Makes an expression, in its simplest form where that is easy to see: operations on constants are done,
/// those that change nothing are left out.
class Builder {
 public:
  using Id = Expression::Id;
  Id leaf(Op op, int bits, uint64_t constant = 0);
  Id constant(uint64_t value, int bits) { return leaf(Op::Constant, bits, value & low_bits(bits)); }
  Id unary(Op op, int bits, Id a);
  Id binary(Op op, int bits, Id a, Id b);
  Id select(Id condition, Id a, Id b);
  Id complement(Id a) { return binary(Op::Xor, node(a).bits, a, constant(~uint64_t{0}, node(a).bits)); }
  [[nodiscard]] const Node& node(Id id) const { return expression_.nodes_[id]; }
  [[nodiscard]] const Expression& expression() const { return expression_; }
  /// The finished expression, without nodes that no result needs.
  Expression finish(const std::vector<Id>& results) const;

 private:
  Id add(const Node& node);
  /// The argument that `op` gives back unchanged, or the constant that it comes to; kNothing.
  Id simpler(Op op, int bits, Id a, Id b);
  [[nodiscard]] bool is_constant(Id id, uint64_t value) const { return expression_.is_constant(id, value); }

  using Key = std::tuple<Op, int, Id, Id, Id, uint64_t>;
  Expression expression_;
  std::map<Key, Id> known_;
};

}  // namespace wavesmith::isa
