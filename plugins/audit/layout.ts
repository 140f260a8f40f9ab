// The audit in the store: a hidden type whose nodes are deeds of administrators.

import type { AdminDeed, Create, LayoutAdditions, Uid } from "../../core/plugin.ts";

export const entryType = "audit.Entry";

/** Stored fields of an entry. */
export const entryFields = {
  /** Milliseconds since 1970. */
  at: "audit.Entry.at",
  action: "audit.Entry.action",
  who: "audit.Entry.who",
  from: "audit.Entry.from",
  what: "audit.Entry.what",
  outcome: "audit.Entry.outcome",
} as const;

export const auditLayout: LayoutAdditions = {
  types: [{ name: entryType, fields: Object.values(entryFields) }],
  fields: [
    { name: entryFields.at, kind: "float", list: false },
    ...[entryFields.action, entryFields.who, entryFields.from, entryFields.what, entryFields.outcome].map((name) => ({
      name,
      kind: "string" as const,
      list: false,
    })),
  ],
  indexes: [{ name: `${entryFields.at}/ordered`, field: entryFields.at, by: "value", ordered: true }],
};

export function createEntry(uid: Uid, { action, who, from = "", what, outcome }: AdminDeed, at: number): Create {
  const fields = {
    [entryFields.at]: at,
    [entryFields.action]: cut(action),
    [entryFields.who]: cut(who),
    [entryFields.from]: cut(from),
    [entryFields.what]: cut(what),
    [entryFields.outcome]: outcome,
  };
  return { kind: "create", uid, type: entryType, fields };
}

/** Names of operations and fields come from requests. */
function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text;
}

const maxText = 300;
