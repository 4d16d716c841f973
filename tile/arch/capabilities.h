// What a target can do, as far as kernels ask; `kHere` in here.h is the target that is compiled for.
#pragma once

namespace tile::arch {

/// How shared memory serves one kind of access of a wave: in phases of lanes that are served together, over
/// `banks` banks of 4 bytes. Lanes of a phase that want different words of one bank wait for one another.
struct SharedPhases {
  int banks;
  int of_quad[8];  ///< the phase of four lanes that follow each other, of the first 32; the others follow in
                   ///< the same way
  [[nodiscard]] constexpr int phase(int lane) const { return of_quad[lane % 32 / 4] + lane / 32 * 8; }
};

struct Capabilities {
  int wave_lanes;
  int shared_bytes;                ///< that a workgroup may have
  SharedPhases read_16, write_16;  ///< accesses of 16 bytes per lane
  int direct_bytes = 0;            ///< per lane that a load may bring to shared memory past registers
  float largest_e4m3 = 0;          ///< in the target's format, OCP's or FNUZ; 0: it has no floats of 8 bits
  bool rounds_bf16 = false;        ///< an instruction rounds floats to bf16
};

}  // namespace tile::arch
