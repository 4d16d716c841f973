// In which order a grid's workgroups take D's tiles: band by band, so that those which run together share
// rows of A and columns of B in the caches. Shared by the host and the device.
#pragma once

namespace wavesmith::kernels {

/// A tile, counted along x and y.
struct TileOfD {
  int x, y;
};

/// That of a workgroup of a grid whose y goes along `tiles_y` tiles once for each band of `band` tiles along
/// x. In the last band tiles may lie beyond D.
constexpr TileOfD tile_in_bands(int workgroup_x, int workgroup_y, int band, int tiles_y) {
  if (workgroup_y < tiles_y) return {workgroup_x, workgroup_y};  // spares most a division
  const int number = workgroup_y / tiles_y;
  return {number * band + workgroup_x, workgroup_y - number * tiles_y};
}

/// The tile of that number, where D's tiles are counted band by band, along x first; the last band may be
/// narrower.
constexpr TileOfD tile_of_number(int number, int band, int tiles_x, int tiles_y) {
  const auto divided = [](int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));  // none is negative
  };
  const int first = divided(number, band * tiles_y) * band, in_band = number - first * tiles_y;
  const int along = tiles_x - first < band ? tiles_x - first : band, y = divided(in_band, along);
  return {first + in_band - y * along, y};
}

}  // namespace wavesmith::kernels
