#include "rocm/libraries/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/environment.h"
#include "rocm/libraries/installation.h"
#include "rocm/libraries/library_details.h"
#include "rocm/libraries/library_folders.h"
#include "rocm/libraries/shared_object.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;
using Origin = LibraryProvider::Origin;
using Prefer = KnownLibrary::Prefer;

/// Where AMD's libraries may lie, in the order in which a program's own search would meet them.
struct SearchFolders {
  std::vector<std::string> given, installed, rocm, system, support, libc;
  [[nodiscard]] std::vector<std::pair<Origin, std::string>> all() const {
    std::vector<std::pair<Origin, std::string>> list;
    for (const auto& [origin, folders] :
         {std::pair(Origin::Given, &given), std::pair(Origin::Installed, &installed),
          std::pair(Origin::Rocm, &rocm), std::pair(Origin::System, &system)})
      for (const std::string& folder : *folders) list.emplace_back(origin, folder);
    return list;
  }
};

/// Decides for every soname. With `own_libc` programs are started by the installation's loader; AMD's have to
/// have kernels for all `gpus` where there are stand-ins.
class Survey {
 public:
  Survey(const SearchFolders& places, const Installation& installation, std::string runtime, bool own_libc,
         const std::set<std::string>& gpus)
      : places_(places),
        installation_(installation),
        runtime_(std::move(runtime)),
        own_libc_(own_libc),
        gpus_(gpus) {
    add_stand_ins(runtime_ + "/stand-ins");
    for (const auto& [origin, folder] : places_.all()) add_amds(origin, folder);
  }

  void decide() {
    for (auto& [soname, provider] : providers_)
      if (provider.library->prefer == Prefer::Amd || provider.stand_in.empty() ||
          (provider.library->prefer == Prefer::Chosen && installed_by_name(*provider.library)))
        take_amds(provider);
  }

  /// Libraries of AMD's that cannot be loaded.
  [[nodiscard]] int refused() const {
    int count = 0;
    for (const auto& [soname, provider] : providers_) count += !provider.is_amd && !provider.refused.empty();
    return count;
  }

  void put_into(Libraries& libraries) {
    for (auto& [soname, provider] : providers_) libraries.providers.push_back(provider);
    std::sort(libraries.providers.begin(), libraries.providers.end(), [](const auto& a, const auto& b) {
      return std::pair<std::string_view, std::string_view>(a.library->title, a.soname) <
             std::pair<std::string_view, std::string_view>(b.library->title, b.soname);
    });
    libraries.order = order_;
    libraries.support = support_;
  }

 private:
  LibraryProvider* provider_for(const std::string& soname) {
    const KnownLibrary* const library = library_of_file(soname);
    if (!library) return nullptr;
    LibraryProvider& provider = providers_[soname];
    provider.library = library;
    provider.soname = soname;
    return &provider;
  }

  void add_stand_ins(const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (const std::string name = entry.path().filename(); soname_of_file(name) == name)
        if (LibraryProvider* const provider = provider_for(name)) provider->stand_in = entry.path();
    // The runtime's own parts.
    for (const fs::directory_entry& entry : fs::directory_iterator(runtime_, ignored))
      if (const std::string name = entry.path().filename(); soname_of_file(name) == name)
        if (LibraryProvider* const provider = provider_for(name)) provider->stand_in = entry.path();
  }

  void add_amds(Origin origin, const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename();
      if (!library_of_file(name) || soname_of_file(name) != name) continue;
      LibraryProvider* const provider = provider_for(name);
      // Only an installation's compilers can be asked for.
      if (!provider->amd.empty() ||
          (provider->library->prefer == Prefer::Chosen && origin != Origin::Installed))
        continue;
      provider->amd = entry.path();
      provider->origin = origin;
    }
  }

  [[nodiscard]] bool installed_by_name(const KnownLibrary& library) const {
    // hiprtc compiles by comgr.
    return installation_.has(library.name) ||
           (std::string_view(library.name) == "comgr" && installation_.has("hiprtc"));
  }

  /// AMD's, if it is there and can be loaded.
  bool take_amds(LibraryProvider& provider) {
    if (provider.is_amd) return true;
    if (provider.amd.empty() || !provider.refused.empty()) return false;
    if (!under_way_.insert(provider.soname).second) return true;  // two that need each other
    provider.refused = why_not(provider.amd);
    if (provider.refused.empty() && !provider.stand_in.empty())
      provider.refused = missing_kernels(provider, gpus_);
    under_way_.erase(provider.soname);
    if (!provider.refused.empty()) return false;
    provider.is_amd = true;
    order_.push_back(provider.amd);
    return true;
  }

  /// Why the library cannot be loaded; empty when it can.
  std::string why_not(const std::string& path) {
    const Result<SharedObject> object = SharedObject::read(path);
    if (!object) return object.error().what;
    if (object->machine != own_machine()) return "it is for another kind of processor";
    for (const std::string& needed : object->needed) {
      std::string file;
      if (LibraryProvider* const other = known(needed)) {
        const bool amds = take_amds(*other);
        // A handle of one is none of the other, so libraries that compute stay together.
        if (!amds && other->library->prefer == Prefer::Amd)
          return fmt::format("it needs AMD's {}, {}", needed,
                             other->refused.empty() ? "which is not here" : "which is not used");
        file = amds ? other->amd : other->stand_in;
      } else {
        file = located(needed);
        for (const std::string& folder : object->folders)
          if (file.empty() && is_there(folder + "/" + needed)) file = folder + "/" + needed;
        if (file.empty()) return fmt::format("it needs {}, which is not here", needed);
      }
      const auto wanted = object->wanted.find(needed);
      if (wanted == object->wanted.end() || wanted->second.empty()) continue;
      const std::set<std::string>& versions = versions_of(file);
      for (const std::string& version : wanted->second)
        if (!versions.contains(version)) return fmt::format("it needs {} of {}", version, file);
    }
    return {};
  }

  /// The provider for a library of AMD's; nullptr for what our runtime or others serve.
  LibraryProvider* known(const std::string& soname) {
    const auto found = providers_.find(soname);
    if (found != providers_.end() &&
        (found->second.library->prefer != Prefer::Chosen || installed_by_name(*found->second.library)))
      return &found->second;
    return nullptr;
  }

  /// The file that the dynamic linker will take for that name; what has to come from the installation is
  /// noted.
  std::string located(const std::string& name) {
    if (const auto known = located_.find(name); known != located_.end()) return known->second;
    return located_[name] = search(name);
  }

  std::string search(const std::string& name) {
    if (own_libc_)
      for (const std::string& folder : places_.libc)
        if (is_there(folder + "/" + name)) return folder + "/" + name;
    std::vector<std::string> folders = {runtime_};
    for (const auto* more : {&places_.given, &places_.installed, &places_.rocm})
      folders.insert(folders.end(), more->begin(), more->end());
    for (const std::string& folder : folders)
      if (is_there(folder + "/" + name)) return folder + "/" + name;
    std::string system, installed;
    for (const std::string& folder : places_.system)
      if (system.empty() && is_there(folder + "/" + name)) system = folder + "/" + name;
    for (const std::string& folder : places_.support)
      if (installed.empty() && is_there(folder + "/" + name)) installed = folder + "/" + name;
    if (installed.empty() || (!system.empty() && covers(system, installed))) return system;
    // A file of a version of the C library that this one has not is of no use.
    if (!why_not(installed).empty()) return system;
    support_.emplace_back(name, installed);
    return installed;
  }

  /// Whether one copy of a library can be taken for another.
  bool covers(const std::string& copy, const std::string& other) {
    const std::set<std::string>&has = versions_of(copy), &wanted = versions_of(other);
    if (!wanted.empty()) return std::includes(has.begin(), has.end(), wanted.begin(), wanted.end());
    const std::set<std::string> names = exported(copy), others = exported(other);
    return std::includes(names.begin(), names.end(), others.begin(), others.end());
  }

  const std::set<std::string>& versions_of(const std::string& file) {
    const auto known = versions_.find(file);
    if (known != versions_.end()) return known->second;
    const Result<SharedObject> object = SharedObject::read(file);
    return versions_[file] = object ? object->versions : std::set<std::string>();
  }

  static unsigned own_machine() {
    static const unsigned machine = [] {
      const Result<SharedObject> self = SharedObject::read("/proc/self/exe");
      return self ? self->machine : 0;
    }();
    return machine;
  }

  const SearchFolders& places_;
  const Installation& installation_;
  std::string runtime_;
  bool own_libc_;
  const std::set<std::string>& gpus_;
  std::map<std::string, LibraryProvider> providers_;
  std::set<std::string> under_way_;
  std::vector<std::string> order_;
  std::vector<std::pair<std::string, std::string>> support_;
  std::map<std::string, std::string> located_;
  std::map<std::string, std::set<std::string>> versions_;
};

Result<Libraries> find(const std::string& runtime, const LibraryChoice& choice, bool may_start_programs) {
  Libraries libraries;
  libraries.runtime = runtime;
  libraries.stand_ins = runtime + "/stand-ins";
  libraries.given = given_folders();
  const std::string folder = choice.folder.empty() ? toolchain::installation_folder() : choice.folder;
  Installation installation;
  SearchFolders places;
  if (choice.mode != LibraryChoice::Mode::StandIns) {
    installation = read_installation(folder);
    places = {.given = libraries.given,
              .installed = installation.libraries("amd"),
              .rocm = rocm_folders(),
              .system = system_folders(),
              .support = installation.libraries("support"),
              .libc = installation.libraries("libc")};
  }
  const std::set<std::string> any, &gpus = choice.mode == LibraryChoice::Mode::Auto ? choice.gpus : any;
  Survey survey(places, installation, runtime, false, gpus);
  survey.decide();
  const std::string loader = may_start_programs ? installation.loader() : "";
  if (survey.refused() > 0 && !loader.empty()) {
    Survey with_loader(places, installation, runtime, true, gpus);
    with_loader.decide();
    if (with_loader.refused() < survey.refused()) {
      with_loader.put_into(libraries);
      libraries.loader = loader;
      libraries.libc = fs::path(loader).parent_path();
    }
  }
  if (libraries.loader.empty()) survey.put_into(libraries);
  for (const LibraryProvider& provider : libraries.providers) {
    const std::string its_folder = fs::path(provider.amd).parent_path();
    if (provider.is_amd && (provider.origin == Origin::Installed || provider.origin == Origin::Rocm) &&
        std::find(libraries.folders.begin(), libraries.folders.end(), its_folder) == libraries.folders.end())
      libraries.folders.push_back(its_folder);
  }
  const bool headers_alone =
      !choice.folder.empty() &&
      std::all_of(installation.asked.begin(), installation.asked.end(), [](const std::string& name) {
        const KnownLibrary* const known = known_library(name);
        return known && !*known->file;
      });
  if (choice.mode != LibraryChoice::Mode::Amd || libraries.any_amd() || headers_alone) return libraries;
  for (const LibraryProvider& provider : libraries.providers)
    if (!provider.refused.empty())
      return fail(ErrorKind::NotFound,
                  fmt::format("AMD's {} is not used: {}", provider.library->title, provider.refused),
                  provider.amd, "'wavesmith libraries' lists what is there");
  return fail(ErrorKind::NotFound, "none of AMD's libraries is on this machine", {},
              "wavesmith libraries install rocblas fetches Debian's, without root");
}

}  // namespace

Result<LibraryChoice> LibraryChoice::parse(std::string text) {
  const char* const variable = std::getenv("WAVESMITH_LIBRARIES");
  if (text.empty() && variable) text = variable;
  LibraryChoice choice;
  if (text.empty() || text == "auto") return choice;
  choice.mode = text == "stand-ins" ? Mode::StandIns : Mode::Amd;
  if (text == "amd" || text == "stand-ins") return choice;
  if (text.find('/') == text.npos && !is_there(text))
    return fail(ErrorKind::BadInput, fmt::format("'{}' does not select AMD's libraries", text), {},
                "auto, amd, stand-ins, or a folder that 'wavesmith libraries install --to' filled");
  if (read_installation(text).packages.empty())
    return fail(ErrorKind::NotFound, fmt::format("no library was installed in '{}'", text), {},
                fmt::format("wavesmith libraries install rocblas --to {}", text));
  std::error_code ignored;
  choice.folder = fs::weakly_canonical(text, ignored);
  return choice;
}

void LibraryChoice::run_on(std::span<const gpus::Gpu* const> machine) {
  for (const auto* const gpu : machine) gpus.insert(gpu->arch_name);
}

std::string name_of(LibraryProvider::Origin origin) {
  switch (origin) {
    case Origin::None:
      return "none";
    case Origin::Given:
      return "LD_LIBRARY_PATH";
    case Origin::Installed:
      return "installed";
    case Origin::Rocm:
      return "ROCm";
    case Origin::System:
      return "system";
  }
  return "unknown";
}

std::string Libraries::warning() const {
  bool rocblas = false, hipblas = false;
  for (const LibraryProvider& provider : providers)
    if (provider.is_amd) {
      rocblas |= std::string_view(provider.library->file) == "rocblas";
      hipblas |= std::string_view(provider.library->file) == "hipblas";
    }
  if (!rocblas || hipblas) return {};
  return "AMD's rocBLAS is here without AMD's hipBLAS, whose handles programs pass to rocBLAS, as ONNX "
         "Runtime "
         "does; wavesmith libraries install hipblas";
}

const LibraryProvider* Libraries::of_file(const std::string& path) const {
  std::error_code ignored;
  const fs::path asked = fs::weakly_canonical(path, ignored);
  for (const LibraryProvider& provider : providers)
    if (!provider.amd.empty() && fs::weakly_canonical(provider.amd, ignored) == asked) return &provider;
  return nullptr;
}

Result<Libraries> find_libraries(const std::string& runtime, const LibraryChoice& choice) {
  return find(runtime, choice, true);
}

Result<Libraries> find_libraries_here(const std::string& runtime, const LibraryChoice& choice) {
  return find(runtime, choice, false);
}

}  // namespace wavesmith::rocm
