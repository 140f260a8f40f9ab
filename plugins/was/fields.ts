// Renamed fields.

import type { DirectiveUse, Field, ModelContext } from "../../core/plugin.ts";
import { givenNames, isDone, liveClaims } from "./former-name.ts";
import type { FormerTypes } from "./types.ts";

interface FieldUse extends DirectiveUse {
  readonly field: Field;
}

/** Inherited uses are validated and take effect at the interface's field. */
export function renameFields(context: ModelContext, formerTypes: FormerTypes): void {
  const uses = context.uses("was").filter((use): use is FieldUse => use.field !== undefined && !use.inherited);
  const renamed = new Set(uses.map(({ field }) => field));
  const takers = new Map<string, string>();
  const sound = uses.filter((use) => report({ use, renamed, takers, context }));
  for (const owner of new Set(sound.map(({ field }) => field.owner))) {
    const type = formerTypes.get(owner) ?? owner.name;
    const deployed = context.former?.model.nodeTypes.get(type);
    const claims = sound
      .filter(({ field }) => field.owner === owner)
      .map((use) => ({ use, name: use.field.name, names: givenNames(use.node), done: isDone(use.node, deployed?.fields.get(use.field.name)) }));
    for (const { use } of liveClaims(claims)) rename(use, type, context);
  }
}

interface Place {
  readonly use: FieldUse;
  /** Fields with an `@was` of their own. */
  readonly renamed: ReadonlySet<Field>;
  /** By former `Type.name`: the field that claims it. */
  readonly takers: Map<string, string>;
  readonly context: ModelContext;
}

/** @returns whether the use is valid */
function report(place: Place): boolean {
  const { use, takers, context } = place;
  const { field, node } = use;
  const start = `Type ${field.owner.name}; Field ${field.name}:`;
  if (field.role !== "value" && field.role !== "link") {
    context.report(`${start} @was is for fields that are stored, and this one is ${field.role === "id" ? "the ID" : "computed"}.`, node);
    return false;
  }
  let sound = true;
  for (const name of givenNames(node)) {
    const problem = problemOf(name, place);
    takers.set(`${field.owner.name}.${name}`, field.name);
    if (problem === undefined) continue;
    context.report(`${start} @was names ${name}, ${problem.message}`, node, problem.hint);
    sound = false;
  }
  return sound;
}

function problemOf(name: string, { use, renamed, takers }: Place): { readonly message: string; readonly hint?: string } | undefined {
  const { field } = use;
  const { owner } = field;
  if (name === field.name) return { message: "which is its name now.", hint: "Give the name that it had before." };
  const taker = takers.get(`${owner.name}.${name}`);
  if (taker !== undefined) return { message: taker === field.name ? "twice." : `which is what ${taker} was.` };
  const still = owner.fields.get(name);
  if (still === undefined || renamed.has(still)) return undefined;
  return {
    message: `which is still a field of ${owner.name}.`,
    hint: `If ${field.name} has been deployed as the new name of ${name}, take @was out: its name is kept. If not, deploy without the field ${name} first.`,
  };
}

/** @param type the name that the declaring type has in the deployed schema */
function rename({ field, node }: FieldUse, type: string, { former, record, report: refuse }: ModelContext): void {
  if (former === undefined) return;
  const name = givenNames(node).find((each) => former.storedField(type, each) !== undefined);
  if (name === undefined) return;
  record.renamedField(field, name, type);
  const kept = former.storedField(type, name);
  if (!("stored" in field) || field.stored === kept) return;
  refuse(
    `Type ${field.owner.name}; Field ${field.name}: @was says that its data are those of ${name}, stored as ${kept}, and another directive that they are stored as ${field.stored}.`,
    node,
    "Take one of the two directives out.",
  );
}
