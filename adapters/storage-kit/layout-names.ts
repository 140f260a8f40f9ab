// Looks up the parts of one layout by name. Without it, each look-up goes through all fields or types of the layout.

import type { End, EndName, FieldLayout, FieldName, Layout, TypeName } from "../../core/storage.ts";

export class LayoutNames {
  readonly #layout: Layout;
  readonly #fields: ReadonlyMap<FieldName, FieldLayout>;
  readonly #holders = new Map<FieldName, TypeName[]>();
  #ends: ReadonlyMap<EndName, End> | undefined;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#fields = new Map(layout.fields.map((field) => [field.name, field]));
    for (const type of layout.types) for (const field of new Set(type.fields)) this.#addHolder(field, type.name);
  }

  field(name: FieldName): FieldLayout | undefined {
    return this.#fields.get(name);
  }

  /** The types that have the field, in the order of the layout. */
  holders(field: FieldName): readonly TypeName[] {
    return this.#holders.get(field) ?? [];
  }

  end(name: EndName): End | undefined {
    this.#ends ??= new Map(this.#layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends.map((end) => [end.name, end] as const))));
    return this.#ends.get(name);
  }

  #addHolder(field: FieldName, type: TypeName): void {
    const holders = this.#holders.get(field);
    if (holders === undefined) this.#holders.set(field, [type]);
    else holders.push(type);
  }
}
