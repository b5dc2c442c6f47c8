//===- Expect.cpp - Results against stored references ---------------------===//

#include "Expect.h"
#include "Arguments.h"
#include "Failure.h"
#include "Runtime/Npz/Npz.h"
#include "Runtime/Tensor/CompareTensors.h"
#include "Runtime/Tensor/Convert.h"
#include <algorithm>

namespace fa_run {

using namespace fa_runtime;
using json = nlohmann::ordered_json;

/// ref0 (usually f64) or res0 (the result's own type), as numbers.
static std::vector<double> readReference(const NpzReader &file, const std::string &path,
                                         const Tensor &result, size_t number) {
  std::string key = "ref" + std::to_string(number);
  if (!file.has(key))
    key = "res" + std::to_string(number);
  Tensor reference = valueOrFail(file.read(key), kBadInput);
  // Bits of bf16 are for a bf16 result only; its f64 reference is a float already.
  if (!isFloat(reference.dtype) && isFloat(result.dtype)) {
    Tensor asResult = reinterpretArray(reference, result.dtype);
    if (asResult.dtype != result.dtype)
      throw Failure{kBadInput, "result " + std::to_string(number) + ": expected an array of " +
                                   std::string(nameOf(result.dtype)) + " or f64, got " +
                                   describeType(reference.shape, reference.dtype) + " ('" + key +
                                   "' in '" + path + "')"};
    reference = asResult;
  }
  if (reference.shape != result.shape)
    throw Failure{kBadInput, "result " + std::to_string(number) + ": expected " +
                                 describeType(reference.shape, reference.dtype) + " ('" + key +
                                 "' in '" + path + "'), got " +
                                 describeType(result.shape, result.dtype)};
  return toDoubles(reference);
}

/// What the framework that wrote the file got, nat0, in the result's type: its own error says how
/// well the type can do at all, as for a gradient that is zero but for rounding. 0 without it.
static double frameworkError(const NpzReader &file, const Tensor &result, size_t number,
                             const std::vector<double> &reference) {
  std::string key = "nat" + std::to_string(number);
  if (!file.has(key))
    return 0;
  Expected<Tensor> native = file.read(key);
  if (!native || native->shape != result.shape)
    return 0;
  Tensor asResult = reinterpretArray(*native, result.dtype);
  return measureDeviation(toDoubles(asResult), reference, result.dtype).error;
}

/// Unsigned integers are read as signed ones of the same bits: 200 and -56 are one ui8.
static void wrapIntegers(std::vector<double> &reference, DType dtype) {
  if (isFloat(dtype) || dtype == DType::Bool || dtype == DType::I64)
    return;
  const double half = static_cast<double>(int64_t(1) << (8 * byteWidth(dtype) - 1));
  for (double &value : reference)
    if (value >= half && value < 2 * half)
      value -= 2 * half;
}

bool compareWithExpected(const Options &options, const std::vector<Tensor> &results,
                         Report &report) {
  NpzReader file = valueOrFail(NpzReader::open(options.expect), kBadInput);
  bool isRight = true;
  json list = json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &result = results[i];
    std::vector<double> reference = readReference(file, options.expect, result, i);
    wrapIntegers(reference, result.dtype);
    Deviation deviation = measureDeviation(toDoubles(result), reference, result.dtype);
    double tolerance = options.tolerance.value_or(
        std::max(expectTolerance(result.dtype), 2 * frameworkError(file, result, i, reference)));
    bool holds = deviation.numSpecial == 0 && deviation.error <= tolerance;
    isRight &= holds;
    std::string name = "res" + std::to_string(i);
    report.line(name + "  error " + formatError(deviation.error) + ", tolerance " +
                formatError(tolerance) + ": " +
                (holds ? "ok" : "differs, " + describeWorst(deviation, result.shape)));
    list.push_back({{"name", name},
                    {"error", toJson(deviation.error)},
                    {"tolerance", tolerance},
                    {"nonFiniteMismatches", deviation.numSpecial},
                    {"ok", holds}});
  }
  report.fields["expect"] = std::move(list);
  return isRight;
}

} // namespace fa_run
