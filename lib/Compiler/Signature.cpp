//===- Signature.cpp ------------------------------------------------------===//

#include "Signature.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

int64_t mlir::fa::getByteSize(FaDType dtype) {
  switch (dtype) {
  case FA_DTYPE_INVALID:
    return 0;
  case FA_DTYPE_BOOL:
  case FA_DTYPE_I8:
    return 1;
  case FA_DTYPE_I16:
  case FA_DTYPE_F16:
  case FA_DTYPE_BF16:
    return 2;
  case FA_DTYPE_I32:
  case FA_DTYPE_F32:
    return 4;
  case FA_DTYPE_I64:
  case FA_DTYPE_F64:
    return 8;
  }
  return 0;
}

StringRef mlir::fa::getName(FaDType dtype) {
  static constexpr StringRef names[] = {"invalid", "bool", "i8",   "i16", "i32",
                                        "i64",     "f16",  "bf16", "f32", "f64"};
  return names[dtype >= FA_DTYPE_INVALID && dtype <= FA_DTYPE_F64 ? dtype : 0];
}

bool mlir::fa::isFloat(FaDType dtype) { return dtype >= FA_DTYPE_F16 && dtype <= FA_DTYPE_F64; }

static FaDType getIntegerDType(unsigned width) {
  switch (width) {
  case 1:
    return FA_DTYPE_BOOL;
  case 8:
    return FA_DTYPE_I8;
  case 16:
    return FA_DTYPE_I16;
  case 32:
    return FA_DTYPE_I32;
  case 64:
    return FA_DTYPE_I64;
  default:
    return FA_DTYPE_INVALID;
  }
}

static FaDType getDType(Type type) {
  return llvm::TypeSwitch<Type, FaDType>(type)
      .Case<IndexType>([](auto) { return FA_DTYPE_I64; })
      .Case<IntegerType>([](IntegerType t) { return getIntegerDType(t.getWidth()); })
      .Case<Float16Type>([](auto) { return FA_DTYPE_F16; })
      .Case<BFloat16Type>([](auto) { return FA_DTYPE_BF16; })
      .Case<Float32Type>([](auto) { return FA_DTYPE_F32; })
      .Case<Float64Type>([](auto) { return FA_DTYPE_F64; })
      .Default(FA_DTYPE_INVALID);
}

static llvm::Expected<ValueType> readType(Type type, const Twine &name, StringRef function) {
  ValueType result;
  result.name = name.str();
  auto tensor = dyn_cast<RankedTensorType>(type);
  result.isScalar = !tensor;
  result.dtype = getDType(tensor ? tensor.getElementType() : type);
  if (result.dtype == FA_DTYPE_INVALID) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return refusal("function '" + function + "': " + result.name + " has type " + text +
                   "; expected a ranked tensor or a scalar of i1, i8, i16, i32, i64, index, f16, "
                   "bf16, f32 or f64");
  }
  if (tensor)
    for (int64_t dim : tensor.getShape())
      result.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  return result;
}

llvm::Expected<Signature> mlir::fa::readSignature(func::FuncOp function) {
  Signature signature;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto value = readType(type, "arg" + Twine(i), function.getName());
    if (!value)
      return value.takeError();
    signature.arguments.push_back(std::move(*value));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto value = readType(type, "res" + Twine(i), function.getName());
    if (!value)
      return value.takeError();
    signature.results.push_back(std::move(*value));
  }
  return signature;
}
