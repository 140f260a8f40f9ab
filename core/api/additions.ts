// What plugins add to the API, sorted by what it is added to.

import { Kind, parse } from "graphql";
import type { ApiAdditions, ComputedField, FieldFilter } from "../contracts/plugin.ts";
import { QuernError } from "../errors.ts";
import type { Field, NodeType } from "../model/model.ts";
import type { Definition } from "./definition.ts";
import type { PluginRoot } from "./outputs/roots.ts";
import { readMember } from "./sdl/read-definition.ts";
import { readDefinitions } from "./sdl/read-sdl.ts";

export interface Additions {
  readonly definitions: readonly Definition[];
  readonly roots: readonly PluginRoot[];
  /** Reasons by name of a root field. */
  readonly deprecated: ReadonlyMap<string, string>;
  /** Fields of the client's `Query` that are live too. */
  readonly live: ReadonlySet<string>;
  filtersOf(node: NodeType): ReadonlyMap<string, FieldFilter>;
  computedFor(field: Field): ComputedField | undefined;
}

/** @throws QuernError `PLUGIN_CLASH` when two of them filter or compute the same field */
export function sortAdditions(additions: readonly ApiAdditions[]): Additions {
  const filters = byField(
    additions.flatMap((each) => each.filters ?? []),
    "filter",
  );
  const computed = byField(
    additions.flatMap((each) => each.computed ?? []),
    "compute",
  );
  return {
    definitions: additions.flatMap((each) => readDefinitions(each.definitions ?? "")),
    roots: additions.flatMap((each) => each.roots ?? []).map((root) => ({ root, member: readSignature(root.signature) })),
    deprecated: new Map(additions.flatMap((each) => Object.entries(each.deprecated ?? {}))),
    live: new Set(additions.flatMap((each) => each.live ?? [])),
    filtersOf: ({ name }) => filters.get(name) ?? new Map(),
    computedFor: (field) => computed.get(field.owner.name)?.get(field.name),
  };
}

/** By name of the owner, then of the field. */
function byField<T extends { readonly field: Field }>(all: readonly T[], verb: string): ReadonlyMap<string, ReadonlyMap<string, T>> {
  const sorted = new Map<string, Map<string, T>>();
  for (const each of all) {
    const { owner, name } = each.field;
    const fields = sorted.get(owner.name) ?? new Map<string, T>();
    if (fields.has(name))
      throw new QuernError("PLUGIN_CLASH", `Two plugins ${verb} the field ${owner.name}.${name}; take one of them out of plugins.`);
    sorted.set(owner.name, fields.set(name, each));
  }
  return sorted;
}

function readSignature(signature: string): PluginRoot["member"] {
  const [definition] = parse(`type Root { ${signature} }`).definitions;
  const [field, ...more] = definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.fields ?? []) : [];
  if (!field || more.length > 0) throw new TypeError(`A root field has one signature, not "${signature}".`);
  return readMember(field);
}
