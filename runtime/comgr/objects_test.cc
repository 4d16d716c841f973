// What comgr tells of code objects and isas. The numbers are those that AMD's comgr gives for the same files.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "runtime/comgr/api.h"
#include "runtime/comgr/metadata_tree.h"

namespace wavesmith::comgr {
namespace {

constexpr auto kRefused = AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;

amd_comgr_data_t data_of(amd_comgr_data_kind_t kind, const std::string& bytes) {
  amd_comgr_data_t data{};
  EXPECT_EQ(amd_comgr_create_data(kind, &data), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(amd_comgr_set_data(data, bytes.size(), bytes.data()), AMD_COMGR_STATUS_SUCCESS);
  return data;
}

std::string sample(const std::string& name) {
  std::ifstream file(std::filesystem::path(WAVESMITH_TESTDATA) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a call gives that tells the size first.
template <class Call>
std::string told(Call call) {
  size_t size = 0;
  if (call(&size, nullptr) != AMD_COMGR_STATUS_SUCCESS) return "refused";
  std::string text(size, '#');
  EXPECT_EQ(call(&size, text.data()), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

std::string text_at(amd_comgr_metadata_node_t map, const char* key) {
  amd_comgr_metadata_node_t value{};
  if (amd_comgr_metadata_lookup(map, key, &value) != AMD_COMGR_STATUS_SUCCESS) return "absent";
  std::string text =
      told([&](size_t* size, char* to) { return amd_comgr_get_metadata_string(value, size, to); });
  EXPECT_EQ(amd_comgr_destroy_metadata(value), AMD_COMGR_STATUS_SUCCESS);
  return text;
}

TEST(ComgrObjects, HaveIsaNames) {
  for (const auto& [file, isa] : std::map<std::string, std::string>{{"v4.co", "gfx942"},
                                                                    {"v6.co", "gfx942"},
                                                                    {"xnack.co", "gfx90a:sramecc+:xnack-"},
                                                                    {"generic.co", "gfx11-generic"}}) {
    const amd_comgr_data_t data = data_of(AMD_COMGR_DATA_KIND_EXECUTABLE, sample(file));
    EXPECT_EQ(told([&](size_t* size, char* to) { return amd_comgr_get_data_isa_name(data, size, to); }),
              "amdgcn-amd-amdhsa--" + isa);
    amd_comgr_release_data(data);
  }
  const amd_comgr_data_t none = data_of(AMD_COMGR_DATA_KIND_EXECUTABLE, "no code object");
  size_t size = 0;
  EXPECT_EQ(amd_comgr_get_data_isa_name(none, &size, nullptr), kRefused);
  amd_comgr_release_data(none);
}

TEST(ComgrObjects, HaveMetadata) {
  for (const char* const file : {"v5.co", "two_notes.co"}) {
    const amd_comgr_data_t data = data_of(AMD_COMGR_DATA_KIND_EXECUTABLE, sample(file));
    amd_comgr_metadata_node_t root{}, kernels{}, first{};
    ASSERT_EQ(amd_comgr_get_data_metadata(data, &root), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(text_at(root, "amdhsa.target"), "amdgcn-amd-amdhsa--gfx942");
    EXPECT_EQ(text_at(root, "nothing"), "absent");
    ASSERT_EQ(amd_comgr_metadata_lookup(root, "amdhsa.kernels", &kernels), AMD_COMGR_STATUS_SUCCESS);
    size_t size = 0;
    ASSERT_EQ(amd_comgr_get_metadata_list_size(kernels, &size), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(size, 2) << file;
    EXPECT_EQ(amd_comgr_get_metadata_map_size(kernels, &size), kRefused);
    ASSERT_EQ(amd_comgr_index_list_metadata(kernels, 0, &first), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_index_list_metadata(kernels, 2, &first), kRefused);
    EXPECT_EQ(text_at(first, ".wavefront_size"), "64");
    EXPECT_EQ(text_at(first, ".symbol"), std::string(file) == "v5.co" ? "scale.kd" : "first.kd");
    std::vector<std::string> keys;
    const auto note = [](amd_comgr_metadata_node_t key, amd_comgr_metadata_node_t, void* to) {
      static_cast<std::vector<std::string>*>(to)->push_back(
          told([&](size_t* bytes, char* text) { return amd_comgr_get_metadata_string(key, bytes, text); }));
      return AMD_COMGR_STATUS_SUCCESS;
    };
    EXPECT_EQ(amd_comgr_iterate_map_metadata(root, note, &keys), AMD_COMGR_STATUS_SUCCESS);
    ASSERT_FALSE(keys.empty());
    EXPECT_EQ(keys.front(), "amdhsa.kernels");
    for (const auto node : {root, kernels, first})
      EXPECT_EQ(amd_comgr_destroy_metadata(node), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_destroy_metadata(root), kRefused);
    amd_comgr_release_data(data);
  }
}

TEST(ComgrObjects, MetadataMayHaveNumbersForKeys) {
  // {"custom.config": {3: 32, "on": true}, "list": [-1, nil]}
  const std::vector<uint8_t> note = {0x82, 0xad, 'c',  'u', 's', 't',  'o', 'm',  '.',  'c',
                                     'o',  'n',  'f',  'i', 'g', 0x82, 3,   32,   0xa2, 'o',
                                     'n',  0xc3, 0xa4, 'l', 'i', 's',  't', 0x92, 0xff, 0xc0};
  const auto tree = parse_metadata({std::span(note)});
  ASSERT_TRUE(tree) << tree.error().text();
  const auto& config = *(*tree)->map.at("custom.config");
  EXPECT_EQ(config.map.at("3")->text, "32");
  EXPECT_EQ(config.map.at("on")->text, "1");
  const auto& list = (*tree)->map.at("list")->list;
  EXPECT_EQ(list.at(0)->text, "-1");
  EXPECT_EQ(list.at(1)->kind, AMD_COMGR_METADATA_KIND_NULL);
  EXPECT_FALSE(parse_metadata({std::span(note).first(20)}));
}

TEST(ComgrObjects, HaveSymbols) {
  const amd_comgr_data_t data = data_of(AMD_COMGR_DATA_KIND_EXECUTABLE, sample("v5.co"));
  amd_comgr_symbol_t symbol{};
  ASSERT_EQ(amd_comgr_symbol_lookup(data, "scale.kd", &symbol), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(amd_comgr_symbol_lookup(data, "nobody", &symbol), AMD_COMGR_STATUS_ERROR);
  size_t length = 0;
  uint64_t bytes = 0, address = 0;
  int type = 0;
  bool undefined = true;
  char name[9] = {};
  for (const auto& [what, to] : std::vector<std::pair<amd_comgr_symbol_info_t, void*>>{
           {AMD_COMGR_SYMBOL_INFO_NAME_LENGTH, &length},
           {AMD_COMGR_SYMBOL_INFO_NAME, name},
           {AMD_COMGR_SYMBOL_INFO_TYPE, &type},
           {AMD_COMGR_SYMBOL_INFO_SIZE, &bytes},
           {AMD_COMGR_SYMBOL_INFO_IS_UNDEFINED, &undefined},
           {AMD_COMGR_SYMBOL_INFO_VALUE, &address}})
    EXPECT_EQ(amd_comgr_symbol_get_info(symbol, what, to), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(length, 8);
  EXPECT_STREQ(name, "scale.kd");
  EXPECT_EQ(type, 1);
  EXPECT_EQ(bytes, 64);
  EXPECT_FALSE(undefined);
  uint64_t offset = 0, slice = 0;
  bool nobits = true;
  ASSERT_EQ(amd_comgr_map_elf_virtual_address_to_code_object_offset(data, address, &offset, &slice, &nobits),
            AMD_COMGR_STATUS_SUCCESS);
  EXPECT_GE(slice, 64);
  EXPECT_FALSE(nobits);
  EXPECT_EQ(
      amd_comgr_map_elf_virtual_address_to_code_object_offset(data, 1ull << 40, &offset, &slice, &nobits),
      kRefused);
  size_t count = 0, seen = 0;
  const auto more = [](amd_comgr_symbol_t, void* counter) {
    ++*static_cast<size_t*>(counter);
    return AMD_COMGR_STATUS_SUCCESS;
  };
  EXPECT_EQ(amd_comgr_iterate_symbols(data, more, &seen), AMD_COMGR_STATUS_SUCCESS);
  ASSERT_EQ(amd_comgr_populate_mangled_names(data, &count), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(count, seen);
  bool found = false;
  for (size_t i = 0; i < count; ++i)
    found |= told([&](size_t* size, char* to) { return amd_comgr_get_mangled_name(data, i, size, to); }) ==
             "shared_sum.kd";
  EXPECT_TRUE(found);
  amd_comgr_release_data(data);
}

TEST(ComgrObjects, LieInBundles) {
  const std::string bytes = sample("bundle.hipfb");
  const amd_comgr_data_t data = data_of(AMD_COMGR_DATA_KIND_FATBIN, bytes);
  amd_comgr_code_object_info_t places[] = {{"amdgcn-amd-amdhsa--gfx942", 9, 9},
                                           {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", 9, 9},
                                           {"amdgcn-amd-amdhsa--gfx900", 9, 9}};
  ASSERT_EQ(amd_comgr_lookup_code_object(data, places, 3), AMD_COMGR_STATUS_SUCCESS);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(bytes.substr(places[i].offset, 4),
              "\x7f"
              "ELF");
  EXPECT_EQ(places[2].size, 0);
  EXPECT_EQ(places[2].offset, 0);
  amd_comgr_release_data(data);
}

TEST(ComgrIsas, AreListedAndDescribed) {
  size_t count = 0;
  ASSERT_EQ(amd_comgr_get_isa_count(&count), AMD_COMGR_STATUS_SUCCESS);
  const char* name = nullptr;
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(amd_comgr_get_isa_name(i, &name), AMD_COMGR_STATUS_SUCCESS);
    names.emplace_back(name);
    amd_comgr_metadata_node_t node{};
    ASSERT_EQ(amd_comgr_get_isa_metadata(name, &node), AMD_COMGR_STATUS_SUCCESS) << name;
    EXPECT_EQ(text_at(node, "Name"), name);
    amd_comgr_destroy_metadata(node);
  }
  EXPECT_EQ(amd_comgr_get_isa_name(count, &name), kRefused);
  for (const char* const wanted : {"gfx90a", "gfx942", "gfx1100", "gfx1201", "gfx11-generic"})
    EXPECT_NE(std::find(names.begin(), names.end(), std::string("amdgcn-amd-amdhsa--") + wanted),
              names.end());
  amd_comgr_metadata_node_t node{}, features{};
  EXPECT_EQ(amd_comgr_get_isa_metadata("nonsense", &node), kRefused);
  ASSERT_EQ(amd_comgr_get_isa_metadata("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", &node),
            AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(text_at(node, "Processor"), "gfx942");
  EXPECT_EQ(text_at(node, "AddressableNumVGPRs"), "512");
  EXPECT_EQ(text_at(node, "ImageSupport"), "0");
  ASSERT_EQ(amd_comgr_metadata_lookup(node, "Features", &features), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(text_at(features, "sramecc"), "on");
  EXPECT_EQ(text_at(features, "xnack"), "off");
  amd_comgr_destroy_metadata(features);
  amd_comgr_destroy_metadata(node);
}

TEST(ComgrNames, AreDemangled) {
  for (const auto& [mangled, text] :
       std::map<std::string, std::string>{{"_Z4axpyPKfPf", "axpy(float const*, float*)"},
                                          {"_Z3fooDF16_", "foo(_Float16)"},
                                          {"plain", "plain"}}) {
    const amd_comgr_data_t from = data_of(AMD_COMGR_DATA_KIND_BYTES, mangled);
    amd_comgr_data_t to{};
    ASSERT_EQ(amd_comgr_demangle_symbol_name(from, &to), AMD_COMGR_STATUS_SUCCESS);
    size_t size = 0;
    ASSERT_EQ(amd_comgr_get_data(to, &size, nullptr), AMD_COMGR_STATUS_SUCCESS);
    std::string told(size, '#');
    ASSERT_EQ(amd_comgr_get_data(to, &size, told.data()), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(told, text);
    amd_comgr_release_data(from);
    amd_comgr_release_data(to);
  }
}

TEST(ComgrDescriptions, TellWhatTheyWereTold) {
  amd_comgr_action_info_t info{};
  ASSERT_EQ(amd_comgr_create_action_info(&info), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(amd_comgr_action_info_set_isa_name(info, "nonsense"), kRefused);
  EXPECT_EQ(amd_comgr_action_info_set_isa_name(info, "amdgcn-amd-amdhsa--gfx942"), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(told([&](size_t* size, char* to) { return amd_comgr_action_info_get_isa_name(info, size, to); }),
            "amdgcn-amd-amdhsa--gfx942");
  const char* options[] = {"-O3", "-g"};
  EXPECT_EQ(amd_comgr_action_info_set_option_list(info, options, 2), AMD_COMGR_STATUS_SUCCESS);
  size_t count = 0;
  EXPECT_EQ(amd_comgr_action_info_get_option_list_count(info, &count), AMD_COMGR_STATUS_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(told([&](size_t* size, char* to) {
              return amd_comgr_action_info_get_option_list_item(info, 1, size, to);
            }),
            "-g");
  EXPECT_EQ(amd_comgr_action_info_get_option_list_item(info, 2, &count, nullptr), kRefused);
  EXPECT_EQ(amd_comgr_destroy_action_info(info), AMD_COMGR_STATUS_SUCCESS);
}

TEST(ComgrLibrary, HasTheSymbolVersionsOfAmds) {
  void* const library = dlopen(WAVESMITH_COMGR, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const auto& [name, version] : std::map<std::string, std::string>{
           {"amd_comgr_do_action", "amd_comgr_1.8"},
           {"amd_comgr_action_info_set_isa_name", "amd_comgr_2.0"},
           {"amd_comgr_demangle_symbol_name", "amd_comgr_2.2"},
           {"amd_comgr_map_elf_virtual_address_to_code_object_offset", "amd_comgr_2.7"},
           {"amd_comgr_action_info_set_vfs", "amd_comgr3.1"}}) {
    EXPECT_NE(dlvsym(library, name.c_str(), version.c_str()), nullptr) << name << '@' << version;
    EXPECT_EQ(dlvsym(library, name.c_str(), "amd_comgr_9.9"), nullptr);
  }
  dlclose(library);
}

}  // namespace
}  // namespace wavesmith::comgr
