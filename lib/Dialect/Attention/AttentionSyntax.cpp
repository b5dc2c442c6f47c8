//===- AttentionSyntax.cpp - Text form of the attention ops ---------------===//
//
//   fa.attention query(%q) key(%k) value(%v) [extras(%x, …)] [sink(%s)]
//       [results(lse, row_max, probabilities)]
//       roles <…> maps […] empty_rows <…> [schedule <…>] [attr-dict]
//       : (types) -> types score { … } [probability { … }]
//
//   fa.attention_backward query(%q) key(%k) value(%v) [extras(%x, …)] [sink(%s)]
//       output(%o) lse(%lse) d_output(%do) [d_lse(%dlse)] gradients(query, key, extra 0, …)
//       roles <…> maps […] [schedule <…>] [attr-dict]
//       : (types) -> types score { … } [probability { … }]
//
//===----------------------------------------------------------------------===//

#include "fa/Dialect/Attention/Attention.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fa;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// Parses the optional `results(lse, row_max, probabilities)`, any subset in this order.
static ParseResult parseResultNames(OpAsmParser &parser, std::array<int32_t, 4> &segments) {
  segments = {1, 0, 0, 0};
  if (failed(parser.parseOptionalKeyword("results")))
    return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    unsigned segment = llvm::StringSwitch<unsigned>(name)
                           .Case("lse", 1)
                           .Case("row_max", 2)
                           .Case("probabilities", 3)
                           .Default(0);
    bool isInOrder = llvm::all_of(ArrayRef(segments).drop_front(segment),
                                  [](int32_t size) { return size == 0; });
    if (segment == 0 || !isInOrder)
      return parser.emitError(loc)
             << "expects lse, row_max or probabilities, each once and in this order, got " << name;
    segments[segment] = 1;
    return success();
  });
}

/// Parses the attributes that have a place of their own in the text.
template <typename Op>
static ParseResult parseFixedAttributes(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  RolesAttr roles;
  ArrayAttr maps;
  if (parser.parseKeyword("roles") || parser.parseCustomAttributeWithFallback(roles) ||
      parser.parseKeyword("maps") || parser.parseAttribute(maps))
    return failure();
  properties.roles = roles;
  properties.maps = maps;
  if constexpr (std::is_same_v<Op, AttentionOp>) {
    EmptyRowsAttr emptyRows;
    if (parser.parseKeyword("empty_rows") || parser.parseCustomAttributeWithFallback(emptyRows))
      return failure();
    properties.empty_rows = emptyRows;
  }
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    ScheduleAttr schedule;
    if (parser.parseCustomAttributeWithFallback(schedule))
      return failure();
    properties.schedule = schedule;
  }
  return parser.parseOptionalAttrDict(state.attributes);
}

namespace {
/// Operands in groups, each behind a keyword.
struct OperandGroups {
  SmallVector<UnresolvedOperand> operands;
  SmallVector<int32_t> sizes;

  enum Kind { One, Optional, Many };

  /// Parses `keyword(%a, …)`; with `Optional` and `Many` it may be missing.
  ParseResult parse(OpAsmParser &parser, StringRef keyword, Kind kind) {
    sizes.push_back(0);
    if (kind == One ? bool(parser.parseKeyword(keyword))
                    : failed(parser.parseOptionalKeyword(keyword)))
      return failure(kind == One);
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<UnresolvedOperand> group;
    if (parser.parseOperandList(group, OpAsmParser::Delimiter::Paren))
      return failure();
    if (kind != Many && group.size() != 1)
      return parser.emitError(loc) << "expects one " << keyword << " operand, got " << group.size();
    llvm::append_range(operands, group);
    sizes.back() = group.size();
    return success();
  }
};
} // namespace

/// Parses `: (types) -> types score { … } [probability { … }]`.
static ParseResult parseTypesAndRegions(OpAsmParser &parser, OperationState &state,
                                        const OperandGroups &groups, size_t numResults) {
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonType(type))
    return failure();
  if (type.getNumResults() != numResults)
    return parser.emitError(loc) << "expects " << numResults << " result types, got "
                                 << type.getNumResults();
  state.addTypes(type.getResults());
  if (parser.resolveOperands(groups.operands, type.getInputs(), loc, state.operands) ||
      parser.parseKeyword("score") || parser.parseRegion(*state.addRegion()))
    return failure();
  Region *probability = state.addRegion();
  if (succeeded(parser.parseOptionalKeyword("probability")))
    return parser.parseRegion(*probability);
  return success();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  OperandGroups groups;
  std::array<int32_t, 4> resultSizes;
  if (groups.parse(parser, "query", OperandGroups::One) ||
      groups.parse(parser, "key", OperandGroups::One) ||
      groups.parse(parser, "value", OperandGroups::One) ||
      groups.parse(parser, "extras", OperandGroups::Many) ||
      groups.parse(parser, "sink", OperandGroups::Optional) ||
      parseResultNames(parser, resultSizes) || parseFixedAttributes<AttentionOp>(parser, state))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  llvm::copy(groups.sizes, properties.operandSegmentSizes.begin());
  llvm::copy(resultSizes, properties.resultSegmentSizes.begin());
  return parseTypesAndRegions(parser, state, groups, llvm::sum_of(resultSizes));
}

/// Parses `gradients(query, key, value, extra 0, …, sink)`, any subset; the verifier checks the
/// order. Sets the numbers of the operands.
static ParseResult parseGradients(OpAsmParser &parser, int64_t numExtras, DenseI64ArrayAttr &wrt) {
  SmallVector<int64_t> numbers;
  auto parseOne = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    int64_t number = llvm::StringSwitch<int64_t>(name)
                         .Case("query", 0)
                         .Case("key", 1)
                         .Case("value", 2)
                         .Case("extra", 3)
                         .Case("sink", 3 + numExtras)
                         .Default(-1);
    if (number < 0)
      return parser.emitError(loc) << "expects query, key, value, extra or sink, got " << name;
    int64_t extra = 0;
    if (name == "extra" && parser.parseInteger(extra))
      return failure();
    if (name == "extra" && (extra < 0 || extra >= numExtras))
      return parser.emitError(loc) << "expects extras below " << numExtras << ", got " << extra;
    numbers.push_back(number + extra);
    return success();
  };
  if (parser.parseKeyword("gradients") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  wrt = DenseI64ArrayAttr::get(parser.getContext(), numbers);
  return success();
}

ParseResult AttentionBackwardOp::parse(OpAsmParser &parser, OperationState &state) {
  OperandGroups groups;
  DenseI64ArrayAttr wrt;
  if (groups.parse(parser, "query", OperandGroups::One) ||
      groups.parse(parser, "key", OperandGroups::One) ||
      groups.parse(parser, "value", OperandGroups::One) ||
      groups.parse(parser, "extras", OperandGroups::Many) ||
      groups.parse(parser, "sink", OperandGroups::Optional) ||
      groups.parse(parser, "output", OperandGroups::One) ||
      groups.parse(parser, "lse", OperandGroups::One) ||
      groups.parse(parser, "d_output", OperandGroups::One) ||
      groups.parse(parser, "d_lse", OperandGroups::Optional) ||
      parseGradients(parser, groups.sizes[3], wrt) ||
      parseFixedAttributes<AttentionBackwardOp>(parser, state))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  llvm::copy(groups.sizes, properties.operandSegmentSizes.begin());
  properties.wrt = wrt;
  return parseTypesAndRegions(parser, state, groups, wrt.size());
}

/// Prints ` query(%q) key(%k) value(%v) [extras(%x, …)] [sink(%s)]`.
static void printInputs(OpAsmPrinter &printer, AttentionInterface op) {
  printer << " query(" << op.getQuery() << ") key(" << op.getKey() << ") value(" << op.getValue()
          << ")";
  if (!op.getExtras().empty())
    printer << " extras(" << op.getExtras() << ")";
  if (op.getSink())
    printer << " sink(" << op.getSink() << ")";
}

/// Prints everything from `roles` on.
static void printRest(OpAsmPrinter &printer, AttentionInterface op) {
  printer.printNewline();
  printer << "    roles ";
  printer.printStrippedAttrOrType(op.getRoles());
  printer << " maps " << op.getMaps();
  if (auto forward = dyn_cast<AttentionOp>(*op)) {
    printer << " empty_rows ";
    printer.printStrippedAttrOrType(forward.getEmptyRowsAttr());
  }
  if (op.getScheduleAttr()) {
    printer << " schedule ";
    printer.printStrippedAttrOrType(op.getScheduleAttr());
  }
  printer.printOptionalAttrDict(op->getAttrs(), {"roles", "maps", "empty_rows", "schedule", "wrt",
                                                 "operandSegmentSizes", "resultSegmentSizes"});
  printer.printNewline();
  printer << "    : ";
  printer.printFunctionalType(op);
  printer << " score ";
  printer.printRegion(op.getScore());
  if (op.hasProbabilityRegion()) {
    printer << " probability ";
    printer.printRegion(op.getProbability());
  }
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printInputs(printer, *this);
  SmallVector<StringRef> names;
  if (getLse())
    names.push_back("lse");
  if (getRowMax())
    names.push_back("row_max");
  if (getProbabilities())
    names.push_back("probabilities");
  if (!names.empty()) {
    printer << " results(";
    llvm::interleaveComma(names, printer);
    printer << ")";
  }
  printRest(printer, *this);
}

void AttentionBackwardOp::print(OpAsmPrinter &printer) {
  printInputs(printer, *this);
  printer << " output(" << getOutput() << ") lse(" << getLse() << ") d_output(" << getDOutput()
          << ")";
  if (getDLse())
    printer << " d_lse(" << getDLse() << ")";
  printer << " gradients(";
  int64_t numExtras = getExtras().size();
  llvm::interleaveComma(getWrt(), printer, [&](int64_t number) {
    constexpr StringRef names[] = {"query", "key", "value"};
    if (number < 3)
      printer << names[number];
    else if (number < 3 + numExtras)
      printer << "extra " << number - 3;
    else
      printer << "sink";
  });
  printer << ")";
  printRest(printer, *this);
}
