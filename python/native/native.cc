// `wavesmith._native`: what the Python package needs of the C++ side. GPUs and code objects are read here;
// kernels run through the public HIP API of the library that `wavesmith.use` loaded.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>

#include "gpus/gpu.h"
#include "object/bundle.h"
#include "object/code_object.h"
#include "python/native/explain.h"
#include "python/native/failure.h"
#include "python/native/hip.h"
#include "python/native/kernels.h"
#include "python/native/predict.h"
#include "rocm/installation/environment.h"
#include "rocm/libraries/libraries.h"
#include "study/names.h"
#include "toolchain/discover.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

/// A GPU as {"id": ..., "numbers": {path: (value, unit, how known, source)}}.
nb::dict gpu_dict(const gpus::Gpu& gpu) {
  nb::dict numbers;
  for (const gpus::Field& field : gpus::fields()) {
    const gpus::Source& source = gpu.sources.find(field.path)->second;
    nb::object value = std::visit(
        [&](auto member) -> nb::object {
          const auto& held = gpu.*member;
          if constexpr (requires { held.has_value(); })
            return held ? nb::cast(*held) : nb::none();
          else
            return nb::cast(held);
        },
        field.member);
    numbers[nb::str(field.path.data(), field.path.size())] =
        nb::make_tuple(value, std::string(field.unit), std::string(gpus::name_of(source.kind)), source.text);
  }
  nb::dict result;
  result["id"] = gpu.id;
  result["numbers"] = numbers;
  return result;
}

nb::list all_gpus() {
  nb::list list;
  for (const gpus::Gpu* gpu : gpus::gpus())
    if (!gpu->predict_only) list.append(gpu_dict(*gpu));
  return list;
}

nb::list machine(const std::string& devices) {
  nb::list list;
  for (const gpus::Gpu* gpu : value_or_throw(gpus::find_machine(devices))) list.append(gpu_dict(*gpu));
  return list;
}

std::string describe(const std::string& devices) {
  return gpus::describe(value_or_throw(gpus::find_machine(devices)));
}

rocm::LibraryChoice library_choice(const std::string& devices) {
  auto choice = value_or_throw(rocm::LibraryChoice::parse({}));
  choice.run_on(value_or_throw(gpus::find_machine(devices)));
  return choice;
}

/// The files of AMD's libraries for this process: [path, ...], each behind those that it needs, and what is
/// in the way of AMD's that are there: [sentence, ...].
nb::tuple libraries(const std::string& devices, const std::string& folder) {
  const rocm::Libraries found = value_or_throw(rocm::find_libraries_here(folder, library_choice(devices)));
  std::vector<std::string> files, refused;
  for (const auto& [name, file] : found.support) files.push_back(file);
  // The dynamic linker finds the system's by itself.
  for (const std::string& file : found.order)
    if (found.of_file(file)->origin != rocm::LibraryProvider::Origin::System) files.push_back(file);
  for (const rocm::LibraryProvider& provider : found.providers) {
    if (!provider.is_amd && !provider.stand_in.empty()) files.push_back(provider.stand_in);
    if (!provider.refused.empty())
      refused.push_back(fmt::format("{} is not used: {}", provider.amd, provider.refused));
  }
  return nb::make_tuple(files, refused);
}

/// The variables with which programs find the machine's files and our libraries
/// (rocm/installation/environment.h).
rocm::Environment environment(const std::string& devices, const std::string& libraries) {
  toolchain::Toolchain tools = toolchain::discover();
  tools.runtime = libraries;
  const auto found = value_or_throw(rocm::find_libraries_here(libraries, library_choice(devices)));
  auto variables =
      value_or_throw(rocm::environment(value_or_throw(gpus::find_machine(devices)), tools, found));
  variables.merge(rocm::client_variables(libraries));
  return variables;
}

nb::dict kernel_dict(const object::Kernel& kernel) {
  nb::list arguments;
  for (const object::Argument& argument : kernel.arguments)
    if (!argument.hidden())
      arguments.append(nb::make_tuple(argument.name, argument.value_kind, argument.type_name, argument.offset,
                                      argument.size));
  nb::dict result;
  result["name"] = kernel.name;
  result["readable"] = study::readable(kernel.name);
  result["arguments"] = arguments;
  result["vgprs"] = kernel.vgpr_count;
  result["agprs"] = kernel.agpr_count;
  result["sgprs"] = kernel.sgpr_count;
  result["vgpr_spills"] = kernel.vgpr_spill_count;
  result["sgpr_spills"] = kernel.sgpr_spill_count;
  result["lds_bytes"] = kernel.fields.group_segment_fixed_size;
  result["scratch_bytes"] = kernel.fields.private_segment_fixed_size;
  result["kernarg_bytes"] = kernel.kernarg_size;
  result["wave_size"] = kernel.wavefront_size;
  result["max_workgroup"] = kernel.max_flat_workgroup_size;
  return result;
}

/// The code object for a GPU out of any of the forms that code comes in; without a GPU, the only one.
/// (target, [kernel, ...])
nb::tuple read_code(const nb::bytes& code, const std::optional<std::string>& gpu) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(code.c_str()), code.size());
  const object::Bundle bundle = value_or_throw(object::Bundle::parse(bytes));
  std::optional<object::BundleEntry> entry;
  if (gpu) {
    const auto devices = value_or_throw(gpus::find_machine(*gpu));
    entry =
        value_or_throw(bundle.choose(value_or_throw(object::TargetId::parse(devices.front()->arch_name))));
  } else if (bundle.entries().size() == 1) {
    entry = bundle.entries().front();
  } else {
    throw Failure({ErrorKind::BadInput,
                   fmt::format("the code is for several targets: {}", bundle.targets()),
                   {},
                   "say which GPU is meant: Module(code, gpu=\"mi300x\")"});
  }
  const object::CodeObject object = value_or_throw(object::CodeObject::parse(entry->bytes));
  nb::list kernels;
  for (const object::Kernel& kernel : object.kernels()) kernels.append(kernel_dict(kernel));
  return nb::make_tuple(object.target().text(), kernels);
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "The C++ side of the package wavesmith; use the package instead.";
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Failure& failure) {
      // (kind, what, where, hint, HIP error or None): wavesmith/_errors.py makes the typed exception of it.
      nb::object type = nb::module_::import_("wavesmith._errors").attr("from_native");
      nb::object made = type(failure.kind_name(), failure.error.what, failure.error.where, failure.error.hint,
                             failure.hip_error, failure.report);
      PyErr_SetObject(made.type().ptr(), made.ptr());
    }
  });
  m.def("gpus", all_gpus);
  m.def("machine", machine, nb::arg("devices"));
  m.def("describe", describe, nb::arg("devices"));
  m.def("environment", environment, nb::arg("devices"), nb::arg("libraries"));
  m.def("libraries", libraries, nb::arg("devices"), nb::arg("folder"));
  m.def("read_code", read_code, nb::arg("code"), nb::arg("gpu") = nb::none());
  m.def("means", &study::means, nb::arg("asked"), nb::arg("name"));
  m.def("predict", &predict, nb::arg("operation"), nb::arg("gpu"), nb::arg("set"), nb::arg("parameters"),
        nb::arg("clock"), nb::arg("timing"), nb::arg("warm"));
  m.def("operations", &operations);
  m.def("explain", &explain, nb::arg("path"), nb::arg("contents").none(), nb::arg("kernel"), nb::arg("gpu"),
        nb::arg("workgroup"), nb::arg("dynamic_lds"), nb::arg("served_by"), nb::arg("flags"));
  nb::class_<Hip>(m, "Hip")
      .def(nb::init<const std::string&>(), nb::arg("library"))
      .def("device", &Hip::device)
      .def("set_device", &Hip::set_device, nb::arg("device"))
      .def("load", &Hip::load, nb::arg("code"))
      .def("unload", &Hip::unload, nb::arg("module"))
      .def("function", &Hip::function, nb::arg("module"), nb::arg("kernel"))
      .def("allocate", &Hip::allocate, nb::arg("size"))
      .def("allocate_shared", &Hip::allocate_shared, nb::arg("size"))
      .def("reach", &Hip::reach, nb::arg("peer"))
      .def("free", &Hip::free, nb::arg("pointer"))
      .def("copy_in", &Hip::copy_in, nb::arg("to"), nb::arg("from_"), nb::arg("size"))
      .def("copy_out", &Hip::copy_out, nb::arg("to"), nb::arg("from_"), nb::arg("size"))
      .def("launch", &Hip::launch, nb::arg("function"), nb::arg("grid"), nb::arg("block"), nb::arg("shared"),
           nb::arg("values"))
      .def("synchronize", &Hip::synchronize)
      .def("order", &Hip::order, nb::arg("first"), nb::arg("second"));
  const nb::class_<wavesmith_kernels_gemm_description> gemm(m, "Gemm");
  m.def("gemm_description", &gemm_description, nb::arg("sizes"), nb::arg("alpha"), nb::arg("beta"),
        nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("d"), nb::arg("activation"), nb::arg("bias"),
        nb::arg("bias_type"), nb::arg("bias_per_row"), nb::arg("scales"), nb::arg("block_scales"),
        nb::arg("weights"), nb::arg("group_offsets"), nb::arg("a_rows"), nb::arg("gated"),
        nb::arg("groups_along_k"));
  const nb::class_<wavesmith_kernels_decode_description> decode(m, "Decode");
  m.def("decode_description", &decode_description, nb::arg("sizes"), nb::arg("type"), nb::arg("q"),
        nb::arg("o"), nb::arg("k"), nb::arg("v"), nb::arg("table"), nb::arg("contexts"), nb::arg("scale"),
        nb::arg("softcap"), nb::arg("window_left"), nb::arg("alibi_slopes"), nb::arg("sinks"),
        nb::arg("lse"));
  nb::class_<Kernels>(m, "Kernels")
      .def(nb::init<Hip&, const std::string&>(), nb::arg("hip"), nb::arg("library"), nb::keep_alive<1, 2>())
      .def("gemm_tiles", &Kernels::gemm_tiles, nb::arg("a"), nb::arg("b"))
      .def("gemm_check", &Kernels::gemm_check, nb::arg("gemm"))
      .def("gemm_workspace", &Kernels::gemm_workspace, nb::arg("gemm"), nb::arg("tile").none())
      .def("gemm", &Kernels::gemm, nb::arg("gemm"), nb::arg("tile").none(), nb::arg("workspace"),
           nb::arg("bytes"), nb::arg("stream"))
      .def("norm", &Kernels::norm, nb::arg("sizes"), nb::arg("x"), nb::arg("y"), nb::arg("residual"),
           nb::arg("sum"), nb::arg("weight"), nb::arg("bias"), nb::arg("weight_offset"), nb::arg("epsilon"),
           nb::arg("centred"), nb::arg("scales"), nb::arg("stream"))
      .def("all_reduce_buffer", &Kernels::all_reduce_buffer, nb::arg("sizes"), nb::arg("ranks"),
           nb::arg("type"))
      .def("all_reduce", &Kernels::all_reduce, nb::arg("sizes"), nb::arg("rank"), nb::arg("type"),
           nb::arg("x"), nb::arg("residual"), nb::arg("sum"), nb::arg("y"), nb::arg("weight"),
           nb::arg("weight_offset"), nb::arg("epsilon"), nb::arg("buffers"), nb::arg("bytes"),
           nb::arg("stream"))
      .def("softmax", &Kernels::softmax, nb::arg("sizes"), nb::arg("x"), nb::arg("y"), nb::arg("scale"),
           nb::arg("logarithm"), nb::arg("stream"))
      .def("router", &Kernels::router, nb::arg("sizes"), nb::arg("logits"), nb::arg("scores"),
           nb::arg("renormalised"), nb::arg("factor"), nb::arg("bias"), nb::arg("groups"), nb::arg("weights"),
           nb::arg("ids"), nb::arg("stream"))
      .def("gate", &Kernels::gate, nb::arg("sizes"), nb::arg("gate"), nb::arg("up"), nb::arg("y"),
           nb::arg("activation"), nb::arg("scales"), nb::arg("stream"))
      .def("elementwise", &Kernels::elementwise, nb::arg("sizes"), nb::arg("operation"), nb::arg("factors"),
           nb::arg("x"), nb::arg("z"), nb::arg("z_column_stride"), nb::arg("y"), nb::arg("stream"))
      .def("reduce_workspace", &Kernels::reduce_workspace, nb::arg("sizes"), nb::arg("reduction"),
           nb::arg("over"), nb::arg("x"), nb::arg("y"))
      .def("reduce", &Kernels::reduce, nb::arg("sizes"), nb::arg("reduction"), nb::arg("over"), nb::arg("x"),
           nb::arg("y"), nb::arg("workspace"), nb::arg("bytes"), nb::arg("stream"))
      .def("transpose", &Kernels::transpose, nb::arg("sizes"), nb::arg("x"), nb::arg("y"), nb::arg("stream"))
      .def("quantise", &Kernels::quantise, nb::arg("sizes"), nb::arg("x"), nb::arg("y"), nb::arg("scales"),
           nb::arg("stream"))
      .def("dequantise", &Kernels::dequantise, nb::arg("sizes"), nb::arg("x"), nb::arg("y"),
           nb::arg("scales"), nb::arg("stream"))
      .def(
          "attention",
          [](Kernels& kernels, decltype(AttentionWords::sizes) sizes, const std::string& type,
             const AttendedTuple& q, const AttendedTuple& k, const AttendedTuple& v, const AttendedTuple& o,
             float scale, float softcap, bool causal, decltype(AttentionWords::window) window,
             decltype(AttentionWords::alibi_slopes) alibi_slopes, decltype(AttentionWords::packed) packed,
             decltype(AttentionWords::lse) lse, uintptr_t sinks, decltype(AttentionWords::dropout) dropout,
             uintptr_t stream) {
            kernels.attention({sizes, type, q, k, v, o, scale, softcap, causal, window, alibi_slopes, packed,
                               lse, sinks, dropout},
                              stream);
          },
          nb::arg("sizes"), nb::arg("type"), nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("o"),
          nb::arg("scale"), nb::arg("softcap"), nb::arg("causal"), nb::arg("window"), nb::arg("alibi_slopes"),
          nb::arg("packed"), nb::arg("lse"), nb::arg("sinks"), nb::arg("dropout"), nb::arg("stream"))
      .def("sort_experts_workspace", &Kernels::sort_experts_workspace, nb::arg("sizes"), nb::arg("at"))
      .def("sort_experts", &Kernels::sort_experts, nb::arg("sizes"), nb::arg("at"), nb::arg("workspace"),
           nb::arg("bytes"), nb::arg("stream"))
      .def("combine", &Kernels::combine, nb::arg("sizes"), nb::arg("x"), nb::arg("addend"), nb::arg("y"),
           nb::arg("places"), nb::arg("weights"), nb::arg("stream"))
      .def("attention_dropout", &Kernels::attention_dropout, nb::arg("dropout"), nb::arg("heads"),
           nb::arg("row"), nb::arg("keys"))
      .def("rope", &Kernels::rope, nb::arg("sizes"), nb::arg("x"), nb::arg("y"), nb::arg("cosines"),
           nb::arg("sines"), nb::arg("positions"), nb::arg("first_position"), nb::arg("interleaved"),
           nb::arg("stream"))
      .def("decode_workspace", &Kernels::decode_workspace, nb::arg("decode"))
      .def("decode", &Kernels::decode, nb::arg("decode"), nb::arg("workspace"), nb::arg("bytes"),
           nb::arg("stream"))
      .def("cache", &Kernels::cache, nb::arg("sizes"), nb::arg("k"), nb::arg("v"), nb::arg("k_cache"),
           nb::arg("v_cache"), nb::arg("slots"), nb::arg("stream"));
  m.def("array_of", &array_of, nb::arg("array"));
  m.def("writable_array_of", &writable_array_of, nb::arg("array"));
  m.def("new_array", &new_array, nb::arg("hip"), nb::arg("shape"), nb::arg("type"), nb::arg("device"));
}

}  // namespace wavesmith::python
