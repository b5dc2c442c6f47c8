//===- Operand.cpp - What an entry is run on ------------------------------===//

#include "Runtime/Launch/Operand.h"
#include "Runtime/Tensor/Tensor.h"
#include <algorithm>
#include <cstring>

namespace fa_runtime {

Operand Operand::ofScalar(DType dtype, const void *value) {
  Operand operand;
  operand.dtype = dtype;
  operand.isScalar = true;
  memcpy(operand.scalar.data(), value, static_cast<size_t>(byteWidth(dtype)));
  return operand;
}

Expected<std::pair<int64_t, int64_t>> byteExtent(const Operand &operand) {
  const Error tooLarge{"its sizes and strides exceed 64 bits"};
  int64_t low = 0, high = 0;
  for (size_t axis = 0; axis < operand.dims.size(); ++axis) {
    int64_t reach;
    if (operand.dims[axis] == 0)
      return std::make_pair(int64_t(0), int64_t(0));
    if (__builtin_mul_overflow(operand.dims[axis] - 1, operand.strides[axis], &reach))
      return tooLarge;
    int64_t &bound = reach < 0 ? low : high;
    if (__builtin_add_overflow(bound, reach, &bound))
      return tooLarge;
  }
  int64_t width = byteWidth(operand.dtype);
  if (__builtin_add_overflow(high, 1, &high) || __builtin_mul_overflow(high, width, &high) ||
      __builtin_mul_overflow(low, width, &low))
    return tooLarge;
  return std::make_pair(low, high);
}

static int64_t scalarValue(const Operand &operand) {
  auto read = [&](auto value) {
    memcpy(&value, operand.scalar.data(), sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (operand.dtype) {
  case DType::Bool:
    return operand.scalar[0] != 0;
  case DType::I8:
    return read(int8_t());
  case DType::I16:
    return read(int16_t());
  case DType::I32:
    return read(int32_t());
  case DType::I64:
    return read(int64_t());
  default:
    return 0;
  }
}

ExprInputs exprInputs(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                      int64_t sms) {
  ExprInputs inputs;
  inputs.sms = sms;
  inputs.operands.reserve(arguments.size() + results.size());
  for (const std::vector<Operand> *list : {&arguments, &results})
    for (const Operand &operand : *list)
      inputs.operands.push_back({operand.dims.data(), operand.strides.data(),
                                 static_cast<int32_t>(operand.dims.size()),
                                 operand.isScalar ? scalarValue(operand) : 0, operand.address});
  return inputs;
}

Expected<std::vector<std::vector<int64_t>>> resultDims(const std::vector<Result> &results,
                                                       const std::vector<Operand> &arguments) {
  ExprInputs inputs = exprInputs(arguments, {}, 1);
  std::vector<std::vector<int64_t>> dims;
  for (const Result &result : results) {
    dims.emplace_back();
    for (const Expr &expr : result.dims) {
      Expected<int64_t> size = evaluate(expr, inputs);
      if (!size)
        return at("result " + result.name, size.error());
      if (*size < 0)
        return Error{"result " + result.name + ": dimension " + std::to_string(dims.back().size()) +
                     " would be " + std::to_string(*size)};
      dims.back().push_back(*size);
    }
  }
  return dims;
}

/// What arguments and results have in common.
static Status checkTensor(const Operand &operand, const std::vector<int64_t> &wantedDims,
                          DType wantedType, const std::vector<int64_t> &wantedStrides,
                          int64_t alignment, int device) {
  bool fits = !operand.isScalar && operand.dtype == wantedType &&
              operand.dims.size() == wantedDims.size() &&
              operand.strides.size() == operand.dims.size();
  for (size_t axis = 0; fits && axis < wantedDims.size(); ++axis)
    fits = operand.dims[axis] >= 0 &&
           (wantedDims[axis] == -1 || wantedDims[axis] == operand.dims[axis]);
  if (!fits)
    return Error{"expected " + describeType(wantedDims, wantedType) + ", got " +
                 (operand.isScalar ? "a scalar of type " : "") +
                 describeType(operand.dims, operand.dtype)};
  for (size_t axis = 0; axis < wantedStrides.size(); ++axis)
    if (wantedStrides[axis] != -1 && operand.dims[axis] > 1 &&
        wantedStrides[axis] != operand.strides[axis])
      return Error{"expected dimension " + std::to_string(axis) + " to have stride " +
                   std::to_string(wantedStrides[axis]) + ", got " +
                   std::to_string(operand.strides[axis])};
  Expected<std::pair<int64_t, int64_t>> extent = byteExtent(operand);
  if (!extent)
    return extent.error();
  if (extent->first == extent->second)
    return {};
  if (!operand.address)
    return Error{"expected memory, got a null address"};
  if (device >= 0 && operand.device >= 0 && device != operand.device)
    return Error{"expected memory of device " + std::to_string(device) + ", got device " +
                 std::to_string(operand.device)};
  int64_t needed = std::max(alignment, byteWidth(wantedType));
  if (operand.address % static_cast<uint64_t>(needed) != 0)
    return Error{"expected an address that is a multiple of " + std::to_string(needed)};
  // In unsigned arithmetic: an address may use all 64 bits.
  uint64_t before = operand.address - operand.memoryBegin;
  if (operand.memoryBytes &&
      (operand.address < operand.memoryBegin || before > operand.memoryBytes ||
       static_cast<uint64_t>(-extent->first) > before ||
       static_cast<uint64_t>(extent->second) > operand.memoryBytes - before))
    return Error{"its elements reach beyond its memory of " + std::to_string(operand.memoryBytes) +
                 " bytes"};
  return {};
}

static Status checkCount(const char *what, size_t expected, size_t got) {
  if (expected == got)
    return {};
  return Error{"expected " + std::to_string(expected) + " " + what + ", got " +
               std::to_string(got)};
}

Status checkArguments(const std::vector<Argument> &wanted,
                      const std::vector<Constraint> &constraints,
                      const std::vector<Operand> &arguments, int device) {
  if (Status status = checkCount("arguments", wanted.size(), arguments.size()); !status)
    return status;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Operand &operand = arguments[i];
    Status status;
    if (wanted[i].isScalar && !(operand.isScalar && operand.dtype == wanted[i].dtype))
      status = Error{"expected a scalar of type " + std::string(nameOf(wanted[i].dtype)) +
                     ", got " + describeType(operand.dims, operand.dtype)};
    else if (!wanted[i].isScalar)
      status = checkTensor(operand, wanted[i].dims, wanted[i].dtype, wanted[i].strides,
                           wanted[i].alignment, device);
    if (!status)
      return at("argument " + wanted[i].name, status.error());
  }
  ExprInputs inputs = exprInputs(arguments, {}, 1);
  for (const Constraint &constraint : constraints) {
    Expected<int64_t> holds = evaluate(constraint.condition, inputs);
    if (!holds)
      return holds.error();
    if (!*holds)
      return Error{"the arguments do not fit together: expected that " + constraint.text};
  }
  return {};
}

Status checkOperands(const std::vector<Argument> &wantedArguments,
                     const std::vector<Result> &wantedResults,
                     const std::vector<Constraint> &constraints,
                     const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                     int device) {
  if (Status status = checkArguments(wantedArguments, constraints, arguments, device); !status)
    return status;
  if (Status status = checkCount("results", wantedResults.size(), results.size()); !status)
    return status;
  auto dims = resultDims(wantedResults, arguments);
  if (!dims)
    return dims.error();
  for (size_t i = 0; i < results.size(); ++i) {
    const Result &wanted = wantedResults[i];
    Status status =
        checkTensor(results[i], (*dims)[i], wanted.dtype, wanted.strides, wanted.alignment, device);
    if (!status)
      return at("result " + wanted.name, status.error());
  }
  return {};
}

} // namespace fa_runtime
