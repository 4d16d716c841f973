// Damages code objects and bundles, loads them as hipModuleLoadData does and launches the kernels that are
// found. Whatever the bytes are, the outcome is a module or a typed error, and a kernel's end, its error or a
// spent budget.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace wavesmith::fuzz {

using Bytes = std::vector<uint8_t>;

/// What became of one input.
struct ObjectOutcome {
  bool loaded = false;      ///< on at least one GPU
  int launched = 0;         ///< kernels that were started
  int ended = 0;            ///< of these, without an error
  std::string defect = {};  ///< what should never happen; empty when nothing did
};

class ObjectFuzzer {
 public:
  /// Sets up one GPU of each generation. They report every input that they refuse on stderr. One in a
  /// process.
  ObjectFuzzer();
  ~ObjectFuzzer();
  ObjectFuzzer(const ObjectFuzzer&) = delete;
  ObjectFuzzer& operator=(const ObjectFuzzer&) = delete;

  /// `launches`: always; otherwise one input in 32.
  ObjectOutcome run(std::span<const uint8_t> input, bool launches);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes inputs of files that are whole: ELF and bundle headers, section and program headers, notes,
/// descriptors and code changed, the file cut or spliced.
class ObjectSource {
 public:
  ObjectSource(std::vector<Bytes> seeds, uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}
  Bytes next();

 private:
  struct Range {
    uint64_t begin, size;
  };
  void change_field(Bytes& file, const Range& range);
  void change_bits(Bytes& file, const Range& range);
  std::vector<Range> headers_of(const Bytes& file) const;
  std::vector<Range> sections_of(const Bytes& file) const;

  std::vector<Bytes> seeds_;
  std::mt19937_64 random_;
};

}  // namespace wavesmith::fuzz
