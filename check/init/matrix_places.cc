#include "check/init/matrix_places.h"

#include <algorithm>

#include "isa/matrix/instruction.h"
#include "isa/matrix/layout.h"

namespace wavesmith::check::init {
namespace {

uint32_t mask_of(int bit, int bits) { return static_cast<uint32_t>(isa::low_bits(bits) << (bit % 32)); }

/// The dwords that an element stands in: one, two of an F64, or two of six bits across a boundary.
template <class Add>
void each_dword(const isa::MatrixPlace& place, int bits, Add add) {
  for (int done = 0; done < bits;) {
    const int bit = place.bit + done, here = std::min(bits - done, 32 - bit % 32);
    add(static_cast<uint8_t>(bit / 32), mask_of(bit, here));
    done += here;
  }
}

}  // namespace

std::unique_ptr<MatrixPlaces> matrix_places(const isa::Instruction& instruction, const isa::Row& row,
                                            int wave_lanes) {
  const isa::MatrixInstruction& in = *row.matrix;
  const bool formats = in.a == isa::MatrixElement::F8f6f4;
  if (instruction.value("abid") || (!formats && (instruction.value("cbsz") || instruction.value("blgp"))))
    return nullptr;
  const auto element = [&](isa::MatrixElement of, const char* select) {
    return formats ? isa::f8f6f4_element(static_cast<int>(instruction.value(select))) : of;
  };
  const isa::MatrixElement a = element(in.a, "cbsz"), b = element(in.b, "blgp");
  auto places = std::make_unique<MatrixPlaces>();
  const auto add = [](std::vector<MatrixPlaces::Element>& to, int line, int block, const isa::MatrixPlace& at,
                      int bits) {
    each_dword(at, bits, [&](uint8_t dword, uint32_t mask) {
      for (MatrixPlaces::Element& known : to)
        if (known.line == line && known.block == block && known.lane == at.lane && known.dword == dword) {
          known.mask |= mask;
          return;
        }
      to.push_back({static_cast<uint8_t>(line), static_cast<uint8_t>(block), static_cast<uint8_t>(at.lane),
                    dword, mask});
    });
  };
  // RDNA3 holds A and B in each half of a wave again.
  const bool upper = (in.modifiers & isa::kSelectHalf) != 0 && instruction.value("op_sel", 0, 2) != 0;
  const int copies = in.layout == isa::MatrixLayout::Wmma3 ? wave_lanes / 16 : 1;
  for (int block = 0; block < in.blocks; ++block) {
    for (int i = 0; i < in.m; ++i)
      for (int k = 0; k < isa::held_k(in); ++k)
        for (int copy = 0; copy < copies; ++copy) {
          isa::MatrixPlace at = isa::place_a(in, a, wave_lanes, i, k, block);
          at.lane += 16 * copy;
          add(places->a, i, block, at, isa::bits_of_element(a));
        }
    for (int j = 0; j < in.n; ++j)
      for (int k = 0; k < in.k; ++k)
        for (int copy = 0; copy < copies; ++copy) {
          isa::MatrixPlace at = isa::place_b(in, b, wave_lanes, k, j, block);
          at.lane += 16 * copy;
          add(places->b, j, block, at, isa::bits_of_element(b));
        }
    for (int i = 0; i < in.m; ++i)
      for (int j = 0; j < in.n; ++j) {
        const isa::MatrixPlace at = isa::place_d(in, wave_lanes, i, j, block);
        const int bits = isa::bits_of_element(in.d);
        const int half = upper && bits == 16 ? 16 : 0;
        places->d.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(j), static_cast<uint8_t>(block),
                             static_cast<uint8_t>(at.lane), static_cast<uint8_t>(at.bit / 32),
                             static_cast<uint8_t>(bits == 64 ? 2 : 1),
                             mask_of(at.bit + half, std::min(bits, 32))});
      }
  }
  return places;
}

}  // namespace wavesmith::check::init
