// Values that a request compares a field with, as plugins want them (`@lowercase`).

import type { ValueField } from "../../contracts/model.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { Value } from "../../ground/values/value.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";

/** `value` after every plugin's `operand` hook. */
export function operandOf(field: ValueField, value: Value, hooks: readonly PluginHooks[]): Value {
  return hooks.reduce((operand, each) => each.hooks.operand?.(field, operand) ?? operand, value);
}

/** The predicate with the hooks applied to every operand that `field` is compared with. Tokens and tests are the operator's own. */
export function withOperandHooks(predicate: Predicate, field: ValueField, hooks: readonly PluginHooks[]): Predicate {
  return hooks.some((each) => each.hooks.operand) ? rewrite(predicate, field, hooks) : predicate;
}

function rewrite(predicate: Predicate, field: ValueField, hooks: readonly PluginHooks[]): Predicate {
  switch (predicate.kind) {
    case "and":
    case "or":
      return { ...predicate, of: predicate.of.map((each) => rewrite(each, field, hooks)) };
    case "not":
      return { ...predicate, of: rewrite(predicate.of, field, hooks) };
    case "compare":
      if (predicate.field !== field.stored) return predicate;
      return { ...predicate, operands: predicate.operands.map((operand) => operandOf(field, operand, hooks)) };
    default:
      return predicate;
  }
}
