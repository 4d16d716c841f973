// For a program that runs already, Python for example: what LD_PRELOAD does at its start is done to the
// libraries that are loaded now. Each calls libc through slots that the dynamic linker has filled; those of
// functions that we stand in for are filled again.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "rocm/preload/call.h"
#include "rocm/preload/shown.h"

extern "C" {
extern const wavesmith::rocm::StandIn __start_stand_ins[], __stop_stand_ins[];
}

namespace wavesmith::rocm {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kSlot = R_X86_64_JUMP_SLOT, kAddress = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kSlot = R_AARCH64_JUMP_SLOT, kAddress = R_AARCH64_GLOB_DAT;
#endif

void* stand_in_for(const char* name) {
  for (const StandIn* one = __start_stand_ins; one != __stop_stand_ins; ++one)
    if (std::strcmp(one->name, name) == 0) return one->function;
  return nullptr;
}

/// Slots may lie in pages that were made read-only when the linker was done.
void fill(void** slot, void* function, bool read_only) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) & ~(page - 1));
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  if (read_only) mprotect(start, page, PROT_READ);
}

struct Library {
  uintptr_t base = 0;
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  uintptr_t read_only_start = 0, read_only_end = 0;

  void fill_all(const ElfW(Rela) * relocations, size_t bytes) const {
    if (!relocations || !strings || !symbols) return;
    for (size_t i = 0; i < bytes / sizeof *relocations; ++i) {
      const ElfW(Rela) & one = relocations[i];
      if (const uint32_t kind = ELF64_R_TYPE(one.r_info); kind != kSlot && kind != kAddress) continue;
      const ElfW(Sym) & symbol = symbols[ELF64_R_SYM(one.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      void* const function = stand_in_for(strings + symbol.st_name);
      if (!function) continue;
      const uintptr_t slot = base + one.r_offset;
      fill(reinterpret_cast<void**>(slot), function, slot >= read_only_start && slot < read_only_end);
    }
  }
};

int attach_to(dl_phdr_info* info, size_t, void*) {
  Library library{.base = info->dlpi_addr};
  const ElfW(Dyn)* dynamic = nullptr;
  const auto here = reinterpret_cast<uintptr_t>(&attach_to);
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(start);
    if (header.p_type == PT_GNU_RELRO)
      library.read_only_start = start,
      library.read_only_end = (start + header.p_memsz) & ~(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
    if (header.p_type == PT_LOAD && here >= start && here < start + header.p_memsz) return 0;  // ours
  }
  // libc and the linker call themselves; the kernel's page has no slots.
  const char* const name = info->dlpi_name ? info->dlpi_name : "";
  if (!dynamic || std::strstr(name, "/libc.so") || std::strstr(name, "/ld-linux") ||
      std::strstr(name, "vdso"))
    return 0;
  const ElfW(Rela)* slots = nullptr, *others = nullptr;
  size_t slot_bytes = 0, other_bytes = 0;
  // glibc has made the addresses of the dynamic section absolute.
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto pointer = static_cast<uintptr_t>(dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
      case DT_STRTAB:
        library.strings = reinterpret_cast<const char*>(pointer);
        break;
      case DT_SYMTAB:
        library.symbols = reinterpret_cast<const ElfW(Sym)*>(pointer);
        break;
      case DT_JMPREL:
        slots = reinterpret_cast<const ElfW(Rela)*>(pointer);
        break;
      case DT_PLTRELSZ:
        slot_bytes = dynamic->d_un.d_val;
        break;
      case DT_RELA:
        others = reinterpret_cast<const ElfW(Rela)*>(pointer);
        break;
      case DT_RELASZ:
        other_bytes = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  library.fill_all(slots, slot_bytes);
  library.fill_all(others, other_bytes);
  return 0;
}

}  // namespace
}  // namespace wavesmith::rocm

/// Shows this process, from now on, the folder that `wavesmith env` names as WAVESMITH_MACHINE_ROOT.
/// Libraries that are loaded later are not reached: call it again. Returns 0, or -1 when that is no such
/// folder.
extern "C" [[gnu::visibility("default")]] int wavesmith_machine_attach(const char* root) {
  using namespace wavesmith::rocm;
  if (!show(root)) return -1;
  dl_iterate_phdr(attach_to, nullptr);
  return 0;
}
