// Turns `extend` into an ordinary definition with a directive that marks it as an extension.

import { type ConstDirectiveNode, Kind, type TypeDefinitionNode, type TypeExtensionNode } from "graphql";

/** The directive that stands for the keyword. A plugin that supports extensions defines it. */
const keyword = "extends";

/** `extend type T` as `type T @extends`; `extend type Query` and `extend type Mutation` are the same as declaring them. */
export function asDefinition(extension: TypeExtensionNode): TypeDefinitionNode {
  const directives = [...(extension.directives ?? []), ...extensionMarks(extension)];
  switch (extension.kind) {
    case Kind.OBJECT_TYPE_EXTENSION:
      return { ...extension, kind: Kind.OBJECT_TYPE_DEFINITION, directives };
    case Kind.INTERFACE_TYPE_EXTENSION:
      return { ...extension, kind: Kind.INTERFACE_TYPE_DEFINITION, directives };
    case Kind.UNION_TYPE_EXTENSION:
      return { ...extension, kind: Kind.UNION_TYPE_DEFINITION, directives };
    case Kind.ENUM_TYPE_EXTENSION:
      return { ...extension, kind: Kind.ENUM_TYPE_DEFINITION, directives };
    case Kind.INPUT_OBJECT_TYPE_EXTENSION:
      return { ...extension, kind: Kind.INPUT_OBJECT_TYPE_DEFINITION, directives };
    case Kind.SCALAR_TYPE_EXTENSION:
      return { ...extension, kind: Kind.SCALAR_TYPE_DEFINITION, directives };
  }
}

function extensionMarks(extension: TypeExtensionNode): readonly ConstDirectiveNode[] {
  const { value } = extension.name;
  if (extension.kind === Kind.OBJECT_TYPE_EXTENSION && (value === "Query" || value === "Mutation")) return [];
  // Errors about the directive point to the type's name.
  return [{ kind: Kind.DIRECTIVE, name: { ...extension.name, value: keyword } }];
}
