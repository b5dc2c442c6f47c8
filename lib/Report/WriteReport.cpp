//===- WriteReport.cpp - The report as text and as JSON -------------------===//

#include "WriteReport.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::fa;
using llvm::formatv;

namespace {
/// An operand or result, by the name it has in the op's syntax.
struct NamedValue {
  std::string name;
  Value value;
};

/// The peak that a region is compared with, and the work's bounds under it.
struct Comparison {
  Rate rate;
  std::optional<Bound> unfused, fused;
};
} // namespace

/// Operands first, then results, in the order of the maps.
static SmallVector<NamedValue> listValues(AttentionOp op) {
  SmallVector<NamedValue> values = {
      {"query", op.getQuery()}, {"key", op.getKey()}, {"value", op.getValue()}};
  for (auto [i, extra] : llvm::enumerate(op.getExtras()))
    values.push_back({"extra" + std::to_string(i), extra});
  if (op.getSink())
    values.push_back({"sink", op.getSink()});
  values.push_back({"output", op.getOutput()});
  if (op.getLse())
    values.push_back({"lse", op.getLse()});
  if (op.getRowMax())
    values.push_back({"row_max", op.getRowMax()});
  if (op.getProbabilities())
    values.push_back({"probabilities", op.getProbabilities()});
  return values;
}

/// "8x?x64xf16", or "f32" for a scalar.
static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      os << (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) << "x";
  os << getElementTypeOrSelf(type);
  return text;
}

static std::string toText(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn();
  else
    os << "<unknown location>";
  return text;
}

/// The arithmetic of a region: the names of its ops, in order, constants left out.
static std::string summarize(Region &region) {
  SmallVector<StringRef> names;
  for (Operation &op : region.front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      names.push_back(op.getName().stripDialect());
  return names.empty() ? "unchanged" : llvm::join(names, ", ");
}

/// "4.295 GFLOP": three digits after the point, decimal prefixes.
static std::string scaled(double value, StringRef unit) {
  static constexpr StringLiteral prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  unsigned step = 0;
  while (value >= 1000 && step + 1 < std::size(prefixes)) {
    value /= 1000;
    ++step;
  }
  return formatv("{0:F3} {1}{2}", value, prefixes[step], unit);
}

static std::string scaledTime(double seconds) {
  if (seconds < 1e-3)
    return formatv("{0:F3} us", seconds * 1e6);
  if (seconds < 1)
    return formatv("{0:F3} ms", seconds * 1e3);
  return formatv("{0:F3} s", seconds);
}

static Comparison compare(const RegionReport &region, const ReportContext &context) {
  const Machine &machine = *context.machine;
  Arithmetic arithmetic = getArithmetic(region.op);
  Comparison result;
  result.rate = context.isSparse ? machine.getSparseRate(arithmetic) : machine.getRate(arithmetic);
  if (const std::optional<Work> &work = region.work) {
    auto bound = [&](double bytes) {
      return computeBound(work->flops, bytes, result.rate.flops, machine.bandwidth);
    };
    result.unfused = bound(work->unfusedBytes);
    result.fused = bound(work->fusedBytes);
  }
  return result;
}

/// "2048*d1*d2": the FLOPs with unknown dims as symbols.
static std::string symbolicFlops(const RegionReport &region) {
  AttentionOp op = region.op;
  double known = 2;
  std::string symbols;
  std::array<double, 2> width = {1, 1}; // of the scores' and the values' sums
  for (auto [dim, size] : llvm::enumerate(region.loopSizes)) {
    DimRole role = op.getRole(dim);
    bool isWidth = role == DimRole::head_dim || role == DimRole::value_dim;
    if (isWidth && ShapedType::isDynamic(size))
      return "unknown";
    if (isWidth)
      width[role == DimRole::value_dim] *= double(size);
    else if (ShapedType::isDynamic(size))
      symbols += "*d" + std::to_string(dim);
    else
      known *= double(size);
  }
  return formatv("{0:F0}{1} FLOP", known * (width[0] + width[1]), symbols);
}

/// The roles of dims that neither the IR nor `dims` gives a size, as the `dims` option wants them.
static std::string missingDims(const RegionReport &region) {
  SmallVector<std::string> roles;
  AttentionOp op = region.op;
  for (auto [dim, size] : llvm::enumerate(region.loopSizes)) {
    std::string role = (stringifyDimRole(op.getRole(dim)) + ":SIZE").str();
    if (ShapedType::isDynamic(size) && !llvm::is_contained(roles, role))
      roles.push_back(role);
  }
  return llvm::join(roles, ",");
}

static void writeBound(raw_ostream &os, StringRef how, const Bound &bound) {
  os << formatv("  {0,-10} {1}, {2:F1} FLOP/B: {3}-bound, at most {4} in {5}\n", how,
                scaled(bound.bytes, "B"), bound.intensity, bound.isCompute ? "compute" : "memory",
                scaled(bound.rate, "FLOP/s"), scaledTime(bound.seconds));
}

/// "machine    a100 (sm_80): 312.000 TFLOP/s dense f16 over 2.000 TB/s: balance 156.0 FLOP/B (…)"
static void writeMachine(raw_ostream &os, const RegionReport &region, const ReportContext &context,
                         const Rate &rate) {
  const Machine &machine = *context.machine;
  os << formatv("  {0,-10} {1}: {2} {3} over {4}: balance {5:F1} FLOP/B", "machine",
                machine.getTitle(), scaled(rate.flops, "FLOP/s"), rate.about,
                scaled(machine.bandwidth, "B/s"), rate.flops / machine.bandwidth);
  Arithmetic arithmetic = getArithmetic(region.op);
  Rate other = context.isSparse ? machine.getRate(arithmetic) : machine.getSparseRate(arithmetic);
  if (other.about != rate.about)
    os << formatv(" ({0}: {1:F1})", other.about, other.flops / machine.bandwidth);
  os << "\n";
}

static void writeTextRegion(raw_ostream &os, const RegionReport &region,
                            const ReportContext &context) {
  AttentionOp op = region.op;
  Comparison comparison = compare(region, context);
  os << "attention " << region.name << " at " << toText(op.getLoc()) << "\n";
  os << formatv("  {0,-10} {1}\n", "phase",
                region.work ? stringifyPhase(region.work->phase) : "unknown");
  os << formatv("  {0,-10} ", "dims");
  llvm::interleaveComma(llvm::enumerate(region.loopSizes), os, [&](auto dim) {
    os << stringifyDimRole(op.getRole(dim.index())) << " d" << dim.index() << "=";
    if (ShapedType::isDynamic(dim.value()))
      os << "?";
    else
      os << dim.value();
  });
  os << formatv("\n  {0,-10} ", "values");
  llvm::interleaveComma(listValues(op), os, [&](const NamedValue &named) {
    os << named.name << " " << toText(named.value.getType());
  });
  os << formatv("\n  {0,-10} {1}\n", "score", summarize(op.getScore()));
  if (op.hasProbabilityRegion())
    os << formatv("  {0,-10} {1}\n", "probability", summarize(op.getProbability()));
  os << formatv("  {0,-10} {1}, sums in {2}\n", "arithmetic",
                stringifyArithmetic(getArithmetic(op)), toText(op.getAccumulationType()));
  if (region.work) {
    os << formatv("  {0,-10} {1}\n", "flops", scaled(region.work->flops, "FLOP"));
    writeBound(os, "unfused", *comparison.unfused);
    writeBound(os, "fused", *comparison.fused);
  } else {
    os << formatv("  {0,-10} {1}\n", "flops", symbolicFlops(region));
    os << formatv("  {0,-10} unknown sizes: give them with dims={1}\n", "bytes",
                  missingDims(region));
  }
  writeMachine(os, region, context, comparison.rate);
}

void mlir::fa::writeText(raw_ostream &os, ArrayRef<RegionReport> regions,
                         const ReportContext &context) {
  if (regions.empty())
    os << "no attention region found\n";
  llvm::interleave(
      regions, os, [&](const RegionReport &region) { writeTextRegion(os, region, context); }, "\n");
}

static llvm::json::Value toJson(const std::optional<Bound> &bound) {
  if (!bound)
    return nullptr;
  return llvm::json::Object{{"bytes", bound->bytes},
                            {"flop_per_byte", bound->intensity},
                            {"bound", bound->isCompute ? "compute" : "memory"},
                            {"flop_per_second", bound->rate},
                            {"seconds", bound->seconds}};
}

static llvm::json::Object toJson(const RegionReport &region, const ReportContext &context) {
  AttentionOp op = region.op;
  Comparison comparison = compare(region, context);
  llvm::json::Array dims, values;
  for (auto [dim, size] : llvm::enumerate(region.loopSizes))
    dims.push_back(llvm::json::Object{
        {"role", stringifyDimRole(op.getRole(dim))},
        {"size", ShapedType::isDynamic(size) ? llvm::json::Value(nullptr) : size}});
  for (const NamedValue &named : listValues(op))
    values.push_back(
        llvm::json::Object{{"name", named.name}, {"type", toText(named.value.getType())}});
  llvm::json::Object object{{"name", region.name},
                            {"location", toText(op.getLoc())},
                            {"dims", std::move(dims)},
                            {"values", std::move(values)},
                            {"score", summarize(op.getScore())},
                            {"arithmetic", stringifyArithmetic(getArithmetic(op))},
                            {"accumulation", toText(op.getAccumulationType())},
                            {"rate", llvm::json::Object{{"flop_per_second", comparison.rate.flops},
                                                        {"name", comparison.rate.about}}},
                            {"balance", comparison.rate.flops / context.machine->bandwidth},
                            {"unfused", toJson(comparison.unfused)},
                            {"fused", toJson(comparison.fused)}};
  object["phase"] = region.work ? llvm::json::Value(stringifyPhase(region.work->phase)) : nullptr;
  object["flops"] = region.work ? llvm::json::Value(region.work->flops) : nullptr;
  if (op.hasProbabilityRegion())
    object["probability"] = summarize(op.getProbability());
  return object;
}

void mlir::fa::writeJson(raw_ostream &os, ArrayRef<RegionReport> regions,
                         const ReportContext &context) {
  const Machine &machine = *context.machine;
  llvm::json::Array array;
  for (const RegionReport &region : regions)
    array.push_back(toJson(region, context));
  llvm::json::Object report{
      {"machine", llvm::json::Object{{"name", machine.name},
                                     {"card", machine.card},
                                     {"bytes_per_second", machine.bandwidth}}},
      {"regions", std::move(array)}};
  os << formatv("{0:2}\n", llvm::json::Value(std::move(report)));
}
