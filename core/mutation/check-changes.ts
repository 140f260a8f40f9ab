// Whether the changes that a plugin makes fit the layout: storage gets clean changes, and checks none.

import type { Change } from "../contracts/change.ts";
import type { FieldLayout } from "../contracts/layout.ts";
import { Fact } from "../ground/facts.ts";
import { PluginFault, type PluginPlace } from "../ground/plugin-fault.ts";
import { fitsKind } from "../ground/values/convert.ts";
import type { TypeName, Value } from "../ground/values/value.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";

export interface Replaced {
  readonly plugin: string;
  /** Before the hook; what it passes on as it was is not looked at again. */
  readonly before: readonly Change[];
  readonly deployment: WithLayout;
}

/** @throws PluginFault for a change that storage could not take, or could not read again */
export function checkChanges(changes: readonly Change[], { plugin, before, deployment }: Replaced): void {
  const place = { plugin, hook: "changes" };
  if (!Array.isArray(changes)) throw new PluginFault(place, "it must return a list of changes, or undefined.");
  const given = new Set(before);
  for (const change of changes) if (!given.has(change)) checkChange(change, place, layoutFacts.of(deployment));
}

export interface Appended {
  readonly plugin: string;
  readonly deployment: WithLayout;
  /** Whether the schema declares the stored type. */
  readonly isOfSchema: (type: TypeName) => boolean;
}

/** @throws PluginFault for anything but new nodes of hidden types: other changes would evade the hooks of other plugins */
export function checkAppended(changes: readonly Change[], { plugin, deployment, isOfSchema }: Appended): void {
  const place = { plugin, hook: "append" };
  if (!Array.isArray(changes)) throw new PluginFault(place, "it must return a list of nodes to create, or undefined.");
  for (const change of changes) {
    if (change?.kind !== "create") throw new PluginFault(place, "it may only create nodes.");
    if (isOfSchema(change.type)) throw new PluginFault(place, `it creates a node of ${change.type}, which is no hidden type.`);
    checkChange(change, place, layoutFacts.of(deployment));
  }
}

interface LayoutFacts {
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly fields: ReadonlyMap<string, FieldLayout>;
  readonly ends: ReadonlySet<string>;
}

type WithLayout = Pick<Deployment, "layout" | "facts">;

const layoutFacts = new Fact<WithLayout, LayoutFacts>(({ layout }) => ({
  types: new Map(layout.types.map(({ name, fields }) => [name, new Set(fields)])),
  fields: new Map(layout.fields.map((field) => [field.name, field])),
  ends: new Set(layout.edges.flatMap(({ sides }) => sides.flatMap(({ ends }) => ends.map(({ name }) => name)))),
}));

function checkChange(change: Change, place: PluginPlace, { types, fields, ends }: LayoutFacts): void {
  const refuse = (problem: string): never => {
    throw new PluginFault(place, problem);
  };
  switch (change?.kind) {
    case "link":
    case "unlink":
      if (!ends.has(change.end)) refuse(`it changes links of ${change.end}, which is no link.`);
      return;
    case "remove":
      if (!types.has(change.type)) refuse(`it removes a node of ${change.type}, which is no type.`);
      return;
    case "create":
    case "set": {
      const of = types.get(change.type) ?? refuse(`it writes a node of ${change.type}, which is no type.`);
      for (const [name, value] of Object.entries(change.fields)) {
        const field = fields.get(name);
        if (!field || !of.has(name)) refuse(`it writes ${name}, which is no field of ${change.type}.`);
        else if (field.derived) refuse(`it writes ${name}, which is derived from other fields.`);
        else if (!(value === null && change.kind === "set") && !fits(field, value))
          refuse(`it writes a value to ${name} that is no ${kindText(field)}.`);
      }
      return;
    }
    default:
      refuse("it returns a change of no known kind.");
  }
}

function fits({ kind, list }: FieldLayout, value: unknown): boolean {
  if (list) return Array.isArray(value) && value.length > 0 && value.every((each) => isValue(each) && fitsKind(kind, each));
  return isValue(value) && fitsKind(kind, value);
}

function isValue(value: unknown): value is Value {
  return value !== undefined && value !== null && !Array.isArray(value);
}

function kindText({ kind, list }: FieldLayout): string {
  return list ? `list of ${kind}` : kind;
}
