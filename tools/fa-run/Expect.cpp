//===- Expect.cpp - Results against stored references ---------------------===//

#include "Expect.h"
#include "Arguments.h"
#include "Failure.h"
#include "Runtime/Npz/Npz.h"
#include "Runtime/Tensor/CompareTensors.h"
#include "Runtime/Tensor/Convert.h"

namespace fa_run {

using namespace fa_runtime;
using json = nlohmann::ordered_json;

/// ref0 (usually f64) or res0 (the result's own type), as numbers.
static Reference readReference(const NpzReader &file, const std::string &path, const Tensor &result,
                               size_t number) {
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
  return {toDoubles(reference), result.dtype};
}

/// Unsigned integers are read as signed ones of the same bits: 200 and -56 are one ui8.
static void wrapIntegers(Reference &reference) {
  DType dtype = reference.dtype;
  if (isFloat(dtype) || dtype == DType::Bool || dtype == DType::I64)
    return;
  const double half = static_cast<double>(int64_t(1) << (8 * byteWidth(dtype) - 1));
  for (double &value : reference.values)
    if (value >= half && value < 2 * half)
      value -= 2 * half;
}

bool compareWithExpected(const Options &options, const std::vector<Tensor> &results,
                         Report &report) {
  NpzReader file = valueOrFail(NpzReader::open(options.expect), kBadInput);
  std::vector<Reference> references;
  for (size_t i = 0; i < results.size(); ++i) {
    references.push_back(readReference(file, options.expect, results[i], i));
    wrapIntegers(references.back());
  }
  std::vector<double> scales = errorScales(references);
  bool isRight = true;
  json list = json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &result = results[i];
    Deviation deviation = measureDeviation(toDoubles(result), references[i], scales[i]);
    double tolerance = options.tolerance.value_or(expectTolerance(result.dtype));
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
