#include "study/code_input.h"

#include "base/file.h"
#include "study/code_testing.h"

namespace wavesmith::study {
namespace {

const gpus::Gpu* gpu(const char* id) { return *gpus::find_gpu(id); }

std::vector<std::string> flags() { return {"-nogpuinc", "-nogpulib"}; }

TEST(CodeInput, TakesEveryFormThatGpuCodeComesIn) {
  for (const auto& [form, path] : sample_files()) {
    SCOPED_TRACE(form);
    const Result<Code> code = open_code({path, nullptr, flags()});
    ASSERT_TRUE(code) << code.error().text();
    EXPECT_EQ(name_of(code->form), form);
    EXPECT_EQ(code->gpu->target, "gfx942");
    ASSERT_EQ(code->objects.size(), 1);
    EXPECT_EQ(code->objects[0].kernels().size(), 2);
    EXPECT_NE(code->objects[0].kernel("square"), nullptr);
    EXPECT_NE(code->objects[0].kernel("dot"), nullptr);
  }
}

TEST(CodeInput, TakesEveryFormWithoutItsFile) {
  for (const auto& [form, path] : sample_files()) {
    SCOPED_TRACE(form);
    const auto bytes = read_file(path);
    ASSERT_TRUE(bytes);
    const Result<Code> code = open_code({"<bytes>", nullptr, flags(), *bytes});
    ASSERT_TRUE(code) << code.error().text();
    EXPECT_EQ(name_of(code->form), form);
    ASSERT_EQ(code->objects.size(), 1);
    EXPECT_EQ(code->objects[0].kernels().size(), 2);
  }
  const Result<Code> none = open_code({"<bytes>", nullptr, {}, std::span<const uint8_t>()});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(none.error().where, "<bytes>");
}

TEST(CodeInput, TheGpuAskedForChoosesTheCode) {
  for (const auto& [form, path] : sample_files()) {
    SCOPED_TRACE(form);
    const bool has_both = form == "HIP source" || form == "an offload bundle" ||
                          form == "a compressed offload bundle" || form == "a text bundle" ||
                          form.starts_with("a host") || form == "a shared library";
    const Result<Code> code = open_code({path, gpu("rx9070xt"), flags()});
    ASSERT_EQ(code.has_value(), has_both) << (code ? "" : code.error().text());
    if (code) {
      EXPECT_EQ(code->target, "gfx1201");
    } else {
      EXPECT_EQ(code.error().kind, ErrorKind::WrongTarget);
      EXPECT_NE(code.error().hint.find("gfx942"), std::string::npos) << code.error().text();
    }
  }
}

TEST(CodeInput, SourceIsCompiledForEveryDescribedGpuAndSaysHow) {
  for (const char* id : {"mi210", "mi300x", "mi355x", "rx7900xtx", "radeon8060s", "rx9070xt"}) {
    const Result<Code> code = open_code({CodeSamples::get() / "sample.hip", gpu(id), flags()});
    ASSERT_TRUE(code) << code.error().text();
    EXPECT_EQ(code->objects[0].target().processor, gpu(id)->target);
    EXPECT_FALSE(code->command.empty());
    EXPECT_GT(code->compile_seconds, 0);
  }
}

TEST(CodeInput, FlagsReachTheCompiler) {
  const CodeSamples& samples = CodeSamples::get();
  const std::string source = samples.write(
      "choice.hip", std::string(kSampleSource) + "\n#ifdef MORE\nGLOBAL void more() {}\n#endif\n");
  auto with = flags();
  with.emplace_back("-DMORE");
  EXPECT_EQ(open_code({source, gpu("mi300x"), flags()})->objects[0].kernels().size(), 2);
  EXPECT_EQ(open_code({source, gpu("mi300x"), with})->objects[0].kernels().size(), 3);
}

TEST(CodeInput, AFileWithATellingTextNeedsNoTellingName) {
  const CodeSamples& samples = CodeSamples::get();
  static_cast<void>(sample_files());  // makes them
  for (const char* name : {"sample.s", "sample.ll"}) {
    const std::string path = samples.write(std::string(name) + ".txt", slurp(samples / name));
    const Result<Code> code = open_code({path, nullptr, {}});
    ASSERT_TRUE(code) << name << code.error().text();
    EXPECT_EQ(code->objects[0].kernels().size(), 2);
  }
}

TEST(CodeInput, WhatIsWrongIsNamed) {
  const CodeSamples& samples = CodeSamples::get();
  const auto error = [&](const std::string& name, const std::string& text) {
    const Result<Code> code = open_code({samples.write(name, text), nullptr, flags()});
    EXPECT_FALSE(code) << name;
    return code ? Error{} : code.error();
  };
  EXPECT_EQ(open_code({"/no/such/file", nullptr, {}}).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(open_code({"/tmp", nullptr, {}}).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(error("empty.co", "").kind, ErrorKind::BadInput);
  EXPECT_EQ(error("text.txt", "nothing of the kind\n").kind, ErrorKind::BadInput);
  EXPECT_EQ(error("zeros.bin", std::string(4096, '\0')).kind, ErrorKind::BadInput);
  EXPECT_EQ(error("lib.a", "!<arch>\n").kind, ErrorKind::Unsupported);

  const Error broken = error("broken.hip", "__global__ void f() { not_there(); }\n");
  EXPECT_EQ(broken.kind, ErrorKind::BadInput);
  EXPECT_NE(broken.hint.find("broken.hip:1:"), std::string::npos) << broken.hint;

  EXPECT_EQ(error("none.hip", "int only_for_the_host;\n").kind, ErrorKind::NotFound);
  EXPECT_EQ(error("none.s", "s_endpgm\n").kind, ErrorKind::NotFound);
  EXPECT_EQ(
      error("none.ll", "target triple = \"amdgcn-amd-amdhsa\"\ndefine void @f() {\n ret void\n}\n").kind,
      ErrorKind::NotFound);
  const Error host = error("host.ll", "target triple = \"x86_64-pc-linux-gnu\"\n");
  EXPECT_EQ(host.kind, ErrorKind::WrongTarget);
  EXPECT_NE(host.what.find("x86_64"), std::string::npos);
  EXPECT_EQ(error("bad.ll", "define amdgpu_kernel void @f( {\n").kind, ErrorKind::BadInput);
  EXPECT_EQ(error("bad.bc", "BC\xC0\xDE and nothing").kind, ErrorKind::BadInput);
  EXPECT_EQ(
      error("bad.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.amdhsa_kernel k\n v_nothing v0\n").kind,
      ErrorKind::BadInput);
  const Error old = error("old.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.amdhsa_kernel k\n");
  EXPECT_EQ(old.kind, ErrorKind::Unsupported);
  EXPECT_NE(old.what.find("gfx803"), std::string::npos);
  EXPECT_EQ(open_code({samples / "sample.hip", gpu("mi100"), flags()}).error().kind, ErrorKind::Unsupported)
      << "described for predictions only";
  EXPECT_EQ(open_code({"/bin/sh", nullptr, {}}).error().kind, ErrorKind::NotFound)
      << "a program without GPU code";
}

TEST(CodeInput, DamagedFilesAreAnswered) {
  for (const char* name :
       {"sample.co", "bundle.hipfb", "small.hipfb", "sample.o", "libsample.so", "bundle.s"}) {
    sample_files();
    const std::string whole = slurp(CodeSamples::get() / name);
    for (size_t part = 1; part < 16; ++part) {
      const std::string path = CodeSamples::get().write("cut", whole.substr(0, whole.size() * part / 16));
      if (form_of({reinterpret_cast<const uint8_t*>(whole.data()), whole.size()}, {}) ==
              CodeForm::TextBundle &&
          part % 5)
        continue;  // each asks the compiler
      const Result<Code> code = open_code({path, gpu("mi300x"), {}});
      if (!code) {
        EXPECT_NE(code.error().kind, ErrorKind::Internal) << name << code.error().text();
      }
    }
  }
}

TEST(CodeInput, KernelsAreFoundByNameOrPart) {
  const Result<Code> code = open_code({sample_files()[4].second, nullptr, {}});
  ASSERT_TRUE(code);
  EXPECT_EQ(find_kernels(*code, "")->size(), 2);
  EXPECT_EQ(find_kernels(*code, "dot")->size(), 1);
  EXPECT_EQ(find_kernels(*code, "squ")->front().kernel->name, "square");
  const auto none = find_kernels(*code, "cube");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::NotFound);
  EXPECT_NE(none.error().hint.find("'square'"), std::string::npos) << none.error().hint;
}

}  // namespace
}  // namespace wavesmith::study
