// Parses order and page: `(orderasc: Hive.label, first: 2)`.

import type { Work } from "../../../core/plugin.ts";
import type { Cursor } from "./cursor.ts";
import { parsePredicate } from "./parse-call.ts";
import type { Place } from "./problem.ts";
import type { Literal, OrderKey, Slice } from "./syntax.ts";

type PageWord = "first" | "offset" | "after";
const pageWords: ReadonlySet<string> = new Set<PageWord>(["first", "offset", "after"]);

/** A whole list, in the order of the storage. */
export const wholeList: Slice = { order: [], first: undefined, offset: undefined, after: undefined };

export class SliceReader {
  readonly #order: OrderKey[] = [];
  readonly #ordered = new Set<string>();
  readonly #page = new Map<string, Literal>();

  get value(): Slice {
    return { order: this.#order, first: this.#page.get("first"), offset: this.#page.get("offset"), after: this.#page.get("after") };
  }

  /** The arguments of a field, with their parentheses. */
  *read(cursor: Cursor): Work<void> {
    cursor.expectSign("(");
    if (cursor.isSign(")")) throw cursor.fault("Expected argument but got ')'.");
    yield* cursor.list(")", () => {
      const at = cursor.place;
      const word = cursor.name("an argument");
      if (word === "func") throw cursor.fault("Expecting argument name. func stands only at the root", at);
      cursor.expectSign(":");
      if (this.#page.has(word)) throw cursor.fault(`Got repeated key ${JSON.stringify(word)}`, at);
      if (!this.take(cursor, word, at)) throw cursor.fault(`Got invalid keyword: ${word}`, at);
    });
  }

  /** Reads the value after `word:` when it belongs to order or page. */
  take(cursor: Cursor, word: string, at: Place): boolean {
    if (word === "orderasc" || word === "orderdesc") {
      this.#addKey(cursor, { direction: word === "orderasc" ? "asc" : "desc", at });
      return true;
    }
    if (!pageWords.has(word)) return false;
    this.#page.set(word, cursor.literal("a number"));
    return true;
  }

  #addKey(cursor: Cursor, key: Pick<OrderKey, "direction" | "at">): void {
    if (!cursor.isName()) throw cursor.fault(`Expecting argument name. Got: ${cursor.shown()}`);
    const predicate = parsePredicate(cursor);
    if (predicate.name.toLowerCase() === "val" && cursor.takeSign("(")) {
      const variable = cursor.name("a variable");
      cursor.expectSign(")");
      if (this.#order.length > 0) throw cursor.fault(`Multiple sorting only allowed by predicates. Got: ${variable}`, key.at);
      this.#order.push({ ...key, by: { variable } });
      return;
    }
    const { name, languages } = predicate;
    const [first] = this.#order;
    if (first && "variable" in first.by) throw cursor.fault(`Val() is not allowed in multiple sorting. Got: [${first.by.variable}]`, key.at);
    if (languages?.includes(":")) throw cursor.fault(`Sorting by an attribute: [${name}@${languages}] can only be done on one language`, key.at);
    const id = `${name}@${languages ?? ""}`;
    if (this.#ordered.has(id)) throw cursor.fault(`Sorting by an attribute: [${name}] can only be done once`, key.at);
    this.#ordered.add(id);
    this.#order.push({ ...key, by: predicate });
  }
}
