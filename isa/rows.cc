#include "isa/rows.h"

#include <vector>

#include "isa/families.h"
#include "isa/meaning/trace.h"

namespace wavesmith::isa {
namespace {

struct Facts_ {
  std::vector<Row> rows;
  template <class Signature, class Body>
  void add(Shape shape, std::string_view names, Facts facts) {
    Row row = make_row<Signature>(shape, names, facts);
    if constexpr (kTraceable<Signature>) row.meaning = &traced<Signature, Body>;
    rows.push_back(row);
  }
  template <class Signature, class Body>
  void operator()(LaneSignature<Signature>, std::string_view names, Body, Facts facts = {}) {
    add<Signature, Body>(Shape::Lane, names, facts);
  }
  template <class Signature, class Body>
  void operator()(RareSignature<Signature>, std::string_view names, Body, Facts facts = {}) {
    add<Signature, Body>(Shape::Lane, names, facts);
  }
  template <class Signature, class Body>
  void operator()(ScalarSignature<Signature>, std::string_view names, Body, Facts facts = {}) {
    add<Signature, Body>(Shape::Scalar, names, facts);
  }
  template <class Signature, class Body>
  void operator()(PackedSignature<Signature>, std::string_view names, Body, Facts facts = {}) {
    rows.push_back(make_row<Signature>(Shape::Packed, names, facts));
  }
  template <class Signature, class Body>
  void operator()(WaveSignature<Signature>, std::string_view names, Body, Facts facts = {}) {
    add<Signature, Body>(Shape::Wave, names, facts);
  }
  void operator()(const MatrixInstruction& instruction) { rows.push_back(make_matrix_row(instruction)); }
  template <class E>
  void operator()(LoadSignature<E>, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_access<E>(Direction::Load), facts));
  }
  template <class E>
  void operator()(StoreSignature<E>, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_access<E>(Direction::Store), facts));
  }
  template <class T, class... Second, class Body>
  void operator()(AtomicSignature<T, Second...>, std::string_view names, Body, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_atomic_access<T>(1 + sizeof...(Second)), facts));
  }
  template <class E>
  void operator()(PairSignature<E> pair, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_access<E>(pair.direction, 2), facts));
  }
  void operator()(FormattedSignature signature, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_formatted_access(signature), facts));
  }
  void operator()(TransposedLoadSignature signature, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_transposed_access(signature), facts));
  }
  void operator()(BlockSignature signature, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_block_access(signature), facts));
  }
  void operator()(LdsLaneSignature signature, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_lds_lane_access(signature.what), facts));
  }
  template <class E>
  void operator()(ScalarLoadSignature<E>, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_scalar_access<E>(Direction::Load), facts));
  }
  template <class E>
  void operator()(ScalarStoreSignature<E>, std::string_view names, Facts facts = {}) {
    rows.push_back(make_memory_row(names, make_scalar_access<E>(Direction::Store), facts));
  }
};

const std::vector<Row>& all() {
  // Never destroyed: kernels may run on while the process ends.
  static const auto& rows = *new std::vector<Row>([] {
    Facts_ facts;
    every_family(facts);
    return facts.rows;
  }());
  return rows;
}

}  // namespace

std::span<const Row> rows() { return all(); }

}  // namespace wavesmith::isa
