// Reads and checks all uses of `@custom(http:)`.

import { Kind } from "graphql";
import type { Field, ModelContext } from "../../../core/plugin.ts";
import type { Secrets } from "../http/secrets.ts";
import { argumentFindings } from "./argument-rules.ts";
import { argumentNamed, type CustomUse, type Finding, HttpMembers } from "./custom-use.ts";
import { headerFormFindings, overlapFindings, skipFindings, unknownSecretFindings } from "./header-rules.ts";
import { keyFindings, placeFindings } from "./place-rules.ts";
import { combinationFindings, methodFindings, modeFindings, urlFindings } from "./request-rules.ts";
import { bodyFindings, fieldFindings, graphqlFindings, lostBatchFindings, urlOnlyFindings } from "./template-rules.ts";

export interface ReadUses {
  /** Fields of stored types, each where it is declared. */
  readonly fields: readonly (CustomUse & { readonly modelField: Field })[];
  /** Fields of `Query` and `Mutation`. */
  readonly roots: readonly CustomUse[];
}

type Rule = (use: CustomUse, secrets: Secrets) => readonly Finding[];

/** @see reference/schema.md 2.9, whose order this is */
const rules: readonly Rule[] = [
  placeFindings,
  argumentFindings,
  urlFindings,
  methodFindings,
  modeFindings,
  combinationFindings,
  bodyFindings,
  graphqlFindings,
  keyFindings,
  fieldFindings,
  skipFindings,
  headerFormFindings,
  overlapFindings,
];

/** Of uses with a `dql` argument, alone or beside `http`. */
const rulesOfDql: readonly Rule[] = [placeFindings, argumentFindings];

/** Of uses that break no other rule. */
const rulesOfSound: readonly Rule[] = [unknownSecretFindings, urlOnlyFindings, lostBatchFindings];

/** Uses with a `dql` argument belong to another plugin. */
export function readUses(context: ModelContext, remote: ReadonlyMap<string, unknown>, secrets: Secrets): ReadUses {
  const stored = context
    .uses("custom")
    .flatMap(({ node, definition, field, type, inherited }) =>
      field && type ? [{ use: { node, definition, field: field.definition, type, http: membersOf(node) }, modelField: field, inherited }] : [],
    );
  const roots = context.uses("custom", "unstored").flatMap(({ node, definition, field }): CustomUse[] => {
    if (field.kind !== Kind.FIELD_DEFINITION || remote.has(definition.name.value)) return [];
    return [{ node, definition, field, type: undefined, http: membersOf(node) }];
  });
  for (const use of [...stored.map((each) => each.use), ...roots]) report(use, findingsOf(use, secrets), context);
  return {
    fields: stored.flatMap(({ use, modelField, inherited }) => (inherited || !concerns(use) ? [] : [{ ...use, modelField }])),
    roots: roots.filter(concerns),
  };
}

function concerns({ node }: CustomUse): boolean {
  return argumentNamed(node, "http") !== undefined || argumentNamed(node, "dql") === undefined;
}

function membersOf(node: CustomUse["node"]): HttpMembers {
  const value = argumentNamed(node, "http")?.value;
  return new HttpMembers(value?.kind === Kind.OBJECT ? value : undefined);
}

function findingsOf(use: CustomUse, secrets: Secrets): readonly Finding[] {
  if (argumentNamed(use.node, "dql")) return rulesOfDql.flatMap((rule) => rule(use, secrets));
  const found: Finding[] = [];
  for (const rule of rules) {
    found.push(...rule(use, secrets));
    if (found.some(({ last }) => last)) break;
  }
  return found.length > 0 ? found : rulesOfSound.flatMap((rule) => rule(use, secrets));
}

function report({ definition, field }: CustomUse, findings: readonly Finding[], context: ModelContext): void {
  for (const { text, at } of findings) context.report(`Type ${definition.name.value}; Field ${field.name.value}${text}`, at);
}
