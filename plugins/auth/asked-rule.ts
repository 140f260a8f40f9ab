// Caches the answers of a rule by the values of the claims that it reads.

import { LRUCache } from "lru-cache";
import { andThen, lasting, type MaybePromise, type Predicate, type RequestView } from "../../core/plugin.ts";
import { authorize, type CompiledRule, claimsReadBy, isFixed } from "./compiled-rule.ts";
import type { Claims } from "./parse-token.ts";

/** A rule's answer for one caller: the nodes that it allows. */
type Answer = Predicate | "deny";

/** The size of one rule's cache, in characters of its keys. */
const room = 2 ** 17;
/** The assumed size of an answer, in the same unit. */
const answerSize = 256;

export class AskedRule {
  readonly #rule: CompiledRule;
  readonly #reads: readonly string[];
  /** True: the answer depends on more of the request than its claims, so it is not cached. */
  readonly #isFixed: boolean;
  /** By object identity: a cached token gives the same claims object in every request. */
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
    return andThen(authorize(this.#rule, claims, request), (verdict): Answer => {
      if (verdict === "allow") return { kind: "all" };
      return verdict === "absent" ? "deny" : verdict;
    });
  }
}

/** The cache key. It distinguishes 1 from "1", a list of one from its element, null from an absent claim, and `1e400` from null. */
function valuesOf(names: readonly string[], claims: Claims): string {
  const values = names.map((name) => (Object.hasOwn(claims, name) ? [claims[name]] : 0));
  return JSON.stringify(values, (_, value: unknown) => {
    if (typeof value === "string") return `=${value}`;
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });
}
