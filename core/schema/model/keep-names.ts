// Assigns remembered stored names to a new model, before the plugins' `model` hooks run.

import { defaultStoredName } from "./build.ts";
import type { FieldDraft, ModelDraft, NodeTypeDraft } from "./draft.ts";
import type { KeptNames, NameMemory } from "./kept-names.ts";
import type { ModelRecorder } from "./recorder.ts";

/** A type or field without a remembered name has its default name, or a fresh name if something renamed holds the default. */
export function keepNames(model: ModelDraft, kept: KeptNames, recorder: ModelRecorder): void {
  const types = [...model.nodeTypes.values()];
  const typeNames = new FreeNames(kept.types, new Set(types.map(({ name }) => name)));
  for (const type of types) {
    const stored = kept.types.kept.get(type.name) ?? typeNames.free(type.name);
    if (stored !== type.stored) recorder.keepType(type, stored);
  }
  const fields = types.flatMap(ownFields);
  const fieldNames = new FreeNames(kept.fields, new Set(fields.map(({ key }) => key)));
  for (const { type, field, key } of fields) {
    const stored = kept.fields.kept.get(key) ?? fieldNames.free(defaultStoredName(type, field.name));
    if ("stored" in field && stored !== field.stored) recorder.keepField(field, stored);
  }
}

function ownFields(type: NodeTypeDraft): readonly { readonly type: NodeTypeDraft; readonly field: FieldDraft; readonly key: string }[] {
  const own = [...type.fields.values()].filter((field) => "stored" in field && field.origin === type);
  return own.map((field) => ({ type, field, key: `${type.name}.${field.name}` }));
}

/** Finds stored names that no renamed type or field of the schema holds. */
class FreeNames {
  readonly #claimed: ReadonlySet<string>;
  readonly #known: ReadonlySet<string>;

  constructor({ kept, left }: NameMemory, shown: ReadonlySet<string>) {
    this.#claimed = new Set([...kept].filter(([key]) => shown.has(key)).map(([, stored]) => stored));
    this.#known = new Set([...kept.values(), ...left.values()]);
  }

  free(name: string): string {
    if (!this.#claimed.has(name)) return name;
    for (let n = 2; ; n++) if (!this.#known.has(`${name}#${n}`)) return `${name}#${n}`;
  }
}
