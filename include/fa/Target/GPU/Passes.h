//===- Passes.h - Tile programs as GPU kernels ----------------------------===//
#ifndef FA_TARGET_GPU_PASSES_H
#define FA_TARGET_GPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fa/Target/GPU/Passes.h.inc"

} // namespace mlir::fa

#endif // FA_TARGET_GPU_PASSES_H
