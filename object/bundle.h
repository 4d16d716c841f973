// The forms of a program's GPU code: a plain code object, an offload bundle, a compressed bundle, or a host
// program with bundles in its .hip_fatbin section. Source: LLVM, "Clang Offload Bundler", sections "Bundled
// Binary File Layout" and "Compressed Offload Bundle Format".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "object/target_id.h"

namespace wavesmith::object {

/// One code object of a bundle.
struct BundleEntry {
  TargetId target;
  std::string id;                  ///< as written: "hipv4-amdgcn-amd-amdhsa--gfx942"
  std::span<const uint8_t> bytes;  ///< in the input or in the bundle's own storage; empty: not kept
};

/// All code objects of an input. Keeps what it decompressed; the input itself has to live as long.
class Bundle {
 public:
  /// Reads any of the four forms. If `gpu` is given, a compressed bundle keeps only the code for it, and its
  /// other entries have no bytes. Error: BadInput for anything else and for damaged input.
  static Result<Bundle> parse(std::span<const uint8_t> input, const TargetId* gpu = nullptr);

  [[nodiscard]] const std::vector<BundleEntry>& entries() const { return entries_; }
  /// The entry that suits the GPU best. Error: WrongTarget, naming the targets that are there.
  [[nodiscard]] Result<BundleEntry> choose(const TargetId& gpu) const;
  /// The targets of the entries, each once, separated by commas.
  [[nodiscard]] std::string targets() const;

 private:
  Result<void> add(std::span<const uint8_t> input);
  Result<size_t> add_bundle(std::span<const uint8_t> input);
  Result<size_t> add_compressed(std::span<const uint8_t> input);
  Result<void> add_code_object(std::span<const uint8_t> input);
  Result<void> add_host_program(std::span<const uint8_t> input);
  Result<void> add_sequence(std::span<const uint8_t> input);

  const TargetId* only_ = nullptr;  ///< while it is parsed
  std::vector<BundleEntry> entries_;
  std::vector<std::shared_ptr<std::vector<uint8_t>>> storage_;
};

/// The targets of the code in a file of any of these forms, each once, in the order of their text. Only
/// headers are read and decompressed. Libraries hold hundreds of bundles, so `enough`, called with each
/// target, may end the search early. Error: BadInput for a file without code.
Result<std::vector<TargetId>> targets_of(std::span<const uint8_t> input,
                                         const std::function<bool(const TargetId&)>& enough = {});

/// The size in bytes of the code at the start of `available`, from its own headers, for callers that do not
/// know it (hipModuleLoadData, __hipRegisterFatBinary). `available` is the memory that may be read.
Result<size_t> extent(std::span<const uint8_t> available);

}  // namespace wavesmith::object
