#include "cli/kernels/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "cli/file.h"
#include "object/code_object.h"
#include "study/tune/product.h"

namespace wavesmith::cli {
namespace {

bool has_kernels(const gpus::Gpu& gpu) {
  return !gpu.predict_only && std::ranges::any_of(kernels::gemm_configurations(),
                                                  [&](const auto& row) { return row.target == gpu.target; });
}

}  // namespace

std::vector<const gpus::Gpu*> gpus_with_kernels() {
  std::vector<const gpus::Gpu*> found;
  for (const gpus::Gpu* gpu : gpus::gpus())
    if (has_kernels(*gpu) &&
        std::ranges::none_of(found, [&](auto* other) { return other->target == gpu->target; }))
      found.push_back(gpu);
  return found;
}

Result<Library> read_library(const gpus::Gpu& gpu) {
  if (!has_kernels(gpu)) {
    std::vector<std::string> targets;
    for (const gpus::Gpu* other : gpus_with_kernels()) targets.push_back(other->target);
    return fail(ErrorKind::NotFound, fmt::format("there are no kernels for {} ({})", gpu.name, gpu.target),
                {}, fmt::format("there are some for {}", fmt::join(targets, ", ")));
  }
  const Result<std::string> where = study::kernels_folder();
  if (!where) return tl::unexpected(where.error());
  Library library{.gpu = &gpu, .file = fmt::format("{}/{}.co", *where, gpu.target)};
  const auto image = read_file(library.file);
  if (!image)
    return fail(ErrorKind::NotFound, fmt::format("there is no code object {}", library.file), {},
                "the kernels are built with Wavesmith: make build");
  const Result<object::CodeObject> object = object::CodeObject::parse(*image);
  if (!object) return tl::unexpected(object.error());
  library.bytes = image->size();
  for (const object::Kernel& kernel : object->kernels()) {
    LibraryKernel& one = library.kernels.emplace_back(LibraryKernel{.kernel = kernel});
    for (const object::Routine& routine : object->routines())
      if (routine.name == kernel.name) one.code_bytes = routine.size;
    one.occupancy =
        gpus::occupancy(gpu, {kernel.vgpr_count, kernel.sgpr_count, kernel.fields.group_segment_fixed_size,
                              std::max(1U, kernel.max_flat_workgroup_size), kernel.wavefront_size});
  }
  std::ranges::sort(library.kernels, {}, [](const LibraryKernel& one) { return one.kernel.name; });
  return library;
}

std::vector<const LibraryKernel*> kernels_of(const Library& library, const kernels::GemmConfiguration& tile) {
  const std::string part = fmt::format("_{}_", tile.name);
  std::vector<const LibraryKernel*> found;
  for (const LibraryKernel& one : library.kernels) {
    const std::string& name = one.kernel.name;
    const size_t layout = name.find(part) + part.size();  // that of A and that of B are a letter each
    if (one.operation() == "gemm" && tile.has(one.types()) && name.find(part) != name.npos &&
        tile.has_layout(name[layout] == 'k', name[layout + 1] == 'k'))
      found.push_back(&one);
  }
  return found;
}

}  // namespace wavesmith::cli
