#include "isa/llvm/demangle.h"

#include <gtest/gtest.h>

namespace wavesmith::isa {
namespace {

TEST(Demangle, TellsTheWholeDeclarationOrTheFunctionAlone) {
  struct Case {
    const char *mangled, *whole, *alone;
  };
  for (const Case& each : {
           Case{"_Z4axpyPKfPf", "axpy(float const*, float*)", "axpy"},
           {"_ZN2ns5scaleIDF16_EEvPT_i", "void ns::scale<_Float16>(_Float16*, int)", "ns::scale<_Float16>"},
           // A value of an enumeration has parentheses of its own.
           {"_ZL7mul_matIL4kind12ELi16ELb1EEvPKc", "void mul_mat<(kind)12, 16, true>(char const*)",
            "mul_mat<(kind)12, 16, true>"},
           {"attention", "attention", "attention"},
           {"_Znonsense", "_Znonsense", "_Znonsense"},
           {"_ZTV4axpy", "vtable for axpy", "_ZTV4axpy"},
       }) {
    EXPECT_EQ(demangle(each.mangled), each.whole);
    EXPECT_EQ(function_name(each.mangled), each.alone);
  }
}

}  // namespace
}  // namespace wavesmith::isa
