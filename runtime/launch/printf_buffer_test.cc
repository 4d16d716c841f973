#include "runtime/launch/printf_buffer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace wavesmith::runtime {
namespace {

const std::vector<std::string> kFormats = {"0:0:10c825d0a7a8cc2c,hi, %s: %d %.2f\n",
                                           "0:0:daf863cf2f155b7e,none\n", "broken",
                                           "1:1:4:of another language"};

class Buffer {
 public:
  /// A message that names its format, or brings it along in `words`.
  Buffer& message(uint32_t flags, const std::vector<uint64_t>& words) {
    put(static_cast<uint32_t>((4 + 8 * words.size()) << 2 | flags));
    for (const uint64_t word : words) put(word);
    return *this;
  }
  template <class T>
  Buffer& put(T value) {
    const size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(&bytes[at], &value, sizeof value);
    return *this;
  }
  std::vector<uint8_t> bytes;
};

uint64_t word(const char (&text)[9]) {
  uint64_t value;
  std::memcpy(&value, text, 8);
  return value;
}

/// What it prints, a '!' before what goes to stderr; "damaged" at the end where it says so.
std::string read(const std::vector<uint8_t>& bytes) {
  std::string out;
  const auto done = read_messages(bytes, kFormats, [&](std::string_view text, bool to_stderr) {
    out += (to_stderr ? "!" : "") + std::string(text);
  });
  return done ? out : out + "damaged";
}

TEST(PrintfBuffer, FindsTheFormatByItsHash) {
  Buffer buffer;
  buffer.message(2, {0x10c825d0a7a8cc2c, word("world\0\0\0"), uint64_t(-5), std::bit_cast<uint64_t>(2.5)});
  buffer.message(3, {0xdaf863cf2f155b7e});
  EXPECT_EQ(read(buffer.bytes), "hi, world: -5 2.50\n!none\n");
}

TEST(PrintfBuffer, TakesTheFormatThatStandsInTheMessage) {
  Buffer buffer;
  buffer.message(0, {word("[%d %g]\n"), 0, 7, std::bit_cast<uint64_t>(0.25)});
  EXPECT_EQ(read(buffer.bytes), "[7 0.25]\n");
}

TEST(PrintfBuffer, StopsAtWhatNoKernelWrites) {
  const std::vector<uint8_t> none = Buffer().message(2, {0xdaf863cf2f155b7e}).bytes;
  const auto after_none = [&](Buffer tail) {
    std::vector<uint8_t> bytes = none;
    bytes.insert(bytes.end(), tail.bytes.begin(), tail.bytes.end());
    return read(bytes);
  };
  EXPECT_EQ(after_none(Buffer().message(2, {1})), "none\ndamaged");          // no such format
  EXPECT_EQ(after_none(Buffer().put(uint32_t{0})), "none\ndamaged");         // an empty message
  EXPECT_EQ(after_none(Buffer().put(uint32_t{100 << 2})), "none\ndamaged");  // longer than what is there
  EXPECT_EQ(after_none(Buffer().put(uint32_t{8 << 2 | 2}).put(0)), "none\ndamaged");  // no room for its hash
  EXPECT_EQ(after_none(Buffer().put(uint8_t{1})), "none\ndamaged");                   // not even a first word
}

}  // namespace
}  // namespace wavesmith::runtime
