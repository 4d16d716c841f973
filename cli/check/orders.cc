#include "cli/check/orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace wavesmith::cli {
namespace {

struct Word {
  std::string_view text;
  size_t line = 1;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  size_t line = 1;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    if (end > at) words.push_back({text.substr(at, end - at), line});
    if (end < text.size() && text[end] == '\n') ++line;
    at = end + 1;
  }
  return words;
}

/// Of standard output: words that both runs of an order agree on are compared.
std::string different_word(const Twice& first, const Twice& second) {
  const std::array<std::vector<Word>, 4> words = {words_of(first[0].text), words_of(first[1].text),
                                                  words_of(second[0].text), words_of(second[1].text)};
  if (words[0].size() != words[1].size() || words[2].size() != words[3].size()) return {};
  for (size_t i = 0; i < std::min(words[0].size(), words[2].size()); ++i) {
    const bool steady = words[0][i].text == words[1][i].text && words[2][i].text == words[3][i].text;
    if (steady && words[0][i].text != words[2][i].text)
      return fmt::format("line {} of standard output says '{}' instead of '{}'", words[2][i].line,
                         words[2][i].text, words[0][i].text);
  }
  if (words[0].size() == words[2].size()) return {};
  return fmt::format("standard output has {} words instead of {}", words[2].size(), words[0].size());
}

}  // namespace

std::string difference(const Twice& first, const Twice& second) {
  if (first[0].code == first[1].code && second[0].code == second[1].code && first[0].code != second[0].code)
    return fmt::format("the exit code is {} instead of {}", second[0].code, first[0].code);
  for (size_t i = 0; i < std::min(first[0].buffers.size(), second[0].buffers.size()); ++i) {
    const bool steady =
        first[0].buffers[i] == first[1].buffers[i] && second[0].buffers[i] == second[1].buffers[i];
    if (steady && first[0].buffers[i] != second[0].buffers[i])
      return fmt::format("the contents of buffer {} differ", i);
  }
  return different_word(first, second);
}

size_t words_of_their_own(const Twice& runs) {
  const std::vector<Word> first = words_of(runs[0].text), second = words_of(runs[1].text);
  if (first.size() != second.size()) return std::max(first.size(), second.size());
  size_t own = 0;
  for (size_t i = 0; i < first.size(); ++i) own += first[i].text != second[i].text;
  return own;
}

}  // namespace wavesmith::cli
