#include "study/kernel_arguments.h"

#include <gtest/gtest.h>

namespace wavesmith::study {
namespace {

TEST(KernelArguments, AFillReachesEveryElement) {
  for (const std::string type : {"i8", "i16", "bf16", "f16", "i32", "f32", "i64", "f64"})
    for (const uint64_t count : {uint64_t{1}, uint64_t{7}, uint64_t{100'003}})
      for (const auto& [how, value] : {std::pair{"ones", 1.0}, {"zeros", 0.0}, {"3", 3.0}}) {
        const std::string text = type + "[" + std::to_string(count) + "]=" + how;
        const auto argument = parse_argument(text);
        ASSERT_TRUE(argument) << text;
        ASSERT_EQ(argument->count(), count) << text;
        const size_t size = argument->element->size;
        ASSERT_EQ(argument->bytes.size(), count * size) << text;
        std::vector<uint8_t> expected(size);
        from_double(*argument->element, value, expected.data());
        for (uint64_t i = 0; i < count; ++i)
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), argument->bytes.data() + i * size))
              << text << ", element " << i;
      }
}

}  // namespace
}  // namespace wavesmith::study
