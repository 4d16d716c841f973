// What the compiler made of every kernel for every target, by the code objects' metadata.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/gemm/configuration.h"
#include "object/code_object.h"

namespace wavesmith::kernels {
namespace {

TEST(Resources, NoKernelSpillsOrHasScratch) {
  std::string last;
  for (const GemmConfiguration& row : gemm_configurations()) {
    if (row.target == last) continue;
    last = row.target;
    const std::string path = WAVESMITH_KERNEL_CODE "/" + last + ".co";
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file) << path;
    const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                     std::istreambuf_iterator<char>());
    const auto code = object::CodeObject::parse(bytes);
    ASSERT_TRUE(code) << path;
    EXPECT_GE(code->kernels().size(), 16U);
    for (const object::Kernel& kernel : code->kernels()) {
      SCOPED_TRACE(last + " " + kernel.name);
      EXPECT_EQ(kernel.vgpr_spill_count, 0U);
      EXPECT_EQ(kernel.sgpr_spill_count, 0U);
      EXPECT_EQ(kernel.fields.private_segment_fixed_size, 0U);
    }
  }
}

}  // namespace
}  // namespace wavesmith::kernels
