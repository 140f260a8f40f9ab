// Conditions of operands that take long, such as texts of many words. Compiling a filter finds out which it needs; they are made in steps, and it is compiled again.

import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import { tooManyTokens, unitsAlwaysAllowed, type ValueLimits } from "../../ground/value-limits.ts";
import type { Work } from "../../ground/work.ts";

/** What a request gives to the filter of a field. */
interface Operand {
  readonly filter: FieldFilter;
  readonly member: unknown;
}

interface Made extends Operand {
  readonly predicate: Predicate | undefined;
}

/** UTF-16 units of a text that takes some milliseconds. */
const longUnits = 1 << 14;

export class LongOperands {
  readonly #limits: ValueLimits | undefined;
  readonly #shortUnits: number;
  readonly #made: Made[] = [];
  #missing: Operand[] = [];

  constructor(limits: ValueLimits | undefined) {
    this.#limits = limits;
    this.#shortUnits = limits ? Math.min(longUnits, unitsAlwaysAllowed(limits)) : longUnits;
  }

  /** True: the filter must be compiled again when `make` has ended. */
  get isIncomplete(): boolean {
    return this.#missing.length > 0;
  }

  /** Undefined: no condition, or none yet. */
  conditionOf(filter: FieldFilter, member: unknown): Predicate | undefined {
    if (!isLong(member, this.#shortUnits)) return filter.predicate(member);
    const made = this.#made.find((each) => each.filter === filter && each.member === member);
    if (made === undefined) this.#missing.push({ filter, member });
    return made?.predicate;
  }

  /** @throws QuernError LIMIT_REACHED for an operand with too many tokens, and what the filter throws */
  *make(): Work<void> {
    for (const { filter, member } of this.#missing) {
      const predicate = filter.steps ? yield* filter.steps(member) : filter.predicate(member);
      if (predicate !== undefined) this.#assertFewTokens(filter, predicate);
      this.#made.push({ filter, member, predicate });
    }
    this.#missing = [];
  }

  #assertFewTokens({ field }: FieldFilter, predicate: Predicate): void {
    const found = mostTokens(predicate);
    if (this.#limits && found > this.#limits.maxTokensPerValue)
      throw tooManyTokens(`The operand of ${field.owner.name}.${field.name}`, found, this.#limits);
  }
}

/** The member is a text, or an object of operators with their operands. */
function isLong(member: unknown, most: number): boolean {
  if (typeof member === "string") return member.length > most;
  if (typeof member !== "object" || member === null) return false;
  for (const operand of Object.values(member)) if (typeof operand === "string" && operand.length > most) return true;
  return false;
}

/** The tokens of its largest lookup. */
function mostTokens(predicate: Predicate): number {
  switch (predicate.kind) {
    case "lookup":
      return predicate.tokens.length;
    case "and":
    case "or":
      return predicate.of.reduce((most, each) => Math.max(most, mostTokens(each)), 0);
    case "check":
      return predicate.within ? mostTokens(predicate.within) : 0;
    default:
      return 0;
  }
}
