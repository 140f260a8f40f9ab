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
import { locationOf } from "./locations.ts";
import type { Problems } from "./problems.ts";
import { Suggestions } from "./suggestions.ts";

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
 * Where a problem is reported, the type keeps its own field.
 *
 * @see reference/schema.md 1.7
 */
export function expandInterfaces(definitions: readonly TypeDefinitionNode[], installed: Installed, problems: Problems): Expanded {
  const suggestions = new Suggestions();
  const byName = new Map(definitions.map((definition) => [definition.name.value, definition]));
  const inherited = new Map<string, Inherited>();
  const kept = new Set(installed.plugins.flatMap((plugin) => plugin.kept ?? []));
  const spread = definitions.map((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !definition.interfaces?.length) return definition;
    const merger = new FieldMerger(definition, kept, problems);
    for (const reference of definition.interfaces) {
      const from = byName.get(reference.name.value);
      if (from?.kind === Kind.INTERFACE_TYPE_DEFINITION) merger.inherit(from);
      else reportNoInterface(reference, definition, { byName, installed, problems, suggestions });
    }
    const directives = inheritedDirectives(merger.interfaces, installed);
    inherited.set(definition.name.value, { fields: merger.origins, directives: new Set(directives) });
    return { ...definition, fields: merger.fields, directives: [...(definition.directives ?? []), ...directives] };
  });
  return { definitions: spread, inherited };
}

interface Known {
  readonly byName: ReadonlyMap<string, TypeDefinitionNode>;
  readonly installed: Installed;
  readonly problems: Problems;
  readonly suggestions: Suggestions;
}

function reportNoInterface(reference: NamedTypeNode, type: ObjectTypeDefinitionNode, { byName, installed, problems, suggestions }: Known): void {
  const name = reference.name.value;
  const found = byName.get(name);
  const kind = found ? kindOf(found) : installed.types.get(name);
  const part = locationOf(reference);
  const near = kind === undefined ? suggestions.nearest(name, "interface", interfacesIn(byName.values())) : undefined;
  const message = kind === undefined ? `Undefined type "${name}".` : `"${name}" is a non interface type ${kind}.`;
  const hint = near === undefined ? undefined : `Nothing is named ${name}; did you mean "${near}"?`;
  problems.report(message, type, hint, { part, ...(near !== undefined && { meant: { name, near } }) });
}

function* interfacesIn(definitions: Iterable<TypeDefinitionNode>): Generator<string> {
  for (const { kind, name } of definitions) if (kind === Kind.INTERFACE_TYPE_DEFINITION) yield name.value;
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
  readonly #problems: Problems;

  /** @param kept names of directives that are kept on a field which the type repeats */
  constructor(type: ObjectTypeDefinitionNode, kept: ReadonlySet<string>, problems: Problems) {
    this.#type = type;
    this.#kept = kept;
    this.#problems = problems;
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
    const [now, before] = [typeText(field.type), typeText(earlier.type)];
    const reference = this.#type.interfaces?.find((each) => each.name.value === from.name.value);
    const part = reference && locationOf(reference);
    if (namedType(field.type) !== "ID" || namedType(earlier.type) !== "ID") {
      this.#problems.report(`Field ${this.#type.name.value}.${name} can only be defined once.`, earlier, undefined, { part });
    } else if (now !== before) {
      const message = `field ${name} is of type ${now} in interface ${from.name.value} and is of type ${before} in interface ${origin.name.value}`;
      this.#problems.report(message, this.#type, undefined, { part });
    }
    return true;
  }

  #replace(field: FieldDefinitionNode, from: InterfaceTypeDefinitionNode): void {
    const name = field.name.value;
    this.fields = this.fields.map((own) => {
      if (own.name.value !== name) return own;
      if (typeText(own.type) === typeText(field.type)) return this.#withOwnDirectives(field, own);
      const message = `For type ${this.#type.name.value} to implement interface ${from.name.value} the field ${name} must have type ${typeText(field.type)}`;
      this.#problems.report(message, this.#type, undefined, { part: locationOf(own) });
      return own;
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
