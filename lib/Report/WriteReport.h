//===- WriteReport.h - The report as text and as JSON ---------------------===//
#ifndef FA_LIB_REPORT_WRITEREPORT_H
#define FA_LIB_REPORT_WRITEREPORT_H

#include "fa/Report/Roofline.h"

namespace mlir::fa {

/// Everything the report says about one region.
struct RegionReport {
  std::string name; ///< "main.0": the function and the region's number in it
  AttentionOp op;
  SmallVector<int64_t> loopSizes;
  std::optional<Work> work; ///< nothing if a size is unknown
};

/// What the regions are compared with.
struct ReportContext {
  const Machine *machine;
  bool isSparse; ///< compare with the sparse peak
};

/// A block of a dozen lines per region.
void writeText(raw_ostream &os, ArrayRef<RegionReport> regions, const ReportContext &context);

/// One object: `machine`, and `regions`, an array. Sizes and figures that are not known are null.
void writeJson(raw_ostream &os, ArrayRef<RegionReport> regions, const ReportContext &context);

} // namespace mlir::fa

#endif // FA_LIB_REPORT_WRITEREPORT_H
