#include "analysis/estimate/mix.h"

#include "isa/control/row.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::analysis {

using isa::Direction;

double vector_operations_of(std::string_view name) {
  if (!name.starts_with("v_")) return 0;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!has("_f32") && !has("_f16") && !has("_f64") && !has("_bf16")) return 0;
  if (has("_dot2")) return 4;
  const double packed = name.starts_with("v_pk_") ? 2 : 1;
  if (has("_fma") || has("_mac_") || has("_mad_") || has("_fmac_")) return 2 * packed;
  if (has("_add_f") || has("_sub_f") || has("_subrev_f") || has("_mul_f") || has("_mul_legacy"))
    return packed;
  return 0;
}

void count(Mix& mix, const isa::Instruction& instruction, const isa::Row* row, int wave_lanes) {
  if (!instruction.second.empty()) {
    ++mix.total;
    ++mix.count[static_cast<size_t>(isa::Pipe::Valu)];
    for (const isa::Instruction* half : {&instruction, &instruction.second.front()})
      mix.vector_operations += vector_operations_of(single_of(*half, wave_lanes).mnemonic) * wave_lanes;
    return;
  }
  ++mix.total;
  ++mix.count[static_cast<size_t>(isa::pipe_of(instruction, row))];
  const std::string_view name = instruction.mnemonic;
  const isa::Operation operation = row ? isa::Operation::None : isa::operation_of(name);
  mix.barriers += operation == isa::Operation::Barrier || operation == isa::Operation::BarrierWait;
  if (!row) return;
  if (row->matrix) {
    const isa::MatrixInstruction& matrix = *row->matrix;
    mix.matrix_operations += 2.0 * matrix.m * matrix.n * matrix.k * matrix.blocks;
    return;
  }
  mix.doubles += row->facts.issue == isa::Issue::Double;
  mix.vector_operations += vector_operations_of(name) * wave_lanes;
  if (row->shape != isa::Shape::Memory) return;
  const isa::Space space = space_of(name);
  if (space == isa::Space::Scalar) return;
  const double bytes = static_cast<double>(row->access.bytes) * row->access.places * wave_lanes;
  const bool load = row->access.direction == Direction::Load || row->access.lane >= isa::LdsLane::Transpose16;
  const bool store = row->access.direction == Direction::Store;
  if (space == isa::Space::Scratch) {
    ++mix.scratch;
  } else if (space == isa::Space::Lds) {
    if (load) mix.lds_load_bytes += bytes;
    if (store) mix.lds_store_bytes += bytes;
  } else {
    if (load) mix.load_bytes += bytes;
    if (store) mix.store_bytes += bytes;
  }
}

Mix mix_of(const Code& code, const std::vector<Block>& blocks, const std::vector<uint32_t>& which) {
  Mix mix;
  const auto add = [&](const Block& block) {
    for (uint32_t i = block.begin; i < block.end; ++i)
      count(mix, code.instructions[i], code.rows[i], code.wave_lanes);
  };
  if (which.empty())
    for (const Block& block : blocks) add(block);
  else
    for (const uint32_t b : which) add(blocks[b]);
  return mix;
}

}  // namespace wavesmith::analysis
