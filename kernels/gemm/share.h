// Who computes what of a product that is streamed (stream.h). The first of D's tiles are a workgroup's alone;
// the others are shared by teams, of as many tiles each, whose members take equally long runs along K, one
// after the other through the team's tiles. So a run may begin and end within tiles, and each tile of a run
// is a part of that tile's sums. Shared by the host and the device.
#pragma once

namespace wavesmith::kernels {

struct GemmShare {
  /// Of numbers that are not negative, by fewer instructions than with signs.
  static constexpr int divided(int number, int by) {
    return static_cast<int>(static_cast<unsigned>(number) / static_cast<unsigned>(by));
  }

  int whole;       ///< tiles that a workgroup computes alone
  int workgroups;  ///< of the grid: each takes every so many of those tiles
  int width;       ///< of them along the grid's x
  int depth;       ///< elements along K of a step, as far as steps are shared
  int steps;       ///< of a tile
  int teams;       ///< which take the other tiles in turn, as they take the workgroups; 0: there are none
  int tiles;       ///< of a team
  int members;     ///< of a team: more than it has tiles
  int run;         ///< steps of a member
  int longer;      ///< members with one step more: the first ones

  /// The step, of the team's all, with which a member's run begins.
  [[nodiscard]] constexpr int begin(int member) const {
    return member * run + (member < longer ? member : longer);
  }
  /// The member whose run holds a step.
  [[nodiscard]] constexpr int member(int step) const {
    const int of_longer = longer * (run + 1);
    return step < of_longer ? divided(step, run + 1) : longer + divided(step - of_longer, run);
  }
  /// Parts, of which those of a tile follow each other as the runs do.
  [[nodiscard]] constexpr int parts() const { return teams * (tiles + members - 1); }
  [[nodiscard]] constexpr int part(int team, int tile, int member) const {
    return team * (tiles + members - 1) + tile + member;
  }
  /// The parts of the shared tile of that number.
  struct Parts {
    int first, count;
  };
  [[nodiscard]] constexpr Parts parts_of(int number) const {
    const int tile = divided(number, teams), team = number - tile * teams;
    const int first = member(tile * steps), last = member((tile + 1) * steps - 1);
    return {part(team, tile, first), last - first + 1};
  }
};

}  // namespace wavesmith::kernels
