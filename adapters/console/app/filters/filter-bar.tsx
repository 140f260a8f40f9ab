// The filter of a table: a chip for each condition, a form for one more, and a dialog for groups.

import { useState } from "preact/hooks";
import type { ApiModel, NodeType } from "../model/api-model.ts";
import { filterProblem } from "../model/filter-test.ts";
import { type Filter, type Group, sentenceOf } from "../model/filter-tree.ts";
import { FormEnd } from "../parts/pieces.tsx";
import { useFocusBack } from "../parts/use-focus-back.ts";
import { ConditionInputs, filterOfCondition, firstCondition } from "./condition-inputs.tsx";
import { FilterDialog } from "./filter-dialog.tsx";

export interface FilterBarProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly filter: Group;
  readonly onChange: (filter: Group) => void;
}

export function FilterBar({ model, type, filter, onChange }: FilterBarProps) {
  const [opened, open] = useState<"nothing" | "condition" | "groups">("nothing");
  const opener = useFocusBack({ isOpen: opened === "condition" });
  // A group of alternatives is one chip.
  const members = filter.kind === "all" ? filter.of : [filter];
  const shown = filter.of.length === 0 ? [] : members;
  const close = () => open("nothing");
  return (
    <div class="filters">
      {shown.map((each, place) => {
        const text = sentenceOf(model, type, each);
        return (
          <span class="chip" key={`${place} ${text}`}>
            <span dir="auto">{text}</span>
            <button
              type="button"
              aria-label={`Remove the filter ${text}`}
              onClick={() => onChange({ kind: "all", of: shown.filter((_, i) => i !== place) })}
            >
              ✕
            </button>
          </span>
        );
      })}
      {opened === "condition" ? (
        <NewCondition
          model={model}
          type={type}
          onAdd={(condition) => {
            close();
            onChange({ kind: "all", of: [...shown, condition] });
          }}
          onClose={close}
        />
      ) : (
        <button type="button" ref={opener} class="plain" onClick={() => open("condition")}>
          + Filter
        </button>
      )}
      {opened !== "condition" && (
        <button type="button" class="plain" onClick={() => open("groups")}>
          Groups
        </button>
      )}
      {opened === "groups" && <FilterDialog model={model} type={type} filter={filter} onChange={onChange} onClose={close} />}
    </div>
  );
}

interface NewConditionProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly onAdd: (condition: Filter) => void;
  readonly onClose: () => void;
}

function NewCondition({ model, type, onAdd, onClose }: NewConditionProps) {
  const [condition, setCondition] = useState(() => firstCondition(type));
  const [problem, setProblem] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const filter = filterOfCondition(condition);
    const found = filterProblem(model, type, filter);
    setProblem(found);
    if (found === "") onAdd(filter);
  };
  return (
    <form class="condition" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <ConditionInputs model={model} type={type} condition={condition} onChange={setCondition} focused />
      <FormEnd problem={problem} submit="Add" onCancel={onClose} />
    </form>
  );
}
