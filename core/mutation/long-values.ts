// Refuses values that are too long, whoever made them, before they are written. Values that were stored before a limit was set are read, replaced and removed.

import type { Change } from "../contracts/change.ts";
import type { Layout, TokenIndex } from "../contracts/layout.ts";
import type { Steps } from "../ground/steps.ts";
import { tooManyCharacters, tooManyTokens, unitsAlwaysAllowed, type ValueLimits } from "../ground/value-limits.ts";
import type { FieldName, Stored, Token, TypeName, Value } from "../ground/values/value.ts";

type NameOf = (type: TypeName, field: FieldName) => string;

/** Tokens between two steps. */
const stepTokens = 64;

export class LongValues {
  readonly #limits: ValueLimits;
  readonly #layout: Pick<Layout, "indexes">;
  readonly #nameOf: NameOf;
  /** By field, the text that was looked at last: an update sets the same in many nodes. */
  readonly #known = new Map<FieldName, string>();

  constructor(limits: ValueLimits, layout: Pick<Layout, "indexes">, nameOf: NameOf) {
    this.#limits = limits;
    this.#layout = layout;
    this.#nameOf = nameOf;
  }

  /** @throws QuernError LIMIT_REACHED for a text that is too long, or has too many tokens */
  *check(changes: readonly Change[]): Steps<void> {
    for (const change of changes) {
      if (change.kind !== "create" && change.kind !== "set") continue;
      for (const name in change.fields) {
        for (const text of newTexts(change.kind, change.fields[name])) yield* this.#checkText(change.type, name, text);
      }
    }
  }

  *#checkText(type: TypeName, field: FieldName, text: string): Steps<void> {
    if (text.length <= unitsAlwaysAllowed(this.#limits) || this.#known.get(field) === text) return;
    if (text.length > this.#limits.maxValueCharacters) throw tooManyCharacters(`The text of ${this.#nameOf(type, field)}`, text.length, this.#limits);
    for (const index of this.#layout.indexes) if (index.by === "tokens" && index.field === field) yield* this.#countTokens(type, index, text);
    this.#known.set(field, text);
  }

  *#countTokens(type: TypeName, { name, field, tokens }: TokenIndex, text: string): Steps<void> {
    const distinct = new Set<Token>();
    let left = stepTokens;
    for (const token of tokens(text)) {
      distinct.add(token);
      if (--left > 0) continue;
      left = stepTokens;
      yield;
    }
    if (distinct.size > this.#limits.maxTokensPerValue)
      throw tooManyTokens(`The text of ${this.#nameOf(type, field)} in the index ${name}`, distinct.size, this.#limits);
  }
}

/** Whether one of the texts may be too long. */
export function haveLongText(changes: readonly Change[], limits: ValueLimits): boolean {
  const most = unitsAlwaysAllowed(limits);
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    for (const name in change.fields) {
      const stored = change.fields[name];
      if (typeof stored === "string" ? stored.length > most : newTexts(change.kind, stored).some((text) => text.length > most)) return true;
    }
  }
  return false;
}

/** The texts that are not there yet: a list that is set holds those of before too. */
function newTexts(kind: "create" | "set", stored: Stored | null | undefined): readonly string[] {
  if (typeof stored === "string") return [stored];
  return kind === "create" && isList(stored) ? stored.filter((value) => typeof value === "string") : [];
}

function isList(stored: Stored | null | undefined): stored is readonly Value[] {
  return Array.isArray(stored);
}
