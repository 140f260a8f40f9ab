// Alter: drops data, or compares a schema with the one that is served.

import { membersOf } from "../wire/answer-parts.ts";
import type { Operation, Payload } from "../wire/messages.ts";
import type { Ask } from "./asking.ts";

export async function alter(operation: Operation, ask: Ask): Promise<Payload> {
  membersOf(await ask({ url: "/alter", body: bodyOf(operation) }));
  return { Data: Buffer.from("Done") };
}

function bodyOf({ schema, drop_attr, drop_all, drop_op, drop_value }: Operation): string {
  if (drop_all || drop_op === "ALL") return JSON.stringify({ drop_all: true });
  if (drop_op === "DATA") return JSON.stringify({ drop_op });
  if (drop_op === "TYPE") return JSON.stringify({ drop_op, drop_value });
  const attribute = drop_op === "ATTR" ? drop_value : drop_attr;
  return attribute === "" ? schema : JSON.stringify({ drop_attr: attribute });
}
