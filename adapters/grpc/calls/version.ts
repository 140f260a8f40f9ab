// CheckVersion: also how clients find out whether the server answers.

import { isObject } from "../../../core/plugin.ts";
import type { Version } from "../wire/messages.ts";
import { plainError } from "../wire/status.ts";
import type { Ask } from "./asking.ts";

export async function checkVersion(ask: Ask): Promise<Version> {
  const answer = await ask({ url: "/health" });
  const text = typeof answer.body === "string" ? answer.body : Buffer.from(answer.body).toString();
  if (answer.status !== 200) throw plainError(text, answer.status);
  const read: unknown = JSON.parse(text);
  const first: unknown = Array.isArray(read) ? read[0] : read;
  return { tag: isObject(first) && typeof first.version === "string" ? first.version : "" };
}
