//===- Expect.h - Results against stored references -----------------------===//
#ifndef FA_RUN_EXPECT_H
#define FA_RUN_EXPECT_H

#include "CommandLine.h"
#include "Report.h"

namespace fa_run {

/// Compares with options.expect and reports one line for each result. True if all are within the
/// tolerance. Throws Failure if an array is missing or has another shape.
bool compareWithExpected(const Options &options, const std::vector<Tensor> &results,
                         Report &report);

} // namespace fa_run

#endif // FA_RUN_EXPECT_H
