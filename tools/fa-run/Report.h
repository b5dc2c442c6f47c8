//===- Report.h - What fa-run says on stdout ------------------------------===//
#ifndef FA_RUN_REPORT_H
#define FA_RUN_REPORT_H

#include "Runnable.h"
#include <nlohmann/json.hpp>
#include <string>

namespace fa_run {

/// Lines as they come for people, or one JSON object at the end. Both say the same.
class Report {
public:
  explicit Report(bool isJson) : isJson(isJson) {}

  /// The JSON object; fields keep the order in which they are added.
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  /// A line of text; nothing in JSON.
  void line(const std::string &text) const;
  /// Prints the JSON object, if JSON is asked for.
  void finish() const;

private:
  bool isJson;
};

/// "1.234e-07"; JSON has no NaN and no infinity: they become texts.
std::string formatError(double error);
nlohmann::ordered_json toJson(double number);
nlohmann::ordered_json toJson(const Timing &timing);
/// "12.3 us median, 12.1 us to 1.3 ms, 50 runs".
std::string toText(const Timing &timing);

/// One line and one JSON object for each result: type and range of the elements.
void reportResults(Report &report, const std::vector<Tensor> &results);

} // namespace fa_run

#endif // FA_RUN_REPORT_H
