# Finds Debian's LLVM/MLIR 22.1 and takes over its compile flags.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")

# LLVMConfig.cmake overwrites LLVM_ENABLE_ASSERTIONS with Debian's OFF: set it again, after it.
set(LLVM_ENABLE_ASSERTIONS ${FA_ENABLE_ASSERTIONS})
# add_mlir_doc writes to ${MLIR_BINARY_DIR}/docs, which is unset out of tree.
set(MLIR_BINARY_DIR "${CMAKE_BINARY_DIR}")
set(LLVM_LIT_ARGS "-sv")
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit")

include(TableGen)
include(AddLLVM)
include(AddMLIR)
if(FA_SANITIZE)
  add_compile_definitions(FA_SANITIZED)
  add_compile_options(-fsanitize=${FA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize=vptr)
  add_link_options(-fsanitize=${FA_SANITIZE})
endif()
include(HandleLLVMOptions)
find_program(FA_LLD ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}")
if(FA_LLD AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
