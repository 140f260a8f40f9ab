// Names by which a part of a schema can be about a type: its own, those of its interfaces and unions, and those of fields that lead to it.

import { type DefinitionNode, Kind } from "graphql";
import { namedType } from "./definitions.ts";
import { typeName } from "./repair.ts";

export class RelatedNames {
  /** Types that have fields in common, by name: interfaces and what implements them, unions and their members. */
  readonly #families = new Map<string, Set<string>>();
  /** Names of fields, by the name of their type. */
  readonly #fields = new Map<string, Set<string>>();
  readonly #leading = new Map<string, ReadonlySet<string>>();

  constructor(definitions: readonly DefinitionNode[]) {
    for (const definition of definitions) this.#read(definition);
  }

  #read(definition: DefinitionNode): void {
    const name = typeName(definition);
    if (name === undefined) return;
    if ("interfaces" in definition) for (const other of definition.interfaces ?? []) this.#relate(name, other.name.value);
    if ("types" in definition) for (const other of definition.types ?? []) this.#relate(name, other.name.value);
    for (const field of "fields" in definition ? (definition.fields ?? []) : []) {
      if (field.kind === Kind.FIELD_DEFINITION) added(this.#fields, namedType(field.type), field.name.value);
    }
  }

  #relate(one: string, other: string): void {
    added(this.#families, one, other);
    added(this.#families, other, one);
  }

  /** The type, its interfaces, unions, members and what implements it. */
  family(type: string): ReadonlySet<string> {
    return new Set([type, ...(this.#families.get(type) ?? [])]);
  }

  /** Words without which a query or a path cannot reach the type. */
  leadingTo(type: string): ReadonlySet<string> {
    const known = this.#leading.get(type);
    if (known !== undefined) return known;
    const family = [...this.family(type)];
    const names = new Set([...family, ...family.flatMap((each) => [...(this.#fields.get(each) ?? [])])]);
    this.#leading.set(type, names);
    return names;
  }
}

function added(names: Map<string, Set<string>>, key: string, name: string): void {
  const known = names.get(key);
  if (known === undefined) names.set(key, new Set([name]));
  else known.add(name);
}
