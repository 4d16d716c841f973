// A folder to be written: what is in it, by path relative to it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"

namespace wavesmith::rocm {

struct Tree {
  std::map<std::string, std::string> files;  ///< contents
  std::map<std::string, std::string> links;  ///< where they point
  std::set<std::string> folders;             ///< that are there even with nothing in them
};

/// Links at `at` to all that is in a folder. What the tree has there stays, also a file of its own among the
/// folder's.
void link_all(Tree& tree, const std::string& at, const std::string& folder);

/// The tree as a folder below `parent`, whose name tells its contents: written at the first call, found at
/// later ones, complete or absent, whoever else asks for it at the same time.
Result<std::string> stored(const Tree& tree, const std::string& parent);

}  // namespace wavesmith::rocm
