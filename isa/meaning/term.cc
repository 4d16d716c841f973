#include "isa/meaning/term.h"

namespace wavesmith::isa {

bool Tracer::decide(Expression::Id condition) {
  const Node& node = builder.node(condition);
  if (node.op == Op::Constant) return node.constant != 0;
  if (Expression::Id of = 0; builder.expression().is_complement(condition, of)) return !decide(of);
  for (size_t d = 0; d < next_; ++d)
    if (decisions_[d].condition == condition) return decisions_[d].taken;
  if (next_ == decisions_.size()) decisions_.push_back({condition, true});
  return decisions_[next_++].taken;
}

}  // namespace wavesmith::isa
