//===- MetadataReader.cpp - Checked access to an artifact's metadata ------===//

#include "Runtime/Artifact/MetadataReader.h"

namespace fa_runtime {

void MetadataReader::fail(const std::string &what) {
  if (failed())
    return;
  std::string place;
  for (auto [key, index] : path)
    place += (place.empty() ? "" : ".") + std::string(key) +
             (index < 0 ? "" : "[" + std::to_string(index) + "]");
  firstError = "metadata" + (place.empty() ? "" : " at " + place) + ": " + what;
}

const MetadataReader::json &MetadataReader::field(const json &object, const char *key) {
  static const json none;
  if (failed())
    return none;
  auto found = object.is_object() ? object.find(key) : object.end();
  if (object.is_object() && found != object.end())
    return *found;
  fail("field '" + std::string(key) + "' is missing");
  return none;
}

int64_t MetadataReader::integer(const json &value, int64_t min, int64_t max) {
  if (failed())
    return 0;
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(INT64_MAX));
  if (fits && value.get<int64_t>() >= min && value.get<int64_t>() <= max)
    return value.get<int64_t>();
  fail("expected an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return 0;
}

int64_t MetadataReader::integer(const json &object, const char *key, int64_t min, int64_t max) {
  Step step(*this, key);
  return integer(field(object, key), min, max);
}

bool MetadataReader::flag(const json &object, const char *key) {
  Step step(*this, key);
  const json &value = field(object, key);
  if (!failed() && !value.is_boolean())
    fail("expected true or false");
  return !failed() && value.get<bool>();
}

std::string MetadataReader::text(const json &object, const char *key) {
  Step step(*this, key);
  const json &value = field(object, key);
  if (!failed() && !value.is_string())
    fail("expected a text");
  return failed() ? std::string() : value.get<std::string>();
}

DType MetadataReader::dtype(const json &object, const char *key) {
  std::string name = text(object, key);
  DType type = dtypeFromName(name);
  if (type == DType::Invalid)
    fail("unknown element type '" + name + "'");
  return type;
}

int32_t MetadataReader::operand(const json &object, const char *key, bool isScalar) {
  Step step(*this, key);
  auto last = static_cast<int64_t>(scope.size()) - 1;
  auto index = static_cast<int32_t>(integer(field(object, key), 0, last));
  if (!failed() && scope[index].isScalar != isScalar)
    fail(isScalar ? "expected the number of a scalar" : "expected the number of a tensor");
  return index;
}

void MetadataReader::leaf(const json &value, Expr &expr) {
  if (expr.op == Expr::Op::Sms)
    return;
  expr.operand = static_cast<int32_t>(integer(value[1], 0, int64_t(scope.size()) - 1));
  if (failed())
    return;
  const Operand &operand = scope[expr.operand];
  if (operand.isScalar != (expr.op == Expr::Op::Scalar))
    return fail("a formula takes a scalar for a tensor, or a tensor for a scalar");
  if (operand.isScalar && isFloat(operand.dtype))
    return fail("a formula reads a scalar that is no integer");
  if (expr.op == Expr::Op::Dim || expr.op == Expr::Op::Stride)
    expr.axis = static_cast<int32_t>(integer(value[2], 0, int64_t(operand.rank) - 1));
}

/// ["dim", 0, 2], ["add", 1, ["sms"]], or just an integer. The JSON's depth is bounded already.
Expr MetadataReader::expr(const json &value) {
  if (failed() || value.is_number())
    return Expr(integer(value, INT64_MIN, INT64_MAX));
  Expr expr;
  int op = 1;
  if (value.is_array() && !value.empty() && value[0].is_string())
    while (op < kNumExprOps && value[0].get_ref<const std::string &>() != kExprOps[op].name)
      ++op;
  else
    op = kNumExprOps;
  if (op == kNumExprOps) {
    fail("expected a formula");
    return expr;
  }
  expr.op = static_cast<Expr::Op>(op);
  bool hasAxis = expr.op == Expr::Op::Dim || expr.op == Expr::Op::Stride;
  bool hasOperand = expr.op < Expr::Op::Sms;
  size_t items = 1 + hasOperand + hasAxis + static_cast<size_t>(kExprOps[op].children);
  if (value.size() != items)
    fail(std::string("the formula '") + kExprOps[op].name + "' takes " + std::to_string(items - 1) +
         " operands");
  else if (kExprOps[op].children == 0)
    leaf(value, expr);
  for (size_t i = 1; !failed() && i < value.size() && kExprOps[op].children; ++i)
    expr.children.push_back(this->expr(value[i]));
  return expr;
}

} // namespace fa_runtime
