// Names that a schema must not use: those of the kernel's definitions and of generated ones.

import type { TypeDefinitionNode } from "graphql";
import { isComposite, kindOf } from "./definitions.ts";

const words = new Set("ID Boolean Int Int64 Float String DateTime Password Point Polygon MultiPolygon uid Subscription Query Mutation".split(" "));

/** Whether `name` is reserved for definitions, fields and stored names. */
export function isReservedWord(name: string): boolean {
  return words.has(name) || name.toLowerCase() === "as";
}

/** Type names refused as reserved words; other built-in definitions are refused as redeclared. */
const fixedTypeNames = [
  "Int64 DateTime DgraphIndex AuthRule HTTPMethod Mode CustomHTTP IntFilter Int64Filter FloatFilter DateTimeFilter StringTermFilter",
  "StringRegExpFilter StringFullTextFilter StringExactFilter StringHashFilter PointGeoFilter PointRef NearFilter",
].flatMap((line) => line.split(" "));

/** Names of built-in types and of all types that `definitions` generate. */
export function takenTypeNames(definitions: readonly TypeDefinitionNode[]): ReadonlySet<string> {
  return new Set([...fixedTypeNames, ...definitions.flatMap(generatedTypeNames)]);
}

function generatedTypeNames(definition: TypeDefinitionNode): readonly string[] {
  const name = definition.name.value;
  const kind = kindOf(definition);
  if (kind === "UNION") return [`${name}Ref`, `${name}Filter`, `${name}Type`];
  if (!isComposite(definition)) return [];
  const both = ["Ref", "Patch", "AggregateResult", "Filter", "Order", "Orderable"].map((suffix) => `${name}${suffix}`);
  const changes = [`Update${name}Input`, `Update${name}Payload`, `Delete${name}Input`];
  return [...both, ...changes, ...(kind === "OBJECT" ? [`Add${name}Input`, `Add${name}Payload`] : [])];
}

/** Names of the root fields that `definitions` generate. */
export function takenRootFields(definitions: readonly TypeDefinitionNode[], root: "Query" | "Mutation"): ReadonlySet<string> {
  return new Set(
    definitions.filter(isComposite).flatMap((definition) => {
      const name = definition.name.value;
      if (root === "Query") return [`get${name}`, `check${name}Password`, `query${name}`];
      const both = [`update${name}`, `delete${name}`];
      return kindOf(definition) === "OBJECT" ? [`add${name}`, ...both] : both;
    }),
  );
}
