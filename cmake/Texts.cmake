# wavesmith_texts(OUTPUT FOLDER HEADER NAMESPACE TYPE FUNCTION): writes OUTPUT, the texts of FOLDER's *.toml by their names
# without ending, as TYPE{id, text}, which FUNCTION answers sorted; HEADER declares both.
function(wavesmith_texts output)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;TYPE;FUNCTION;FOLDER" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${ARG_FOLDER}/*.toml)
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(table "")
  foreach(path ${files})
    get_filename_component(id ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND table "    {\"${id}\", R\"toml(${text})toml\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Generated from @ARG_FOLDER@ by cmake/Texts.cmake.
#include "@ARG_HEADER@"

namespace @ARG_NAMESPACE@ {
namespace {
const @ARG_TYPE@ kTexts[] = {
@table@};
}  // namespace
std::span<const @ARG_TYPE@> @ARG_FUNCTION@() { return kTexts; }
}  // namespace @ARG_NAMESPACE@
]])
endfunction()

# Its headers are all that is needed of toml++.
function(wavesmith_toml target)
  get_target_property(folders tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(${target} SYSTEM PRIVATE ${folders})
endfunction()
