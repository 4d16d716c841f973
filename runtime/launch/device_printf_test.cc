#include "runtime/launch/device_printf.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace wavesmith::runtime {
namespace {

/// A message as a kernel sends it.
struct Message {
  std::vector<uint64_t> words;
  Message& text(const std::string& s) {
    const size_t at = words.size();
    words.resize(at + s.size() / 8 + 1);
    std::memcpy(&words[at], s.c_str(), s.size() + 1);
    return *this;
  }
  Message& word(uint64_t value) {
    words.push_back(value);
    return *this;
  }
  Message& real(double value) { return word(std::bit_cast<uint64_t>(value)); }
};

TEST(DevicePrintf, FormatsAsTheHostDoes) {
  EXPECT_EQ(format_message(Message().text("plain 100%%\n").words), "plain 100%\n");
  EXPECT_EQ(format_message(Message().text("%d|%5u|%-6x|").word(uint64_t(-7)).word(42).word(0xbeef).words),
            "-7|   42|beef  |");
  EXPECT_EQ(format_message(Message().text("%lld %llu %zu").word(uint64_t(-1)).word(~0ull).word(8).words),
            "-1 18446744073709551615 8");
  EXPECT_EQ(format_message(Message().text("%hhd %hu").word(0x1ff).word(0x12345).words), "-1 9029");
  EXPECT_EQ(format_message(Message().text("%.3f %g %a").real(3.14159).real(1e10).real(1.0).words),
            "3.142 1e+10 0x1p+0");
  EXPECT_EQ(format_message(Message().text("%s-%c!").text("twelve bytes").word('x').words), "twelve bytes-x!");
  EXPECT_EQ(
      format_message(
          Message().text("[%*d] [%-*d] [%.*f]").word(4).word(7).word(4).word(7).word(1).real(2.55).words),
      "[   7] [7   ] [2.5]");
  EXPECT_EQ(format_message(Message().text("%p").word(0x1234).words), "0x1234");
}

TEST(DevicePrintf, StopsWhereArgumentsAreMissing) {
  EXPECT_EQ(format_message(Message().text("a %d b").words), "a ");
  EXPECT_EQ(format_message(Message().text("a %q").word(1).words), "a ");
  EXPECT_EQ(format_message({}), "");
}

TEST(DevicePrintf, SurvivesAnyMessage) {
  std::mt19937_64 random(7);
  SCOPED_TRACE("seed 7");
  for (int i = 0; i < 20'000; ++i) {
    std::string format;
    for (int j = 0; j < 12; ++j) format += "%%d*.sfxnlh0-+# 9c"[random() % 18];
    Message message;
    message.text(format);
    for (size_t j = random() % 6; j > 0; --j) message.word(random() % 3 ? random() : random() % 64);
    (void)format_message(message.words);
  }
}

}  // namespace
}  // namespace wavesmith::runtime
