//===- CompilerLibrary.cpp - libFaCompiler.so, loaded when IR is given ----===//

#include "CompilerLibrary.h"
#include "Failure.h"
#include <dlfcn.h>
#include <filesystem>

namespace fa_run {

static void *openLibrary() {
  std::error_code ignored;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::filesystem::path beside = program.parent_path().parent_path() / "lib/libFaCompiler.so";
  if (std::filesystem::exists(beside, ignored)) {
    if (void *library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    throw Failure{kRefused, std::string("the compiler cannot be loaded: ") + dlerror()};
  }
  if (void *library = dlopen("libFaCompiler.so", RTLD_NOW | RTLD_LOCAL))
    return library;
  throw Failure{kRefused, "IR needs the compiler, which is not here (" + beside.string() +
                              "); an artifact of fa-compile runs without it"};
}

static CompilerLibrary load() {
  void *handle = openLibrary();
  CompilerLibrary library;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (!function)
      throw Failure{kRefused,
                    std::string("the compiler's library is another version: it has no ") + name};
  };
#define FA_COMPILER_FUNCTION(name) find(library.name, #name);
#include "compiler_functions.def"
  if (library.faCompilerAbiVersion() != FA_COMPILER_ABI_VERSION)
    throw Failure{kRefused, "the compiler's interface is version " +
                                std::to_string(library.faCompilerAbiVersion()) +
                                ", this fa-run needs " + std::to_string(FA_COMPILER_ABI_VERSION)};
  return library;
}

const CompilerLibrary &CompilerLibrary::get() {
  static const CompilerLibrary library = load();
  return library;
}

} // namespace fa_run
