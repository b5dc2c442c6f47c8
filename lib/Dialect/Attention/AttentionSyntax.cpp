//===- AttentionSyntax.cpp - Text form of fa.attention --------------------===//
//
//   fa.attention query(%q) key(%k) value(%v) [extras(%x, …)] [sink(%s)]
//       [results(lse, row_max, probabilities)]
//       roles <…> maps […] empty_rows <…> [schedule <…>] [attr-dict]
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
static ParseResult parseFixedAttributes(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<AttentionOp::Properties>();
  RolesAttr roles;
  ArrayAttr maps;
  EmptyRowsAttr emptyRows;
  if (parser.parseKeyword("roles") || parser.parseCustomAttributeWithFallback(roles) ||
      parser.parseKeyword("maps") || parser.parseAttribute(maps) ||
      parser.parseKeyword("empty_rows") || parser.parseCustomAttributeWithFallback(emptyRows))
    return failure();
  properties.roles = roles;
  properties.maps = maps;
  properties.empty_rows = emptyRows;
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    ScheduleAttr schedule;
    if (parser.parseCustomAttributeWithFallback(schedule))
      return failure();
    properties.schedule = schedule;
  }
  return success();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> operands;
  SmallVector<int32_t> sizes;
  auto parseGroup = [&](StringRef keyword, bool isRequired) -> ParseResult {
    size_t before = operands.size();
    if (!isRequired && failed(parser.parseOptionalKeyword(keyword))) {
      sizes.push_back(0);
      return success();
    }
    if (isRequired && parser.parseKeyword(keyword))
      return failure();
    SmallVector<UnresolvedOperand> group;
    if (parser.parseOperandList(group, OpAsmParser::Delimiter::Paren))
      return failure();
    llvm::append_range(operands, group);
    sizes.push_back(operands.size() - before);
    return success();
  };

  std::array<int32_t, 4> resultSizes;
  FunctionType type;
  SMLoc typeLoc;
  if (parseGroup("query", true) || parseGroup("key", true) || parseGroup("value", true) ||
      parseGroup("extras", false) || parseGroup("sink", false) ||
      parseResultNames(parser, resultSizes) || parseFixedAttributes(parser, state) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.getCurrentLocation(&typeLoc) ||
      parser.parseColonType(type))
    return failure();
  if (sizes[0] != 1 || sizes[1] != 1 || sizes[2] != 1 || sizes[4] > 1)
    return parser.emitError(typeLoc) << "expects one query, key, value and sink operand each";
  if (type.getNumResults() != size_t(llvm::sum_of(resultSizes)))
    return parser.emitError(typeLoc) << "expects " << llvm::sum_of(resultSizes)
                                     << " result types, got " << type.getNumResults();

  auto &properties = state.getOrAddProperties<Properties>();
  llvm::copy(sizes, properties.operandSegmentSizes.begin());
  llvm::copy(resultSizes, properties.resultSegmentSizes.begin());
  state.addTypes(type.getResults());
  if (parser.resolveOperands(operands, type.getInputs(), typeLoc, state.operands) ||
      parser.parseKeyword("score") || parser.parseRegion(*state.addRegion()))
    return failure();
  Region *probability = state.addRegion();
  if (succeeded(parser.parseOptionalKeyword("probability")))
    return parser.parseRegion(*probability);
  return success();
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printer << " query(" << getQuery() << ") key(" << getKey() << ") value(" << getValue() << ")";
  if (!getExtras().empty())
    printer << " extras(" << getExtras() << ")";
  if (getSink())
    printer << " sink(" << getSink() << ")";
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
  printer.printNewline();
  printer << "    roles ";
  printer.printStrippedAttrOrType(getRoles());
  printer << " maps " << getMaps() << " empty_rows ";
  printer.printStrippedAttrOrType(getEmptyRowsAttr());
  if (getSchedule()) {
    printer << " schedule ";
    printer.printStrippedAttrOrType(*getSchedule());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"roles", "maps", "empty_rows", "schedule",
                                                      "operandSegmentSizes", "resultSegmentSizes"});
  printer.printNewline();
  printer << "    : ";
  printer.printFunctionalType(*this);
  printer << " score ";
  printer.printRegion(getScore());
  if (hasProbabilityRegion()) {
    printer << " probability ";
    printer.printRegion(getProbability());
  }
}
