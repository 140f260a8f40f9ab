// A field, an operator and a value: one condition of a filter.

import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { operandHint } from "../model/filter-plan.ts";
import { type Condition, type Filter, targetOf } from "../model/filter-tree.ts";
import { operatorOf, operatorsOf } from "../model/operators.ts";

export interface ConditionInputsProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly condition: PathCondition;
  readonly onChange: (condition: PathCondition) => void;
  readonly focused?: boolean;
}

/** A condition on a field of the type, or of the nodes that one of its links leads to. */
export interface PathCondition extends Omit<Condition, "kind"> {
  /** Empty: the field is one of the type itself. */
  readonly link: string;
}

export function firstCondition(type: NodeType): PathCondition {
  const asked = askable(type);
  const field = asked.find((each) => operatorsOf(type, each).some(({ input, takes }) => input !== undefined && takes !== "nothing")) ?? asked[0];
  return conditionOn(type, "", field?.name ?? "");
}

/** As it stands in a filter. */
export function filterOfCondition({ link, ...condition }: PathCondition): Filter {
  const value: Filter = { kind: "value", ...condition };
  return link === "" ? value : { kind: "some", field: link, where: { kind: "all", of: [value] } };
}

export function ConditionInputs({ model, type, condition, onChange, focused = false }: ConditionInputsProps) {
  const owner = ownerOf(model, type, condition.link);
  const field = owner.fields.find(({ name }) => name === condition.field);
  const operator = operatorOf(owner, condition.field, condition.operator);
  const isLinkIndexed = condition.link === "" || type.filter?.getFields()[condition.link] !== undefined;
  const value = useRef<HTMLInputElement>(null);
  const list = useId();
  // Before the next key.
  useLayoutEffect(() => {
    if (focused) value.current?.focus();
  }, [focused]);
  const choices = field?.named === "Boolean" ? ["true", "false"] : (field?.values ?? []);
  return (
    <>
      <select
        aria-label="Field"
        value={pathText(condition)}
        onChange={({ currentTarget }) => onChange(conditionAt(model, type, currentTarget.value))}
      >
        {askable(type).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
        {linkFields(model, type).map(({ name, target }) => (
          <optgroup key={name} label={`${name}: some ${target.name}`}>
            {askable(target).map((each) => (
              <option key={each.name}>{`${name}.${each.name}`}</option>
            ))}
          </optgroup>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={condition.operator}
        onChange={({ currentTarget }) => onChange({ ...condition, operator: currentTarget.value })}
      >
        {field &&
          operatorsOf(owner, field).map(({ name, sign, input }) => (
            <option key={name} value={name}>
              {sign}
              {input && isLinkIndexed ? "" : " · scan"}
            </option>
          ))}
      </select>
      {operator?.takes !== "nothing" && (
        <input
          aria-label="Value"
          value={condition.text}
          placeholder={operator && operandHint(operator)}
          list={choices.length > 0 ? list : undefined}
          ref={value}
          onInput={({ currentTarget }) => onChange({ ...condition, text: currentTarget.value })}
        />
      )}
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}

function askable(type: NodeType): readonly Field[] {
  return type.fields.filter((field) => operatorsOf(type, field).length > 0);
}

function linkFields(model: ApiModel, type: NodeType): readonly { readonly name: string; readonly target: NodeType }[] {
  return type.fields.flatMap(({ name }) => {
    const target = targetOf(model, type, name);
    return target === undefined ? [] : [{ name, target }];
  });
}

function ownerOf(model: ApiModel, type: NodeType, link: string): NodeType {
  return (link === "" ? undefined : targetOf(model, type, link)) ?? type;
}

function pathText({ link, field }: PathCondition): string {
  return link === "" ? field : `${link}.${field}`;
}

function conditionAt(model: ApiModel, type: NodeType, path: string): PathCondition {
  const [first = "", second] = path.split(".");
  return second === undefined ? conditionOn(type, "", first) : conditionOn(ownerOf(model, type, first), first, second);
}

function conditionOn(owner: NodeType, link: string, field: string): PathCondition {
  const found = owner.fields.find(({ name }) => name === field);
  return { link, field, operator: (found && operatorsOf(owner, found)[0]?.name) ?? "", text: "" };
}
