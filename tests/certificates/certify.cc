// Writes a certificate for each kernel of each code object, from the notes that the tests left:
//
//   wavesmith_kernels_certify CODE NOTES TABLE
//
// CODE is the folder of code objects, NOTES that of the notes, TABLE the file that is written. Fails if a
// kernel spills, has scratch, or was not run by the tests, in order and with its waves interleaved.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "gpus/gpu.h"
#include "gpus/occupancy.h"
#include "kernels/certificates/code_key.h"
#include "object/code_object.h"

namespace wavesmith::kernels {
namespace {

namespace fs = std::filesystem;

/// What the tests saw of a kernel.
struct Seen {
  int results[2] = {0, 0};  ///< compared with double precision: in order, and interleaved
  double largest = 0;       ///< error, as a share of what is allowed
};
/// By target, key of its code object, and name.
using AllSeen = std::map<std::tuple<std::string, uint64_t, std::string>, Seen>;

AllSeen read_notes(const fs::path& folder) {
  AllSeen all;
  if (!fs::is_directory(folder)) return all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string target, name;
      uint64_t key = 0;
      int results = 0, interleaved = 0;
      double largest = 0;
      if (!(words >> target >> key >> name >> results >> largest >> interleaved)) continue;
      Seen& seen = all[{target, key, name}];
      seen.results[interleaved != 0] += results;
      seen.largest = std::max(seen.largest, largest);
    }
  }
  return all;
}

/// A GPU of that target.
const gpus::Gpu& gpu_of(const std::string& target) {
  const auto all = gpus::gpus();
  return **std::ranges::find(all, target, &gpus::Gpu::target);
}

/// Adds lines of a code object's kernels to the table, and to `wrong` what must not be.
void certify(const fs::path& path, const AllSeen& all, std::string& table, std::vector<std::string>& wrong) {
  const std::string target = path.stem();
  const auto image = read_file(path);
  const Result<object::CodeObject> code =
      image ? object::CodeObject::parse(*image) : tl::unexpected(image.error());
  if (!code) {
    wrong.push_back(fmt::format("{}: {}", path.string(), code.error().text()));
    return;
  }
  const uint64_t key = code_key({reinterpret_cast<const char*>(image->data()), image->size()});
  std::vector<object::Kernel> kernels = code->kernels();
  std::ranges::sort(kernels, {}, &object::Kernel::name);
  for (const object::Kernel& kernel : kernels) {
    const uint32_t lds = kernel.fields.group_segment_fixed_size;
    const auto occupancy = gpus::occupancy(
        gpu_of(target), {kernel.vgpr_count, kernel.sgpr_count, lds,
                         std::max(1U, kernel.max_flat_workgroup_size), kernel.wavefront_size});
    const uint32_t spills = kernel.vgpr_spill_count + kernel.sgpr_spill_count;
    const uint32_t scratch = kernel.fields.private_segment_fixed_size;
    if (spills > 0 || scratch > 0)
      wrong.push_back(
          fmt::format("{} {}: {} spills, {} bytes of scratch", target, kernel.name, spills, scratch));
    const auto found = all.find({target, key, kernel.name});
    const Seen seen = found == all.end() ? Seen{} : found->second;
    if (seen.results[0] == 0)
      wrong.push_back(fmt::format("{} {}: no test ran it", target, kernel.name));
    else if (seen.results[1] == 0)
      wrong.push_back(fmt::format("{} {}: no test ran it interleaved", target, kernel.name));
    table += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t0\t{}\t{}\tnone\t{:.3f}\n", target, kernel.name,
                         kernel.vgpr_count, kernel.sgpr_count, lds, occupancy.waves_per_simd, spills, scratch,
                         seen.results[0], seen.results[1], seen.largest);
  }
}

int certify_all(const fs::path& code, const fs::path& notes, const fs::path& to) {
  const AllSeen all = read_notes(notes);
  std::string table =
      "target\tkernel\tvgprs\tsgprs\tlds_bytes\twaves_per_simd\tspills\tscratch_bytes\tstray_accesses\tresults\t"
      "results_interleaved\traces\tlargest_error\n";
  std::vector<std::string> wrong;
  std::vector<fs::path> objects;
  for (const fs::directory_entry& entry : fs::directory_iterator(code))
    if (entry.path().extension() == ".co") objects.push_back(entry.path());
  std::ranges::sort(objects);
  for (const fs::path& path : objects) certify(path, all, table, wrong);
  std::ofstream(to) << table;
  fmt::print("{}: certificates of {} kernels\n", to.string(), std::ranges::count(table, '\n') - 1);
  for (const std::string& line : wrong) fmt::print("{}\n", line);
  if (!wrong.empty()) fmt::print("{} complaints\n", wrong.size());
  return wrong.empty() && !objects.empty() ? 0 : 1;
}

}  // namespace
}  // namespace wavesmith::kernels

int main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "usage: {} CODE NOTES TABLE\n", words[0]);
    return 2;
  }
  return wavesmith::kernels::certify_all(words[1], words[2], words[3]);
}
