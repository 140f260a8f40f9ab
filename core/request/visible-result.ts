// A result as envelop plugins expect one: a plain object that may be looked at, copied, changed and replaced.

import { parseJson } from "../ground/json/parse-json.ts";
import type { OperationResult } from "./run-operation.ts";

/** The texts of results whose data nobody looked at. */
const texts = new WeakMap<object, string>();

/** `data` is parsed at the first look; from then on the object is what counts, not the text. */
export function visibleResult({ text, errors }: OperationResult): object {
  let data: unknown;
  const visible = {
    ...(errors && { errors }),
    get data() {
      if (texts.delete(visible)) data = parseJson(text);
      return data;
    },
    set data(value) {
      texts.delete(visible);
      data = value;
    },
  };
  texts.set(visible, text);
  return visible;
}

/** The JSON of the data, as long as it is what the operation came to. */
export function unseenText(result: object): string | undefined {
  return texts.get(result);
}
