// A filter as a tree that one edits: groups of which all or any must hold, conditions, and conditions on what links lead to.

import { useState } from "preact/hooks";
import type { ApiModel, NodeType } from "../model/api-model.ts";
import { filterProblem } from "../model/filter-test.ts";
import { type Condition, everything, type Filter, type Group, isGroup, type LinkCondition, targetOf } from "../model/filter-tree.ts";
import { Dialog, FormEnd } from "../parts/pieces.tsx";
import { ConditionInputs, filterOfCondition, firstCondition } from "./condition-inputs.tsx";

export interface FilterDialogProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly filter: Group;
  readonly onChange: (filter: Group) => void;
  readonly onClose: () => void;
}

export function FilterDialog({ model, type, filter, onChange, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState<Group>(filter.of.length === 0 ? { kind: "all", of: [filterOfCondition(firstCondition(type))] } : filter);
  const [problem, setProblem] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const next = withoutEmpty(draft);
    const found = filterProblem(model, type, next);
    setProblem(found);
    if (found !== "") return;
    onChange(next);
    onClose();
  };
  return (
    <Dialog title={`Filter ${type.name}`} onClose={onClose}>
      <form class="form filter-form" onSubmit={submit}>
        <GroupEditor model={model} type={type} group={draft} onChange={setDraft} title={`Filter of ${type.name}`} />
        <FormEnd problem={problem} submit="Apply" submitClass="primary" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface GroupEditorProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly group: Group;
  readonly onChange: (group: Group) => void;
  readonly title: string;
}

function GroupEditor({ model, type, group, onChange, title }: GroupEditorProps) {
  const { kind, of } = group;
  const add = (filter: Filter) => onChange({ kind, of: [...of, filter] });
  const links = type.fields.filter(({ name }) => targetOf(model, type, name) !== undefined);
  return (
    <fieldset class="group-editor">
      <legend class="hidden">{title}</legend>
      <select
        aria-label={`${title}: what must hold`}
        value={kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value === "any" ? "any" : "all", of })}
      >
        <option value="all">All of these hold</option>
        <option value="any">At least one of these holds</option>
      </select>
      {of.map((member, place) => (
        <div class="member" key={place}>
          <Member
            model={model}
            type={type}
            filter={member}
            title={`${title}, ${place + 1}`}
            onChange={(next) => onChange({ kind, of: of.map((each, i) => (i === place ? next : each)) })}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${place + 1} of ${title}`}
            onClick={() => onChange({ kind, of: of.filter((_, i) => i !== place) })}
          >
            ✕
          </button>
        </div>
      ))}
      <div class="add-member">
        <button type="button" class="plain" onClick={() => add(filterOfCondition(firstCondition(type)))}>
          + Condition
        </button>
        <button
          type="button"
          class="plain"
          onClick={() => add({ kind: kind === "all" ? "any" : "all", of: [filterOfCondition(firstCondition(type))] })}
        >
          + Group
        </button>
        {links.length > 0 && (
          <select
            aria-label={`Add a condition on a link to ${title}`}
            value=""
            onChange={({ currentTarget }) => add(linkCondition(currentTarget.value))}
          >
            <option value="">+ Link…</option>
            {links.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </div>
    </fieldset>
  );
}

interface MemberProps extends Omit<GroupEditorProps, "group" | "onChange"> {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

function Member({ filter, ...props }: MemberProps) {
  if (isGroup(filter)) return <GroupEditor {...props} group={filter} />;
  if (filter.kind === "value") return <ConditionEditor {...props} filter={filter} />;
  return <LinkEditor {...props} filter={filter} />;
}

function ConditionEditor({ model, type, filter, onChange }: MemberProps & { readonly filter: Condition }) {
  const { kind: _, ...condition } = filter;
  return (
    <div class="condition">
      <ConditionInputs model={model} type={type} condition={{ link: "", ...condition }} onChange={(next) => onChange(filterOfCondition(next))} />
    </div>
  );
}

function LinkEditor({ model, type, filter, onChange, title }: MemberProps & { readonly filter: LinkCondition }) {
  const { kind, field, where } = filter;
  const target = targetOf(model, type, field);
  if (target === undefined) return null;
  return (
    <div class="link-condition">
      <select
        aria-label={`${title}: how many of ${field}`}
        value={kind}
        onChange={({ currentTarget }) => onChange({ ...filter, kind: currentTarget.value === "none" ? "none" : "some" })}
      >
        <option value="some">some {field}</option>
        <option value="none">no {field}</option>
      </select>
      <GroupEditor model={model} type={target} group={where} onChange={(next) => onChange({ ...filter, where: next })} title={`${title}, ${field}`} />
    </div>
  );
}

function linkCondition(field: string): LinkCondition {
  return { kind: "some", field, where: everything };
}

/** Groups without members ask for nothing. */
function withoutEmpty({ kind, of }: Group): Group {
  const kept = of.map((each) => (isGroup(each) ? withoutEmpty(each) : each)).filter((each) => !isGroup(each) || each.of.length > 0);
  return { kind, of: kept };
}
