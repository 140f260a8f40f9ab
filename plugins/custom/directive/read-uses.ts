// Reads and checks all uses of `@custom(http:)`.

import { Kind } from "graphql";
import type { Field, ModelContext } from "../../../core/plugin.ts";
import type { Secrets } from "../secrets.ts";
import { argumentFindings } from "./argument-rules.ts";
import { argumentNamed, type CustomUse, type Finding, HttpMembers } from "./custom-use.ts";
import { placeFindings } from "./place-rules.ts";
import { combinationFindings, headerFindings, methodFindings, modeFindings, urlFindings } from "./request-rules.ts";
import { templateFindings, urlOnlyFindings } from "./template-rules.ts";

export interface ReadUses {
  /** Fields of stored types, each where it is declared. */
  readonly fields: readonly (CustomUse & { readonly modelField: Field })[];
  /** Fields of `Query` and `Mutation`. */
  readonly roots: readonly CustomUse[];
}

/** Uses with a `dql` argument alone belong to another plugin. */
export function readUses(context: ModelContext, remote: ReadonlyMap<string, unknown>, secrets: Secrets): ReadUses {
  const stored = context
    .uses("custom")
    .flatMap(({ node, definition, field, type, inherited }) =>
      field && type && concerns(node)
        ? [{ use: { node, definition, field: field.definition, type, http: membersOf(node) }, modelField: field, inherited }]
        : [],
    );
  const roots = context.uses("custom", "unstored").flatMap(({ node, definition, field }): CustomUse[] => {
    if (field.kind !== Kind.FIELD_DEFINITION || remote.has(definition.name.value) || !concerns(node)) return [];
    return [{ node, definition, field, type: undefined, http: membersOf(node) }];
  });
  for (const use of [...stored.map((each) => each.use), ...roots]) report(use, findingsOf(use, secrets), context);
  return { fields: stored.flatMap(({ use, modelField, inherited }) => (inherited ? [] : [{ ...use, modelField }])), roots };
}

function concerns(node: CustomUse["node"]): boolean {
  return argumentNamed(node, "http") !== undefined || argumentNamed(node, "dql") === undefined;
}

function membersOf(node: CustomUse["node"]): HttpMembers {
  const value = argumentNamed(node, "http")?.value;
  return new HttpMembers(value?.kind === Kind.OBJECT ? value : undefined);
}

function findingsOf(use: CustomUse, secrets: Secrets): readonly Finding[] {
  const own = [...placeFindings(use), ...argumentFindings(use)];
  // Two arguments: which one counts is not known.
  if (!argumentNamed(use.node, "http") || argumentNamed(use.node, "dql")) return own;
  const all = [
    ...own,
    ...urlFindings(use),
    ...methodFindings(use),
    ...modeFindings(use),
    ...combinationFindings(use),
    ...templateFindings(use),
    ...headerFindings(use, secrets),
  ];
  return all.length > 0 ? all : urlOnlyFindings(use);
}

function report({ definition, field }: CustomUse, findings: readonly Finding[], context: ModelContext): void {
  for (const { text, at } of findings) context.report(`Type ${definition.name.value}; Field ${field.name.value}${text}`, at);
}
