//===- Verify.cpp - Fused against unfused, both against f64 ---------------===//

#include "Verify.h"
#include "Failure.h"
#include "Runtime/Tensor/CompareTensors.h"
#include "Runtime/Tensor/Convert.h"
#include <algorithm>

namespace fa_run {

using namespace fa_runtime;
using json = nlohmann::ordered_json;

static std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

static std::string row(const std::string &result, const std::string &type,
                       const std::string &unfused, const std::string &fused,
                       const std::string &bound, const std::string &verdict) {
  return padded(result, 8) + padded(type, 22) + padded(unfused, 15) + padded(fused, 13) +
         padded(bound, 11) + verdict;
}

/// The error as a number, with the elements that are no number where they should be, or the
/// reverse.
static std::string describe(const Deviation &deviation) {
  std::string text = formatError(deviation.error);
  return deviation.numSpecial ? text + "+" + std::to_string(deviation.numSpecial) + "nan" : text;
}

static json toJson(const Verdict &verdict, const std::string &name, DType dtype) {
  return {{"name", name},
          {"dtype", std::string(nameOf(dtype))},
          {"unfusedError", toJson(verdict.unfused.error)},
          {"fusedError", toJson(verdict.fused.error)},
          {"bound", toJson(verdict.bound)},
          {"unfusedNonFiniteMismatches", verdict.unfused.numSpecial},
          {"fusedNonFiniteMismatches", verdict.fused.numSpecial},
          {"ok", verdict.holds}};
}

static void requireShape(const Tensor &tensor, const Tensor &fused, const char *form, size_t i) {
  if (tensor.shape != fused.shape)
    throw Failure{kValuesDiffer, "result " + std::to_string(i) + " has the shape " +
                                     describeType(fused.shape, fused.dtype) + " fused, and " +
                                     describeType(tensor.shape, tensor.dtype) + " " + form};
}

bool verify(const Options &options, const std::string &text, IrProgram &fused,
            const std::vector<Tensor> &arguments, const std::vector<Tensor> &results,
            Report &report) {
  IrProgram unfused(options, text, Form::Unfused, nullptr);
  IrProgram exact(options, text, Form::Reference, nullptr);
  std::vector<Tensor> plain = unfused.run(arguments), exactly = exact.run(arguments);
  report.line(row("result", "type", "unfused error", "fused error", "bound", "verdict"));
  std::vector<Reference> references;
  for (size_t i = 0; i < results.size(); ++i) {
    requireShape(plain[i], results[i], "unfused", i);
    requireShape(exactly[i], results[i], "in f64", i);
    references.push_back({toDoubles(exactly[i]), fused.writtenType(i)});
  }
  std::vector<double> scales = errorScales(references);
  json list = json::array();
  bool isRight = true;
  for (size_t i = 0; i < results.size(); ++i) {
    DType dtype = references[i].dtype;
    Verdict verdict =
        judgeFused(toDoubles(results[i]), toDoubles(plain[i]), references[i], scales[i]);
    std::string name = "res" + std::to_string(i);
    report.line(
        row(name, describeType(results[i].shape, results[i].dtype), describe(verdict.unfused),
            describe(verdict.fused), formatError(verdict.bound),
            verdict.holds ? "ok" : "wrong: " + describeWorst(verdict.fused, results[i].shape)));
    list.push_back(toJson(verdict, name, dtype));
    isRight &= verdict.holds;
  }
  report.fields["verify"] = std::move(list);
  if (options.time) {
    Timing timing = unfused.time(arguments);
    report.line("unfused " + toText(timing));
    report.fields["unfusedTime"] = toJson(timing);
  }
  return isRight;
}

} // namespace fa_run
