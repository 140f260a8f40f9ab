// Writes TypeScript types of the functions that a schema leaves to the application, so that the compiler checks them.

import { type DefinitionNode, type FieldDefinitionNode, Kind, parse } from "graphql";
import type { NodeType, PreparedDeployment } from "../../../core/plugin.ts";
import { operations } from "../events/lambda-on-mutate.ts";
import { parentFields } from "../fields/read-fields.ts";
import { TypeWriter } from "./type-writer.ts";

/**
 * A module that exports `LambdaFunctions`, the type of `lambdaPlugin({ functions })` for this schema.
 *
 * @param source the name of the schema file, for the first line
 */
export function functionTypes({ document, model, api }: PreparedDeployment, source: string): string {
  const writer = new TypeWriter(api.schema, api.jsonKeys);
  const { definitions } = parse(document);
  const lines = definitions.flatMap((definition) => [...fieldLines(definition, { model, writer }), ...eventLines(definition, writer)]);
  return [
    `// The functions that ${source} leaves to the application. Written by: quern types --functions ${source}`,
    "",
    'import type { FunctionCall, LambdaEvent } from "quern/plugins/lambda";',
    "",
    prelude,
    ...writer.declarations(),
    "/** For `lambdaPlugin({ functions })`. */",
    "export type LambdaFunctions = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}

const prelude = `/** What every function gets. */
type Shared = Omit<FunctionCall, "args" | "parents" | "event">;
/** A function of a field of Query or Mutation. */
type RootFunction<Args, Result> = (call: Shared & { readonly args: Args; readonly parents: never; readonly event: never }) => Result | Promise<Result>;
/** A function of a field of a type: it gives one value for each parent, in order. */
type FieldFunction<Args, Parent, Result> = (
  call: Shared & { readonly args: Args; readonly parents: readonly Parent[]; readonly event: never },
) => Results<Result> | Promise<Results<Result>>;
type Results<Result> = readonly (Result | Promise<Result> | Error)[];
/** A function of \`@lambdaOnMutate\`. */
type EventFunction<Event> = (call: Shared & { readonly args: never; readonly parents: never; readonly event: Omit<LambdaEvent, "add" | "update" | "delete"> & Event }) => unknown;
`;

interface Context {
  readonly model: PreparedDeployment["model"];
  readonly writer: TypeWriter;
}

function fieldLines(definition: DefinitionNode, { model, writer }: Context): readonly string[] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const type = definition.name.value;
  const own = model.nodeTypes.get(type);
  return (definition.fields ?? []).filter(isLambda).flatMap((field) => {
    const name = field.name.value;
    const args = writer.argumentsOf(field);
    const result = writer.output(field.type);
    if (!own) return [`  readonly "${type}.${name}": RootFunction<${args}, ${result}>;`];
    // A field of an interface is asked for as the interface, or as the type in which the document selects it.
    const asked = own.kind === "interface" ? [own, ...own.members] : [own];
    return asked.map((each) => `  readonly "${each.name}.${name}": FieldFunction<${args}, ${parentType(each, writer)}, ${result}>;`);
  });
}

function isLambda({ directives }: FieldDefinitionNode): boolean {
  return directives?.some(({ name }) => name.value === "lambda") ?? false;
}

function parentType(type: NodeType, writer: TypeWriter): string {
  const { idName, values, key } = parentFields(type);
  const members = [
    ...(idName === undefined ? [] : [`readonly ${idName}: string`]),
    ...values.map((field) => `readonly ${field.name}${field === key ? "" : "?"}: ${writer.stored(field)}`),
  ];
  return `{ ${members.join("; ")} }`;
}

function eventLines(definition: DefinitionNode, writer: TypeWriter): readonly string[] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const raising = definition.directives?.find(({ name }) => name.value === "lambdaOnMutate");
  const type = definition.name.value;
  const chosen = operations.filter((operation) =>
    raising?.arguments?.some(({ name, value }) => name.value === operation && value.kind === Kind.BOOLEAN && value.value),
  );
  return chosen.map((operation) => `  readonly "${type}.${operation}": EventFunction<${eventType(operation, type, writer)}>;`);
}

function eventType(operation: string, type: string, writer: TypeWriter): string {
  const roots = "readonly rootUIDs: readonly string[]";
  if (operation === "delete") return `{ readonly delete: { ${roots} } }`;
  if (operation === "add") return `{ readonly add: { ${roots}; readonly input: readonly ${writer.sent(`Add${type}Input`)}[] } }`;
  const patch = `${writer.sent(`${type}Patch`)} | null`;
  return `{ readonly update: { ${roots}; readonly setPatch: ${patch}; readonly removePatch: ${patch} } }`;
}
