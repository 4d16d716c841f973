#include "object/code_object.h"

#include <algorithm>
#include <cstdlib>

#include "object/testing.h"

namespace wavesmith::object {
namespace {

class EveryVersion : public testing::TestWithParam<int> {};

TEST_P(EveryVersion, IsReadWithItsKernelsAndTheirArguments) {
  const auto object = CodeObject::parse(sample("v" + std::to_string(GetParam()) + ".co"));
  ASSERT_TRUE(object) << object.error().text();
  EXPECT_EQ(object->version(), GetParam());
  EXPECT_EQ(object->target().text(), "gfx942");
  EXPECT_EQ(object->kernels().size(), 2u);
  const Kernel* const scale = object->kernel("scale");
  ASSERT_NE(scale, nullptr);
  ASSERT_GE(scale->arguments.size(), 4u);
  EXPECT_EQ(scale->arguments[0].kind, Argument::Kind::GlobalBuffer);
  EXPECT_EQ(scale->arguments[2].kind, Argument::Kind::Value);
  EXPECT_EQ(scale->arguments[2].offset, 16u);
  EXPECT_EQ(scale->arguments[3].size, 4u);
  EXPECT_EQ(scale->wavefront_size, 64u);
  EXPECT_GT(scale->vgpr_count, 0u);
  const Kernel* const sum = object->kernel("shared_sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->fields.group_segment_fixed_size, 512u);
  EXPECT_EQ(sum->max_flat_workgroup_size, 128u);
  EXPECT_EQ(object->kernel("nothing"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Format, EveryVersion, testing::Values(4, 5, 6));

TEST(CodeObject, ReadsTheSettingsOfItsTarget) {
  EXPECT_EQ(CodeObject::parse(sample("xnack.co"))->target().text(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(CodeObject::parse(sample("generic.co"))->target().text(), "gfx11-generic");
}

TEST(CodeObject, ReadsEveryMetadataNoteAndKeysThatAreNumbers) {
  const auto object = CodeObject::parse(sample("two_notes.co"));
  ASSERT_TRUE(object) << object.error().text();
  ASSERT_EQ(object->kernels().size(), 2u);
  ASSERT_TRUE(object->kernel("first") && object->kernel("second"));
  EXPECT_EQ(object->kernel("first")->kernarg_size, 16u);
  EXPECT_EQ(object->kernel("second")->kernarg_size, 24u);
}

TEST(CodeObject, MakesRoomForArgumentsThatItsMetadataForgotToCount) {
  std::vector<uint8_t> file = sample("v5.co");
  const std::string key = ".kernarg_segment_size";
  int changed = 0;
  for (auto at = file.begin();;) {
    at = std::search(at, file.end(), key.begin(), key.end());
    if (at == file.end()) break;
    at += static_cast<ptrdiff_t>(key.size());
    ASSERT_LT(*at, 0x80) << "MessagePack has small numbers in one byte";
    *at = 5;
    ++changed;
  }
  ASSERT_GT(changed, 0);
  const auto object = CodeObject::parse(file);
  ASSERT_TRUE(object) << object.error().text();
  for (const Kernel& kernel : object->kernels()) {
    uint32_t end = 0;
    for (const Argument& argument : kernel.arguments) end = std::max(end, argument.offset + argument.size);
    EXPECT_GT(end, 5u);
    EXPECT_EQ(kernel.kernarg_size, end) << kernel.name;
  }
}

TEST(CodeObject, LoadsItsVariablesAndRelocatesPointersToThem) {
  const auto object = CodeObject::parse(sample("v6.co"));
  ASSERT_TRUE(object);
  std::unique_ptr<uint8_t, void (*)(void*)> memory(
      static_cast<uint8_t*>(std::aligned_alloc(4096, object->load_size())), std::free);
  const auto loaded = object->load({memory.get(), object->load_size()});
  ASSERT_TRUE(loaded) << loaded.error().text();
  const auto base = reinterpret_cast<uint64_t>(memory.get());
  const Variable* const table = object->variable("table");
  const Variable* const pointer = object->variable("pointer");
  ASSERT_TRUE(table && pointer);
  EXPECT_EQ(table->size, 16u);
  const auto* const values = reinterpret_cast<const int*>(object->loaded(base, table->address));
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[3], 4);
  EXPECT_EQ(*reinterpret_cast<const uint64_t*>(object->loaded(base, pointer->address)),
            reinterpret_cast<uint64_t>(values));
  const Variable* const counter = object->variable("counter");
  ASSERT_NE(counter, nullptr);
  EXPECT_TRUE(counter->managed);
  EXPECT_FALSE(table->managed);
  const auto code = object->loaded_code(base);
  const uint64_t entry = object->loaded(base, object->kernel("scale")->entry());
  EXPECT_GE(entry, reinterpret_cast<uint64_t>(code.data()));
  EXPECT_LT(entry, reinterpret_cast<uint64_t>(code.data()) + code.size());
}

TEST(CodeObject, RefusesOtherFilesWithAClearError) {
  const std::string text = "#!/bin/sh\necho hello\n";
  const auto script = CodeObject::parse({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(script.error().what, "not an ELF file");
  const auto host = CodeObject::parse(sample("program.o"));
  ASSERT_FALSE(host);
  EXPECT_NE(host.error().what.find("not for AMD GPUs"), std::string::npos) << host.error().what;
}

/// Parses, and loads what could be parsed: nothing may crash; what is cut off has to be an error or harmless.
void parse_and_load(std::span<const uint8_t> bytes) {
  const auto object = CodeObject::parse(bytes);
  if (!object || object->load_size() > (1u << 24)) return;
  std::unique_ptr<uint8_t, void (*)(void*)> memory(
      static_cast<uint8_t*>(std::aligned_alloc(4096, object->load_size())), std::free);
  (void)object->load({memory.get(), object->load_size()});
}

TEST(CodeObject, SurvivesTruncationAtEveryLength) {
  const auto bytes = sample("v6.co");
  int accepted = 0;
  truncate_everywhere(bytes, 1, [&](auto cut) {
    parse_and_load(cut);
    accepted += CodeObject::parse(cut).has_value();
  });
  EXPECT_EQ(accepted, 0);
}

TEST(CodeObject, SurvivesRandomChanges) {
  flip_at_random(sample("v6.co"), 20'000, 1, parse_and_load);
  flip_at_random(sample("v4.co"), 5'000, 2, parse_and_load);
}

}  // namespace
}  // namespace wavesmith::object
