// What takes an instruction when it issues.
#pragma once

#include <cstdint>
#include <string_view>

namespace wavesmith::isa {

/// Each SIMD has one of each, but for those that the SIMDs of a compute unit share: Salu and Branch on CDNA;
/// Smem, Vmem, Lds, Export and Message everywhere.
enum class Pipe : uint8_t {
  Valu,
  Transcendental,  ///< its own unit on RDNA; on CDNA a slow VALU instruction
  Matrix,          ///< MFMA runs beside the VALU; WMMA waits in the VALU's queue
  Salu,
  Smem,
  Vmem,  ///< global, flat, scratch, buffer, image
  Lds,
  Export,
  Branch,
  Message,
  Internal,  ///< waits, barriers, hints: the sequencer's own
};
inline constexpr int kPipes = 11;
std::string_view name_of(Pipe pipe);

}  // namespace wavesmith::isa
