// A rule with what it said to earlier callers. Two callers share an answer only where every claim that the rule reads has the same value.

import { LRUCache } from "lru-cache";
import { andThen, lasting, type MaybePromise, type Predicate, type RequestView } from "../../core/index.ts";
import { type CompiledRule, claimsReadBy, isFixed, judge } from "./compiled-rule.ts";
import type { Claims } from "./parse-token.ts";

/** What a rule comes to for one caller: the nodes it lets through. */
type Answer = Predicate | "deny";

/** Room for the answers of one rule, in characters of the values they are kept by. */
const room = 2 ** 17;
/** What an answer itself comes to, reckoned in the same. */
const answerSize = 256;

export class AskedRule {
  readonly #rule: CompiledRule;
  readonly #reads: readonly string[];
  /** What else belongs to a request may change the answer: none is kept. */
  readonly #isFixed: boolean;
  /** By the very object: a token that is believed has the same claims in every request. */
  readonly #byToken = new WeakMap<Claims, Answer>();
  readonly #byValues = new LRUCache<string, Answer>({ maxSize: room, sizeCalculation: (_, key) => key.length + answerSize });

  constructor(rule: CompiledRule) {
    this.#rule = rule;
    this.#reads = claimsReadBy(rule);
    this.#isFixed = isFixed(rule);
  }

  answer(claims: Claims, request: RequestView): MaybePromise<Answer> {
    return this.#byToken.get(claims) ?? (this.#isFixed ? this.#remembered(claims, request) : this.#asked(claims, request));
  }

  #remembered(claims: Claims, request: RequestView): MaybePromise<Answer> {
    const key = valuesOf(this.#reads, claims);
    const known = this.#byValues.get(key) ?? this.#asked(claims, request);
    return andThen(known, (answer) => {
      if (answer !== "deny") lasting(answer);
      this.#byToken.set(claims, answer);
      this.#byValues.set(key, answer);
      return answer;
    });
  }

  #asked(claims: Claims, request: RequestView): MaybePromise<Answer> {
    return andThen(judge(this.#rule, claims, request), (verdict): Answer => {
      if (verdict === "allow") return { kind: "all" };
      return verdict === "absent" ? "deny" : verdict;
    });
  }
}

/** Equal only for equal values: it tells 1 from "1", a list of one from its element, null from nothing, and `1e400` from null. */
function valuesOf(names: readonly string[], claims: Claims): string {
  const values = names.map((name) => (Object.hasOwn(claims, name) ? [claims[name]] : 0));
  return JSON.stringify(values, (_, value: unknown) => {
    if (typeof value === "string") return `=${value}`;
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });
}
