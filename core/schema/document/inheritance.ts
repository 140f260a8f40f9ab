// Copies the fields of interfaces into the types that implement them.

import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  type TypeDefinitionNode,
} from "graphql";
import { kindOf, namedType, typeText } from "./definitions.ts";
import type { Installed } from "./installed.ts";
import { Problems } from "./problems.ts";

/** Definitions with inherited fields and directives in place. */
export interface Expanded {
  readonly definitions: readonly TypeDefinitionNode[];
  /** What each object type inherits, by type name. */
  readonly inherited: ReadonlyMap<string, Inherited>;
}

export interface Inherited {
  /** Name of the interface by field name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly directives: ReadonlySet<ConstDirectiveNode>;
}

/**
 * Fields of the last listed interface come first. A field that the type repeats keeps its position and takes the interface's definition.
 *
 * @throws QuernError `SCHEMA_INVALID` with the first problem
 * @see reference/schema.md 1.7
 */
export function expandInterfaces(definitions: readonly TypeDefinitionNode[], installed: Installed): Expanded {
  const byName = new Map(definitions.map((definition) => [definition.name.value, definition]));
  const inherited = new Map<string, Inherited>();
  const kept = new Set(installed.plugins.flatMap((plugin) => plugin.kept ?? []));
  const spread = definitions.map((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !definition.interfaces?.length) return definition;
    const merger = new FieldMerger(definition, kept);
    for (const reference of definition.interfaces) merger.inherit(interfaceNamed(reference, definition, byName, installed));
    const directives = inheritedDirectives(merger.interfaces, installed);
    inherited.set(definition.name.value, { fields: merger.origins, directives: new Set(directives) });
    return { ...definition, fields: merger.fields, directives: [...(definition.directives ?? []), ...directives] };
  });
  return { definitions: spread, inherited };
}

function interfaceNamed(
  reference: NamedTypeNode,
  type: ObjectTypeDefinitionNode,
  byName: ReadonlyMap<string, TypeDefinitionNode>,
  installed: Installed,
): InterfaceTypeDefinitionNode {
  const name = reference.name.value;
  const found = byName.get(name);
  if (found?.kind === Kind.INTERFACE_TYPE_DEFINITION) return found;
  const kind = found ? kindOf(found) : installed.types.get(name);
  return fail(kind === undefined ? `Undefined type "${name}".` : `"${name}" is a non interface type ${kind}.`, type);
}

function inheritedDirectives(interfaces: readonly InterfaceTypeDefinitionNode[], installed: Installed): readonly ConstDirectiveNode[] {
  const names = new Set(installed.plugins.flatMap((plugin) => plugin.inherited ?? []));
  return interfaces.flatMap((each) => each.directives ?? []).filter((directive) => names.has(directive.name.value));
}

/** Merges the fields of a type with those of its interfaces. */
class FieldMerger {
  readonly #type: ObjectTypeDefinitionNode;
  readonly #kept: ReadonlySet<string>;
  readonly interfaces: InterfaceTypeDefinitionNode[] = [];
  /** Name of the interface by field name. */
  readonly origins = new Map<string, string>();
  fields: readonly FieldDefinitionNode[];

  /** @param kept names of directives that are kept on a field which the type repeats */
  constructor(type: ObjectTypeDefinitionNode, kept: ReadonlySet<string>) {
    this.#type = type;
    this.#kept = kept;
    this.fields = type.fields ?? [];
  }

  inherit(from: InterfaceTypeDefinitionNode): void {
    const missing: FieldDefinitionNode[] = [];
    for (const field of from.fields ?? []) {
      if (this.#isAlreadyInherited(field, from)) continue;
      if (!this.fields.some((own) => own.name.value === field.name.value)) missing.push(withoutDescription(field));
      else this.#replace(field, from);
      this.origins.set(field.name.value, from.name.value);
    }
    this.fields = [...missing, ...this.fields];
    this.interfaces.push(from);
  }

  /** Several interfaces may declare the same ID field; any other field may come from one interface only. */
  #isAlreadyInherited(field: FieldDefinitionNode, from: InterfaceTypeDefinitionNode): boolean {
    const name = field.name.value;
    const origin = this.interfaces.find((each) => each.name.value === this.origins.get(name));
    const earlier = origin?.fields?.find((each) => each.name.value === name);
    if (!origin || !earlier) return false;
    if (namedType(field.type) !== "ID" || namedType(earlier.type) !== "ID") {
      return fail(`Field ${this.#type.name.value}.${name} can only be defined once.`, earlier);
    }
    const [now, before] = [typeText(field.type), typeText(earlier.type)];
    if (now === before) return true;
    return fail(
      `field ${name} is of type ${now} in interface ${from.name.value} and is of type ${before} in interface ${origin.name.value}`,
      this.#type,
    );
  }

  #replace(field: FieldDefinitionNode, from: InterfaceTypeDefinitionNode): void {
    const name = field.name.value;
    this.fields = this.fields.map((own) => {
      if (own.name.value !== name) return own;
      if (typeText(own.type) === typeText(field.type)) return this.#withOwnDirectives(field, own);
      return fail(
        `For type ${this.#type.name.value} to implement interface ${from.name.value} the field ${name} must have type ${typeText(field.type)}`,
        this.#type,
      );
    });
  }

  #withOwnDirectives(field: FieldDefinitionNode, own: FieldDefinitionNode): FieldDefinitionNode {
    const added = (own.directives ?? []).filter((each) => this.#kept.has(each.name.value));
    return added.length === 0 ? field : { ...field, directives: [...(field.directives ?? []), ...added] };
  }
}

function withoutDescription({ description, ...field }: FieldDefinitionNode): FieldDefinitionNode {
  return field;
}

function fail(message: string, at: TypeDefinitionNode | FieldDefinitionNode): never {
  const problems = new Problems();
  problems.report(message, at);
  problems.assertNone();
  throw new TypeError("A reported problem was not thrown.");
}
