// For tests: assembly text as code to analyse.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analysis/code.h"
#include "isa/llvm/assembler.h"

namespace wavesmith::analysis {

/// The code of assembly text, whose first instruction is the entry, at `address`.
inline Code code_of(std::string_view target_name, std::string_view assembly, int lanes = 0,
                    uint64_t address = 0x1000) {
  const isa::Target& target = *isa::find_target(target_name);
  if (lanes == 0) lanes = target.wave64_only ? 64 : 32;
  const auto bytes = isa::assemble(target, lanes, std::string(assembly) + "\n");
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().text());
  if (!bytes) return {};
  auto code = read_code(target, lanes, *bytes, address, address);
  EXPECT_TRUE(code) << (code ? "" : code.error().text());
  return code ? *code : Code{};
}

}  // namespace wavesmith::analysis
