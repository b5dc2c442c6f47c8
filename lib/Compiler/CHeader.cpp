//===- CHeader.cpp --------------------------------------------------------===//

#include "CHeader.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::fa;

std::string mlir::fa::getCName(StringRef function) {
  std::string name = ("fa_" + function).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

/// The C type that holds one element; 16-bit floats are their bits.
static StringRef getCType(FaDType dtype) {
  static constexpr StringRef types[] = {"void",    "uint8_t",  "int8_t",   "int16_t", "int32_t",
                                        "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return types[dtype];
}

/// "fa_f32_3d": tensors of one element type and rank share a struct.
static std::string getStructName(const ValueType &type) {
  return ("fa_" + getName(type.dtype) + "_" + Twine(type.dims.size()) + "d").str();
}

static std::string declareStruct(const ValueType &type) {
  std::string name = getStructName(type), rank = std::to_string(type.dims.size());
  StringRef element = getCType(type.dtype);
  std::string text =
      "#ifndef " + name + "_defined\n#define " + name + "_defined\ntypedef struct {\n";
  text += ("  " + element + " *allocated, *data;\n  int64_t offset;\n").str();
  if (!type.dims.empty())
    text += "  int64_t sizes[" + rank + "], strides[" + rank + "];\n";
  return text + "} " + name + ";\n#endif\n";
}

/// "arg0: f32[2, ?, 64]"
static std::string describe(const ValueType &type) {
  std::string text = (type.name + ": " + getName(type.dtype) + "[").str();
  for (auto [i, dim] : llvm::enumerate(type.dims))
    text += (i ? ", " : "") + (dim < 0 ? std::string("?") : std::to_string(dim));
  return text + "]";
}

static std::string describeAll(const Signature &signature) {
  std::string text;
  for (const auto *types : {&signature.arguments, &signature.results})
    for (const ValueType &type : *types)
      text += " *   " + describe(type) + "\n";
  return text;
}

std::string mlir::fa::writeCHeader(StringRef function, const Signature &signature) {
  std::string name = getCName(function);
  std::string text =
      ("/* " + name + ": function '" + function + "', compiled by fa-compile.\n" + " *\n" +
       describeAll(signature) +
       " *\n"
       " * Element (i, j, …) of a tensor is data[offset + i*strides[0] + j*strides[1] + …], "
       "strides\n"
       " * in elements. A scalar is a tensor of rank 0. bool is one byte, 0 or 1; f16 and bf16 "
       "are\n"
       " * their bits.\n"
       " * Arguments are dense and row-major, and only read; `allocated` is not used.\n"
       " * Results are dense, in memory from malloc: free(res.allocated).\n"
       " * Parallel loops need OpenMP: link with -l:libomp.so.5 (Debian: libomp5) and -lm.\n"
       " */\n"
       "#ifndef " +
       name + "_h\n#define " + name + "_h\n#include <stdint.h>\n\n")
          .str();
  std::set<std::string> declared;
  for (const auto *types : {&signature.arguments, &signature.results})
    for (const ValueType &type : *types)
      if (declared.insert(getStructName(type)).second)
        text += declareStruct(type);
  text += "typedef struct {\n";
  for (const ValueType &type : signature.results)
    text += "  " + getStructName(type) + " " + type.name + ";\n";
  text += "} " + name + "_results;\n";
  text += "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid " + name + "(";
  SmallVector<std::string> parameters;
  if (!signature.results.empty())
    parameters.push_back(name + "_results *results");
  for (const ValueType &type : signature.arguments)
    parameters.push_back("const " + getStructName(type) + " *" + type.name);
  return text + (parameters.empty() ? "void" : llvm::join(parameters, ", ")) + ");\n#endif\n";
}
