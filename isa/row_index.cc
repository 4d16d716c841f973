// Rows by mnemonic.
#include <unordered_map>
#include <vector>

#include "isa/rows.h"

namespace wavesmith::isa {
namespace {

using Index = std::unordered_map<std::string_view, std::vector<const Row*>>;

Index make_index() {
  Index index;
  for (const Row& row : rows()) {
    std::string_view names = row.mnemonics;
    while (!names.empty()) {
      const size_t space = names.find(' ');
      index[names.substr(0, space)].push_back(&row);
      names = space == std::string_view::npos ? std::string_view{} : names.substr(space + 1);
    }
  }
  return index;
}

}  // namespace

const Row* find_row(std::string_view mnemonic, const Target& target, bool saturates) {
  // Never destroyed: kernels may run on while the process ends.
  static const Index& index = *new Index(make_index());
  const auto found = index.find(mnemonic);
  if (found == index.end()) return nullptr;
  for (const Row* row : found->second)
    if (target.is(row->facts.generations) && row->facts.saturates == saturates) return row;
  return nullptr;
}

}  // namespace wavesmith::isa
