// The conditions of a table: a field, an operator and a value each, as the generated filter of the type offers them.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../api/server.ts";
import type { NodeType } from "../../model/api-model.ts";
import { type Condition, filterFields, filterOfConditions, operandHint } from "../../model/filters.ts";
import { FormEnd } from "../../parts/pieces.tsx";
import { useFocusBack } from "../../parts/use-focus-back.ts";

export interface FilterBarProps {
  readonly type: NodeType;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

export function FilterBar({ type, conditions, onChange }: FilterBarProps) {
  const [isOpen, open] = useState(false);
  const opener = useFocusBack({ isOpen });
  if (filterFields(type).length === 0) return <p class="hint">{type.name} has no fields with @search, so it cannot be filtered.</p>;
  return (
    <div class="filters">
      {conditions.map((condition, index) => (
        <span class="chip" key={`${condition.field}${condition.operator}${condition.text}`}>
          <span>
            {condition.field} <em>{signOf(type, condition)}</em> {condition.text}
          </span>
          <button
            type="button"
            aria-label={`Remove the filter on ${condition.field}`}
            onClick={() => onChange(conditions.filter((_, i) => i !== index))}
          >
            ✕
          </button>
        </span>
      ))}
      {isOpen ? (
        <NewCondition
          type={type}
          onAdd={(condition) => {
            open(false);
            onChange([...conditions, condition]);
          }}
          onClose={() => open(false)}
        />
      ) : (
        <button type="button" ref={opener} class="plain" onClick={() => open(true)}>
          + Filter
        </button>
      )}
    </div>
  );
}

function signOf(type: NodeType, { field, operator }: Condition): string {
  const found = filterFields(type).find(({ name }) => name === field);
  return found?.operators.find(({ name }) => name === operator)?.sign ?? operator;
}

interface NewConditionProps {
  readonly type: NodeType;
  readonly onAdd: (condition: Condition) => void;
  readonly onClose: () => void;
}

function NewCondition({ type, onAdd, onClose }: NewConditionProps) {
  const fields = filterFields(type);
  const [field, setField] = useState(fields[0]?.name ?? "");
  const operators = fields.find(({ name }) => name === field)?.operators ?? [];
  const [chosen, setOperator] = useState(operators[0]?.name ?? "");
  const operator = operators.find(({ name }) => name === chosen) ?? operators[0];
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const value = useRef<HTMLInputElement>(null);
  // Before the next key.
  useLayoutEffect(() => value.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const condition = { field, operator: operator?.name ?? "", text };
    try {
      filterOfConditions(type, [condition]);
      onAdd(condition);
    } catch (thrown) {
      setProblem(messageOf(thrown));
    }
  };
  return (
    <form class="condition" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <select aria-label="Field" value={field} onChange={(event) => setField(event.currentTarget.value)}>
        {fields.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select aria-label="Operator" value={operator?.name} onChange={(event) => setOperator(event.currentTarget.value)}>
        {operators.map(({ name, sign }) => (
          <option key={name} value={name}>
            {sign}
          </option>
        ))}
      </select>
      <input
        aria-label="Value"
        value={text}
        placeholder={operator && operandHint(operator.type)}
        ref={value}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <FormEnd problem={problem} submit="Add" onCancel={onClose} />
    </form>
  );
}
