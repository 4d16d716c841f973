// The places of NVIDIA's matrix fragments, against the PTX ISA's formulas.
#include "tile/arch/fragments.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace {

using namespace wavesmith::isa;
using namespace tile::arch;

constexpr int kLanes = 32;

/// The manual's names: groupID and threadID_in_group.
struct Lane {
  int group, in_group;
  explicit Lane(int lane) : group(lane >> 2), in_group(lane % 4) {}
};

/// Of the element with that number in a lane's fragment.
MatrixPlace numbered(int lane, int i, int bits) { return {lane, i * bits}; }

TEST(Fragments, OfSixteenBitsAreThoseOfTheManual) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const Lane at(lane);
    for (int i = 0; i < 8; ++i) {
      const bool upper = i < 2 || (4 <= i && i < 6);
      const int row = upper ? at.group : at.group + 8;
      const int column = at.in_group * 2 + (i & 1) + (i < 4 ? 0 : 8);
      EXPECT_EQ(fragment_a(16, row, column), numbered(lane, i, 16)) << "a" << i << " of lane " << lane;
    }
    for (int i = 0; i < 4; ++i) {
      const int row = at.in_group * 2 + (i & 1) + (i < 2 ? 0 : 8);
      EXPECT_EQ(fragment_b(16, row, at.group), numbered(lane, i, 16)) << "b" << i << " of lane " << lane;
    }
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? at.group : at.group + 8, column = at.in_group * 2 + (i & 1);
      EXPECT_EQ(fragment_d(row, column), numbered(lane, i, 32)) << "c" << i << " of lane " << lane;
    }
  }
}

TEST(Fragments, OfEightBitsAreThoseOfTheManual) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const Lane at(lane);
    for (int i = 0; i < 16; ++i) {
      const bool upper = i < 4 || (8 <= i && i < 12);
      const int row = upper ? at.group : at.group + 8;
      const int column = at.in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);
      EXPECT_EQ(fragment_a(8, row, column), numbered(lane, i, 8)) << "a" << i << " of lane " << lane;
    }
    for (int i = 0; i < 8; ++i) {
      const int row = at.in_group * 4 + (i & 3) + (i < 4 ? 0 : 16);
      EXPECT_EQ(fragment_b(8, row, at.group), numbered(lane, i, 8)) << "b" << i << " of lane " << lane;
    }
  }
}

/// Every element has a place of its own, and together they fill the registers.
void expect_bijection(int rows, int columns, int bits, int registers, const auto& place) {
  std::set<std::tuple<int, int>> places;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const MatrixPlace at = place(row, column);
      EXPECT_TRUE(at.lane >= 0 && at.lane < kLanes) << at.lane;
      EXPECT_TRUE(at.bit >= 0 && at.bit + bits <= 32 * registers && at.bit % bits == 0) << at.bit;
      EXPECT_TRUE(places.insert({at.lane, at.bit}).second) << row << ", " << column << " is not alone";
    }
  }
  EXPECT_EQ(places.size() * bits, static_cast<size_t>(kLanes * registers * 32));
}

TEST(Fragments, AreBijections) {
  for (const auto& [bits, depth] : {std::pair{16, 16}, std::pair{8, 32}}) {
    SCOPED_TRACE(bits);
    const auto a = [&](int row, int k) { return fragment_a(bits, row, k); };
    const auto b = [&](int k, int column) { return fragment_b(bits, k, column); };
    expect_bijection(16, depth, bits, 4, a);
    expect_bijection(depth, 8, bits, 2, b);
  }
  expect_bijection(16, 8, 32, 4, fragment_d);
}

TEST(Fragments, TwoAtomsAreAnInstruction) {
  for (const auto& [element, depth] :
       {std::pair{MatrixElement::Bf16, 16}, std::pair{MatrixElement::Fp8, 32}}) {
    const FragmentShape shape{.a = element, .b = element, .k = static_cast<unsigned char>(depth)};
    const int bits = bits_of_element(element);
    EXPECT_EQ(registers_of_a(shape, element, kLanes), 2);
    EXPECT_EQ(registers_of_d(shape, kLanes), 2);
    for (int row = 0; row < 8; ++row) {
      for (int k = 0; k < depth; ++k) {
        // Registers of the upper and of the lower rows by turns.
        const MatrixPlace atom = place_b(shape, element, kLanes, k, row, 0);
        const int bit = atom.bit / 32 * 64 + atom.bit % 32;
        EXPECT_EQ(fragment_a(bits, row, k), (MatrixPlace{atom.lane, bit}));
        EXPECT_EQ(fragment_a(bits, row + 8, k), (MatrixPlace{atom.lane, bit + 32}));
        EXPECT_EQ(place_a(shape, element, kLanes, row, k, 0), atom) << "both operands lie alike";
      }
      for (int column = 0; column < 8; ++column) {
        const MatrixPlace sum = place_d(shape, kLanes, column, row, 0);
        EXPECT_EQ(fragment_d(row, column), sum);
        EXPECT_EQ(fragment_d(row + 8, column), (MatrixPlace{sum.lane, sum.bit + 64}));
      }
    }
  }
}

}  // namespace
