// Which types have which fields: a node of another type has no value to be found by, whatever was loaded of it.

import type { FieldName, Layout, TypeName } from "../../../../core/plugin.ts";

export class FieldTypes {
  readonly #types = new Map<FieldName, Set<TypeName>>();

  constructor({ types }: Pick<Layout, "types">) {
    for (const { name, fields } of types) for (const field of fields) this.#add(field, name);
  }

  /** @param type undefined: unknown */
  lacks(type: TypeName | undefined, field: FieldName): boolean {
    return type !== undefined && this.#types.get(field)?.has(type) === false;
  }

  #add(field: FieldName, type: TypeName): void {
    const types = this.#types.get(field);
    if (types) types.add(type);
    else this.#types.set(field, new Set([type]));
  }
}
