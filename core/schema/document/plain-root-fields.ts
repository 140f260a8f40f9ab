// Fields that a schema declares on `Query` and `Mutation` without a directive of a plugin.

import { type FieldDefinitionNode, Kind, type TypeDefinitionNode } from "graphql";
import { fieldsOf, isRoot, namedType } from "./definitions.ts";
import type { Installed } from "./installed.ts";
import { resolvedElsewhere } from "./known-plugins.ts";
import { locationOf } from "./locations.ts";
import type { Problems, Thoroughness } from "./problems.ts";

export interface PlainFieldsCheck {
  readonly installed: Installed;
  readonly problems: Problems;
  /** `"first"`: of each root type. */
  readonly report: Thoroughness;
}

/** Reports fields of root types without a directive of a plugin. `checkPluginsAreInstalled` reports fields of missing plugins. */
export function checkPlainRootFields(definitions: readonly TypeDefinitionNode[], { installed, problems, report }: PlainFieldsCheck): void {
  for (const definition of definitions.filter(isRoot)) {
    const plain = fieldsOf(definition).filter((field) => isPlain(field, installed));
    for (const field of report === "first" ? plain.slice(0, 1) : plain) reportUnclaimed(definition, field, problems);
  }
}

/**
 * The definitions without such fields, as far as they name types that nobody has defined by now: a plugin may answer them, and define these types when its hooks
 * are known.
 */
export function withoutForeignRootFields(definitions: readonly TypeDefinitionNode[], installed: Installed): readonly TypeDefinitionNode[] {
  const known = new Set([...definitions.map(({ name }) => name.value), ...installed.types.keys()]);
  const isForeign = (field: FieldDefinitionNode) =>
    isPlain(field, installed) && [field, ...(field.arguments ?? [])].some(({ type }) => !known.has(namedType(type)));
  return definitions.flatMap((definition) => {
    if (!isRoot(definition) || definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [definition];
    const fields = (definition.fields ?? []).filter((field) => !isForeign(field));
    return fields.length === 0 ? [] : [{ ...definition, fields }];
  });
}

function isPlain({ directives = [] }: Pick<FieldDefinitionNode, "directives">, installed: Installed): boolean {
  return directives.every(({ name }) => isOfKernel(installed, name.value));
}

function isOfKernel({ directives }: Installed, name: string): boolean {
  const found = directives.get(name);
  return found !== undefined && found.plugin === undefined;
}

/** Reports a root field that no plugin resolves. */
export function reportUnclaimed(definition: TypeDefinitionNode, field: ReturnType<typeof fieldsOf>[number], problems: Problems): void {
  problems.report(
    `GraphQL Query and Mutation types are only allowed to have fields with ${resolvedElsewhere} directive. ` +
      `Other fields are built automatically for you. Found ${definition.name.value} ${field.name.value} without ${resolvedElsewhere}.`,
    definition,
    "Leave the field out, or install a plugin that answers it.",
    { part: locationOf(field) },
  );
}
