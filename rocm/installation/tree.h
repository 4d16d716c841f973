// The contents of a folder to be written, by path relative to it.
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

/// Adds links at `at` to everything in a folder, except where the tree already has something.
void link_all(Tree& tree, const std::string& at, const std::string& folder);

/// Stores the tree as a folder below `parent` whose name is a hash of the contents. The first call writes it,
/// later ones find it; it is complete or absent, even if several processes call this at once.
Result<std::string> stored(const Tree& tree, const std::string& parent);

}  // namespace wavesmith::rocm
