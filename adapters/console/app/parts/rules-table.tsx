// The rules that restricted a request: what each left of which type, and how it is written in the schema.

import type { ApiModel } from "../model/api-model.ts";
import { type AppliedRule, sourcesOf, type WrittenRule } from "../model/rules.ts";

export interface RulesTableProps {
  readonly applied: readonly AppliedRule[];
  readonly written: readonly WrittenRule[];
  readonly model: ApiModel;
}

export function RulesTable({ applied, written, model }: RulesTableProps) {
  if (applied.length === 0)
    return <p class="hint">No rule was asked: the types of this operation have none, or it was refused before it read anything.</p>;
  return (
    <ul class="applied-rules">
      {applied.map((rule) => (
        <li key={`${rule.plugin} ${rule.type} ${rule.field} ${rule.purpose}`} class={classOf(rule)}>
          <h3>
            {rule.field === "" ? rule.type : `${rule.type}.${rule.field}`}
            <small>{[purposes[rule.purpose] ?? rule.purpose, `plugin ${rule.plugin}`].filter((each) => each !== "").join(" · ")}</small>
          </h3>
          <p class="leaves">{leavesText(rule)}</p>
          {sourcesOf(rule, written, supertypesOf(model, rule.type)).map((source) => (
            <details key={`${source.type} ${source.operation}`}>
              <summary>
                as written on {source.field === undefined ? source.type : `${source.type}.${source.field}`}, {source.operation}
              </summary>
              <pre>{source.text}</pre>
            </details>
          ))}
        </li>
      ))}
    </ul>
  );
}

const purposes: Readonly<Record<string, string>> = {
  query: "to be read",
  add: "to be added",
  update: "to be changed",
  delete: "to be deleted",
  password: "to check a password",
  reference: "to be linked to",
  displaced: "to lose a link",
  rule: "within a rule",
  updated: "after the change",
};

function classOf({ leaves }: AppliedRule): string {
  if (leaves === "everything") return "all";
  return leaves === "nothing" ? "none" : "some";
}

function leavesText({ leaves, field }: AppliedRule): string {
  if (leaves === "everything") return field === "" ? "All nodes." : "In all nodes.";
  if (leaves === "nothing") return field === "" ? "No node." : "In no node.";
  return `${field === "" ? "Nodes" : "In nodes"} where ${leaves}`;
}

function supertypesOf({ schema }: ApiModel, type: string): readonly string[] {
  const found = schema.getType(type);
  return found !== undefined && "getInterfaces" in found ? found.getInterfaces().map(({ name }) => name) : [];
}
