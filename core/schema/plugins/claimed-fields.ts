// Fields that plugins have to resolve: those that a schema declares on `Query` and `Mutation`, and computed fields of stored types.

import type { TypeDefinitionNode } from "graphql";
import type { Field, Model } from "../../contracts/model.ts";
import { type PluginAdditions, rootName } from "../api/additions.ts";
import { fieldsOf, isRoot, namedType } from "../document/definitions.ts";
import { reportUnclaimed } from "../document/plain-root-fields.ts";
import type { Problems, Thoroughness } from "../document/problems.ts";
import { kindOfBuiltIn } from "../model/field-type.ts";

export interface ClaimsCheck {
  readonly problems: Problems;
  /** `"first"`: of each root type the first field that no plugin resolves. */
  readonly report: Thoroughness;
}

/** Reports fields that no plugin resolves, and resolved types that differ from the declared type. */
export function checkRootFieldsAreClaimed(
  definitions: readonly TypeDefinitionNode[],
  additions: readonly PluginAdditions[],
  { problems, report }: ClaimsCheck,
): void {
  for (const definition of definitions.filter(isRoot)) {
    const claims = claimsOf(definition, additions);
    const unclaimed = fieldsOf(definition).filter((field) => !claims.has(field.name.value));
    for (const field of report === "first" ? unclaimed.slice(0, 1) : unclaimed) reportUnclaimed(definition, field, problems);
    for (const field of fieldsOf(definition)) {
      const claim = claims.get(field.name.value);
      if (claim?.type === undefined || claim.type === namedType(field.type)) continue;
      problems.report(
        `Plugin "${claim.plugin}" answers ${definition.name.value}.${field.name.value} with nodes of type ${claim.type}, ` +
          `but the schema declares it as ${namedType(field.type)}.`,
        field,
        `Declare the field as ${claim.type} or a list of it.`,
      );
    }
  }
}

/** Reports fields whose type is not stored and which no plugin computes. */
export function checkUnstoredFieldsAreClaimed({ nodeTypes, unions, enums }: Model, additions: readonly PluginAdditions[], problems: Problems): void {
  const isUnstored = (name: string) => !nodeTypes.has(name) && !unions.has(name) && !enums.has(name) && kindOfBuiltIn(name) === undefined;
  const claims = ({ owner, origin, name }: Field) => claimed.has(`${owner.name}.${name}`) || claimed.has(`${origin.name}.${name}`);
  const claimed = new Set(additions.flatMap(({ computed = [] }) => computed.map(({ field }) => `${field.owner.name}.${field.name}`)));
  for (const type of nodeTypes.values()) {
    for (const field of type.fields.values()) {
      // A field that a plugin made computed has another type.
      if (field.role !== "computed" || !isUnstored(field.type.name) || claims(field)) continue;
      problems.report(
        `Type ${type.name}; Field ${field.name}: its values are not stored, and no plugin computes them.`,
        field.definition,
        "Add the directive of a plugin that computes the field.",
      );
    }
  }
}

interface Claim {
  readonly plugin: string;
  /** The type of the nodes that it returns; undefined if it returns JSON. */
  readonly type: string | undefined;
}

function claimsOf({ name }: TypeDefinitionNode, additions: readonly PluginAdditions[]): ReadonlyMap<string, Claim> {
  const operation = name.value === "Query" ? "query" : "mutation";
  return new Map(
    additions.flatMap(({ plugin, roots = [] }) =>
      roots
        .filter((root) => root.operation === operation)
        .map((root): [string, Claim] => [rootName(root, plugin), { plugin, type: root.type?.name }]),
    ),
  );
}
