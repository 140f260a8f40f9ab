// Checks the assembled API for name conflicts, between definitions and between members, for undefined types, and for types in the wrong place.

import { Problems } from "../document/problems.ts";
import { type Definition, type FieldsDefinition, namedType } from "./definition.ts";

export interface Named {
  readonly client: readonly Definition[];
  /** Names of types that the kernel and the plugins define. */
  readonly extended: ReadonlySet<string>;
  readonly generated: readonly Definition[];
  readonly roots: readonly FieldsDefinition[];
}

/** @throws QuernError `SCHEMA_INVALID` with all conflicts */
export function checkNames({ client, extended, generated, roots }: Named): void {
  const problems = new Problems();
  checkDefinitions(client, extended, generated, problems);
  problems.assertNone();
  const all = [...client, ...generated, ...roots];
  for (const definition of all) checkMembers(definition, problems);
  checkTypesExist(all, extended, problems);
  checkPositions(roots, all, problems);
  problems.assertNone();
}

function checkDefinitions(client: readonly Definition[], extended: ReadonlySet<string>, generated: readonly Definition[], problems: Problems): void {
  const written = new Map(client.map((definition) => [definition.name, definition]));
  const made = new Map<string, Definition>();
  for (const definition of generated) {
    const { name, generatedFor } = definition;
    const [theirs, other] = [written.get(name), made.get(name)];
    const source = written.get(generatedFor ?? "")?.location;
    if (theirs) problems.report(reservedText(theirs), theirs.location, `${name} is generated ${purposeOf(definition)}.`);
    else if (extended.has(name))
      problems.report(`${name} would be generated ${purposeOf(definition)}, but it is a built-in definition. ${advice}`, source);
    else if (other) problems.report(`${name} would be generated ${purposeOf(other)} and ${purposeOf(definition)}. ${advice}`, source);
    made.set(name, definition);
  }
}

function purposeOf({ generatedFor }: Definition): string {
  return generatedFor === undefined ? "for a directive" : `for type ${generatedFor}`;
}

const advice = "Pick a different name for the type.";

const kinds = { type: "OBJECT", interface: "INTERFACE", input: "INPUT_OBJECT", enum: "ENUM", union: "UNION", scalar: "SCALAR" } as const;

/** The same message as for reserved names. */
function reservedText({ name, kind }: Definition): string {
  return `${name} is a reserved word, so you can't declare a ${kinds[kind]} with this name. Pick a different name for the ${kinds[kind]}.`;
}

function checkMembers(definition: Definition, problems: Problems): void {
  const seen = new Set<string>();
  for (const name of memberNames(definition)) {
    if (seen.has(name)) problems.report(`${stage} Field ${definition.name}.${name} can only be defined once.`);
    seen.add(name);
  }
}

const stage = "while validating GraphQL schema:";

function memberNames(definition: Definition): readonly string[] {
  if (definition.kind === "enum") return definition.values.map(({ name }) => name);
  return "members" in definition ? definition.members.map((member) => (typeof member === "string" ? member : member.name)) : [];
}

const ofTheLanguage = ["ID", "Int", "Float", "String", "Boolean"];

function checkTypesExist(definitions: readonly Definition[], extended: ReadonlySet<string>, problems: Problems): void {
  const known = new Set([...ofTheLanguage, ...extended, ...definitions.map(({ name }) => name)]);
  for (const type of definitions.flatMap(typesUsedBy)) if (!known.has(type)) problems.report(`${stage} Undefined type ${type}.`);
}

/** A root field may name types of the plugin that answers it, which are known here for the first time. */
function checkPositions(roots: readonly FieldsDefinition[], all: readonly Definition[], problems: Problems): void {
  const kinds = new Map(all.map(({ name, kind }) => [name, kind]));
  const kindOf = (type: string) => kinds.get(namedType(type)) ?? "scalar";
  for (const { name, members } of roots) {
    for (const { name: field, type, arguments: args = [] } of members) {
      if (kindOf(type) === "input") problems.report(`${stage} ${name}.${field} is of type ${namedType(type)}, which is an input.`);
      const wrong = args.find((each) => outputs.has(kindOf(each.type)));
      if (wrong) problems.report(`${stage} The argument ${wrong.name} of ${name}.${field} is of type ${namedType(wrong.type)}, which is no input.`);
    }
  }
}

const outputs: ReadonlySet<string> = new Set(["type", "interface", "union"]);

function typesUsedBy(definition: Definition): readonly string[] {
  if (definition.kind === "enum" || definition.kind === "scalar") return [];
  if (definition.kind === "union") return definition.members;
  return definition.members.flatMap((member) => [member, ...(member.arguments ?? [])].map(({ type }) => namedType(type)));
}
