// Calls of comgr that are there, so that programs can be linked and loaded, and that say that they are not
// served.
#include <cstdio>

#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith::comgr;

amd_comgr_status_t wavesmith::comgr::not_served(const char* what) {
  std::fprintf(stderr, "wavesmith: comgr does not serve %s\n", what);
  return AMD_COMGR_STATUS_ERROR;
}

amd_comgr_status_t amd_comgr_populate_name_expression_map(amd_comgr_data_t, size_t*) {
  return not_served("the map of name expressions (hiprtc has its own)");
}
amd_comgr_status_t amd_comgr_map_name_expression_to_symbol_name(amd_comgr_data_t, size_t*, const char*,
                                                                char*) {
  return not_served("the map of name expressions (hiprtc has its own)");
}
amd_comgr_status_t amd_comgr_create_disassembly_info(const char*,
                                                     uint64_t (*)(uint64_t, char*, uint64_t, void*),
                                                     void (*)(const char*, void*), void (*)(uint64_t, void*),
                                                     amd_comgr_disassembly_info_t*) {
  return not_served("disassembly ('wavesmith explain' shows machine code)");
}
amd_comgr_status_t amd_comgr_destroy_disassembly_info(amd_comgr_disassembly_info_t) {
  return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
}
amd_comgr_status_t amd_comgr_disassemble_instruction(amd_comgr_disassembly_info_t, uint64_t, void*,
                                                     uint64_t*) {
  return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
}
amd_comgr_status_t amd_comgr_create_symbolizer_info(amd_comgr_data_t, void (*)(const char*, void*),
                                                    amd_comgr_symbolizer_info_t*) {
  return not_served("source lines ('wavesmith explain' shows them)");
}
amd_comgr_status_t amd_comgr_destroy_symbolizer_info(amd_comgr_symbolizer_info_t) {
  return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
}
amd_comgr_status_t amd_comgr_symbolize(amd_comgr_symbolizer_info_t, uint64_t, bool, void*) {
  return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
}
