// What the first letters of a mnemonic say, as AMD's manuals name instructions.
#pragma once

#include <string_view>

namespace wavesmith::isa {

/// An instruction of the scalar unit, or of scalar memory, or one that the sequencer keeps for itself.
inline bool is_scalar(std::string_view mnemonic) { return mnemonic.starts_with("s_"); }

/// An instruction of the VALU, matrix instructions among them.
inline bool is_vector(std::string_view mnemonic) { return mnemonic.starts_with("v_"); }

/// Of scalar memory: one whose base is a buffer's resource, not an address.
inline bool is_scalar_buffer(std::string_view mnemonic) { return mnemonic.starts_with("s_buffer_"); }

}  // namespace wavesmith::isa
