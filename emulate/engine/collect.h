// The visitor that turns families of rows into the engine's table.
#pragma once

#include <vector>

#include "emulate/engine/handlers.h"
#include "emulate/engine/lane.h"
#include "emulate/engine/scalar.h"
#include "isa/packed.h"
#include "isa/row.h"
#include "isa/wave.h"

namespace wavesmith::emulate {

class Collector {
 public:
  template <class Signature, class Body>
  void operator()(isa::LaneSignature<Signature>, std::string_view names, Body, isa::Facts facts = {}) {
    Implementation implementation{isa::make_row<Signature>(isa::Shape::Lane, names, facts)};
    implementation.handlers[0][0] = Operation<64, false, Body, Signature>::run;
    implementation.handlers[0][1] = Operation<64, true, Body, Signature>::run;
    if constexpr (OnlySingles<Signature>::value) {
      implementation.signs[0] = LaneOperation<64, false, Body, Signature, true>::run;
      if (facts.generations & isa::kRdna)
        implementation.signs[1] = LaneOperation<32, false, Body, Signature, true>::run;
    }
    if (facts.generations & isa::kRdna) {
      implementation.handlers[1][0] = Operation<32, false, Body, Signature>::run;
      implementation.handlers[1][1] = Operation<32, true, Body, Signature>::run;
    }
    table.push_back(implementation);
  }
  template <class Signature, class Body>
  void operator()(isa::RareSignature<Signature>, std::string_view names, Body, isa::Facts facts = {}) {
    Implementation implementation{isa::make_row<Signature>(isa::Shape::Lane, names, facts)};
    implementation.handlers[0][0] = implementation.handlers[1][0] = Operation<0, false, Body, Signature>::run;
    table.push_back(implementation);
  }
  template <class Signature, class Body>
  void operator()(isa::ScalarSignature<Signature>, std::string_view names, Body, isa::Facts facts = {}) {
    Implementation implementation{isa::make_row<Signature>(isa::Shape::Scalar, names, facts)};
    implementation.handlers[0][0] = implementation.handlers[1][0] = ScalarOperation<Body, Signature>::run;
    table.push_back(implementation);
  }

  // Memory rows: the handlers of the access, which follows a micro-operation that made the addresses.
  template <class E>
  void operator()(isa::LoadSignature<E>, std::string_view names, isa::Facts facts = {});
  template <class E>
  void operator()(isa::StoreSignature<E>, std::string_view names, isa::Facts facts = {});
  template <class T, class... Second, class Body>
  void operator()(isa::AtomicSignature<T, Second...>, std::string_view names, Body, isa::Facts facts = {});
  template <class E>
  void operator()(isa::PairSignature<E> pair, std::string_view names, isa::Facts facts = {}) {
    table.push_back({isa::make_memory_row(names, isa::make_access<E>(pair.direction, 2), facts)});
  }
  void operator()(isa::FormattedSignature signature, std::string_view names, isa::Facts facts = {});
  void operator()(isa::TransposedLoadSignature signature, std::string_view names, isa::Facts facts = {});
  void operator()(isa::BlockSignature signature, std::string_view names, isa::Facts facts = {});
  void operator()(isa::LdsLaneSignature signature, std::string_view names, isa::Facts facts = {});
  template <class E>
  void operator()(isa::ScalarLoadSignature<E>, std::string_view names, isa::Facts facts = {});
  template <class E>
  void operator()(isa::ScalarStoreSignature<E>, std::string_view names, isa::Facts facts = {});

  // Packed and wave rows: defined in packed.h and wave_operation.h.
  template <class Signature, class Body>
  void operator()(isa::PackedSignature<Signature>, std::string_view names, Body, isa::Facts facts = {});
  template <class Signature, class Body>
  void operator()(isa::WaveSignature<Signature>, std::string_view names, Body, isa::Facts facts = {});
  /// Defined in matrix.cc.
  void operator()(const isa::MatrixInstruction& instruction);

  std::vector<Implementation> table;

 private:
  template <int kWaveLanes, bool kScalarFirst, class Body, class Signature>
  using Operation = LaneOperation<kWaveLanes, kScalarFirst,
                                  std::conditional_t<HasHalves<Signature>::value, BothHalves<Body>, Body>,
                                  typename HandlerSignature<Signature>::type>;
};

// One file per family, so that a change compiles one of them again.
#define WAVESMITH_FAMILY(name) void add_##name(Collector& collector);
#include "emulate/engine/families.inc"
#undef WAVESMITH_FAMILY

/// The micro-operations' handlers.
void add_micro(Engine& engine);
void add_operands(Engine& engine);

/// The handlers that make addresses.
void add_address(Engine& engine);

}  // namespace wavesmith::emulate
