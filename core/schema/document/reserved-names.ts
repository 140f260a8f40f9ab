// Names that a schema may not use: those of the kernel's own definitions and those it generates.

import type { TypeDefinitionNode } from "graphql";
import { isComposite, kindOf } from "./definitions.ts";

const words = new Set("ID Boolean Int Int64 Float String DateTime Password Point Polygon MultiPolygon uid Subscription Query Mutation".split(" "));

/** Neither a definition, nor a field, nor a stored name may be called so. */
export function isReservedWord(name: string): boolean {
  return words.has(name) || name.toLowerCase() === "as";
}

/** Type names that are refused by name; other built-in definitions are refused as declared twice. */
const fixedTypeNames = [
  "Int64 DateTime DgraphIndex AuthRule HTTPMethod Mode CustomHTTP IntFilter Int64Filter FloatFilter DateTimeFilter StringTermFilter",
  "StringRegExpFilter StringFullTextFilter StringExactFilter StringHashFilter PointGeoFilter PointRef NearFilter",
].flatMap((line) => line.split(" "));

/** Every name that a client's definition may not have because the kernel has or generates it. */
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

/** Root fields that are generated for the stored types. */
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
