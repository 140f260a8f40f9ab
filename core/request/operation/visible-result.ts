// A result as envelop plugins expect one: a plain object that may be looked at, copied, changed and replaced.

import type { JsonText } from "../../ground/json/long-text.ts";
import { parseJson } from "../../ground/json/parse-json.ts";
import type { OperationResult } from "./run-operation.ts";

/** The texts of results whose `data` no plugin has read. Beside the results, not in them: a plugin may copy their members, and the copy is read as an object. */
const texts = new WeakMap<object, JsonText>();

/** `data` is parsed when it is first read; from then on the answer is written from the object, not from the text. */
export function visibleResult({ text, errors }: OperationResult): object {
  if (text === undefined) return { errors };
  let data: unknown;
  const visible = {
    ...(errors && { errors }),
    get data() {
      if (texts.delete(visible)) data = parseJson(String(text));
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

/** The JSON of the data, as long as no plugin has read or replaced it. */
export function unseenText(result: object): JsonText | undefined {
  return texts.get(result);
}
