#include "object/metadata.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace wavesmith::object {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes& append(Bytes& bytes, std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

/// {1: item, "amdhsa.target": "gfx"}
Bytes map_with(const Bytes& item) {
  Bytes note = {0x82, 0x01};
  note.insert(note.end(), item.begin(), item.end());
  note.push_back(0xad);
  append(note, "amdhsa.target").push_back(0xa3);
  return append(note, "gfx");
}

// Linkers keep what programs put into the note, of any type.
TEST(Metadata, PassesOverItemsOfEveryForm) {
  const Bytes heads = {0x7f, 0xe0, 0xc0, 0xc2, 0xc3};
  for (const uint8_t head : heads) EXPECT_EQ(parse_metadata(map_with({head}))->target, "gfx") << int{head};
  const std::vector<std::pair<uint8_t, int>> fixed = {
      {0xa5, 5}, {0xca, 4}, {0xcb, 8}, {0xcc, 1}, {0xcd, 2}, {0xce, 4}, {0xcf, 8}, {0xd0, 1},
      {0xd1, 2}, {0xd2, 4}, {0xd3, 8}, {0xd4, 2}, {0xd5, 3}, {0xd6, 5}, {0xd7, 9}, {0xd8, 17}};
  for (const auto& [head, bytes] : fixed) {
    Bytes item = {head};
    item.resize(1 + bytes, 'x');
    const auto metadata = parse_metadata(map_with(item));
    ASSERT_TRUE(metadata) << int{head};
    EXPECT_EQ(metadata->target, "gfx") << int{head};
  }
  const std::vector<Bytes> lengths = {
      {0xc4, 2, 0, 0},       {0xc5, 0, 2, 0, 0},     {0xc6, 0, 0, 0, 2, 0, 0},
      {0xc7, 2, 1, 0, 0},    {0xc8, 0, 2, 1, 0, 0},  {0xc9, 0, 0, 0, 2, 1, 0, 0},
      {0xd9, 2, 'x', 'x'},   {0xda, 0, 2, 'x', 'x'}, {0xdb, 0, 0, 0, 2, 'x', 'x'},
      {0x92, 0, 0xc0},       {0xdc, 0, 2, 0, 0xc0},  {0xdd, 0, 0, 0, 2, 0, 0xc0},
      {0x81, 0, 0x81, 0, 0}, {0xde, 0, 1, 0, 0},     {0xdf, 0, 0, 0, 1, 0, 0x90},
  };
  for (const Bytes& item : lengths) {
    const auto metadata = parse_metadata(map_with(item));
    ASSERT_TRUE(metadata) << int{item[0]};
    EXPECT_EQ(metadata->target, "gfx") << int{item[0]};
  }
}

// The reader would allocate what is announced: 64 GiB for five bytes.
TEST(Metadata, RefusesWhatAnnouncesMoreThanItHolds) {
  for (const Bytes& item : {Bytes{0xdd, 0xff, 0xff, 0xff, 0xff}, Bytes{0xdf, 0xff, 0xff, 0xff, 0xff},
                            Bytes{0xdc, 0xff, 0xff}, Bytes{0xdb, 0xff, 0xff, 0xff, 0xff}, Bytes{0x8f}})
    EXPECT_FALSE(parse_metadata(map_with(item))) << int{item[0]};
  EXPECT_FALSE(parse_metadata(Bytes{}));
  EXPECT_FALSE(parse_metadata(Bytes{0x81, 0x00, 0xdd, 0xff}));
}

}  // namespace
}  // namespace wavesmith::object
