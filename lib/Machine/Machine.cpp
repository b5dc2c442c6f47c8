//===- Machine.cpp - Questions to the machine table -----------------------===//

#include "fa/Machine/Machine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir::fa;

StringRef mlir::fa::stringifyArithmetic(Arithmetic arithmetic) {
  switch (arithmetic) {
  case Arithmetic::F64:
    return "f64";
  case Arithmetic::F32:
    return "f32";
  case Arithmetic::F16:
    return "f16";
  case Arithmetic::BF16:
    return "bf16";
  }
  llvm_unreachable("an arithmetic that is not in the list");
}

Rate Machine::getRate(Arithmetic arithmetic) const {
  switch (arithmetic) {
  case Arithmetic::F64:
    return {peakF64, "dense f64"};
  case Arithmetic::F32:
    if (peakTF32 / 3 > peakF32)
      return {peakTF32 / 3, "f32 as three dense tf32 products"};
    return {peakF32, "dense f32"};
  case Arithmetic::F16:
    return {peakF16, "dense f16"};
  case Arithmetic::BF16:
    return {peakF16, "dense bf16"};
  }
  llvm_unreachable("an arithmetic that is not in the list");
}

Rate Machine::getSparseRate(Arithmetic arithmetic) const {
  bool is16Bit = arithmetic == Arithmetic::F16 || arithmetic == Arithmetic::BF16;
  if (!is16Bit || sparseFactor == 1)
    return getRate(arithmetic);
  return {peakF16 * sparseFactor, arithmetic == Arithmetic::F16 ? "sparse f16" : "sparse bf16"};
}

double Machine::getBalance(Arithmetic arithmetic) const {
  return getRate(arithmetic).flops / bandwidth;
}

std::string Machine::getTitle() const {
  if (card.empty())
    return name.str();
  return (card + " (" + name + ")").str();
}

const Machine *mlir::fa::findMachine(StringRef name) {
  for (const Machine &machine : getMachines())
    if (machine.name == name || (!machine.card.empty() && machine.card == name))
      return &machine;
  return nullptr;
}

std::string mlir::fa::listMachineNames() {
  SmallVector<StringRef> names;
  for (const Machine &machine : getMachines())
    for (StringRef name : {machine.name, machine.card})
      if (!name.empty() && !is_contained(names, name))
        names.push_back(name);
  return join(names, ", ");
}

std::string mlir::fa::listMachines() {
  std::string text;
  raw_string_ostream os(text);
  os << "machine   card   16-bit TFLOP/s   TB/s   FLOP/B   fast KiB   processors   what it is\n";
  for (const Machine &machine : getMachines())
    os << formatv("{0,-8}  {1,-5}  {2,14:F1}  {3,5:F2}  {4,7:F0}  {5,9}  {6,11}   {7}\n",
                  machine.name, machine.card.empty() ? "-" : machine.card, machine.peakF16 / 1e12,
                  machine.bandwidth / 1e12, machine.getBalance(Arithmetic::F16),
                  machine.fastBytes / 1024, machine.processors, machine.description);
  return text;
}
