// `@audit`: logs who changed which fields of an object, and when, in the transaction of the change. The root field `auditLog` reads the log.

import {
  all,
  type Change,
  type ChangesContext,
  type DirectivePlugin,
  formatUid,
  type Json,
  type LayoutAdditions,
  type RequestView,
  type RootAnswer,
  type RootContext,
  type Stored,
} from "quern/plugin";

export interface AuditOptions {
  /** The caller's name for the log. By default the log has no names. */
  readonly who?: (request: RequestView) => string | undefined;
}

/** An entry: a node of a type that the API does not show, with these stored fields. */
const entry = "audit.Entry";
const members = ["node", "type", "what", "fields", "who", "at"] as const;
type Member = (typeof members)[number];
const fieldOf = (member: Member) => `${entry}.${member}`;

const definitions = `
  "One change of one object: \`what\` is create, set, link, unlink or remove."
  type AuditEntry { node: ID!  type: String!  what: String!  fields: [String!]!  who: String  at: DateTime! }
`;

export function auditPlugin({ who = () => undefined }: AuditOptions = {}): DirectivePlugin {
  return {
    name: "audit",
    definitions: "directive @audit on OBJECT",
    model(context) {
      const names = new Map(context.uses("audit").flatMap(({ type }): [string, string][] => (type ? [[type.stored, type.name]] : [])));
      if (names.size === 0) return undefined;
      const signature = "auditLog(node: ID, last: Int): [AuditEntry!]!";
      return {
        layout: entries,
        api: () => ({ definitions, roots: [{ operation: "query", signature, run: readLog }] }),
        changes: (asked) => withEntries(asked, names, who(asked.request)),
      };
    },
  };
}

function entries(): LayoutAdditions {
  return {
    types: [{ name: entry, fields: members.map(fieldOf) }],
    fields: members.map((each) => ({ name: fieldOf(each), kind: each === "at" ? "dateTime" : "string", list: each === "fields" })),
    indexes: [{ name: fieldOf("node"), field: fieldOf("node"), by: "value", ordered: false }],
  };
}

async function withEntries({ changes, request, uids }: ChangesContext, names: ReadonlyMap<string, string>, who: string | undefined) {
  const audited = changes.filter((each) => names.has(changed(each).type));
  if (audited.length === 0) return undefined;
  const fresh = await uids(audited.length);
  const created = audited.map((each, index): Change => {
    const { uid, type, fields } = changed(each);
    const known = { node: formatUid(uid), type: names.get(type) ?? type, what: each.kind, at: request.now };
    const values = { ...known, ...(fields.length > 0 && { fields }), ...(who !== undefined && { who }) };
    const stored = Object.fromEntries(Object.entries(values).map(([member, value]) => [`${entry}.${member}`, value]));
    return { kind: "create", uid: fresh[index] ?? 0, type: entry, fields: stored };
  });
  return [...changes, ...created];
}

/** The node that a change is about. A link counts as a change of its `from` node. */
function changed(change: Change) {
  if (change.kind === "link" || change.kind === "unlink") return { uid: change.from, type: change.fromType, fields: [change.end] };
  return { uid: change.uid, type: change.type, fields: change.kind === "remove" ? [] : Object.keys(change.fields).sort() };
}

async function readLog({ arguments: { node, last }, snapshot }: RootContext): Promise<RootAnswer> {
  const where = typeof node === "string" ? ({ kind: "compare", field: fieldOf("node"), op: "eq", operands: [node] } as const) : all;
  const { columns, uids } = await snapshot.find({
    types: [entry],
    where,
    page: { last: typeof last === "number" && last > 0 ? last : 100 },
    fields: members.map(fieldOf),
  });
  const log = uids.map((_, row) => members.map((member, column) => [member, shown(member, columns[column]?.[row])] as const));
  return { json: log.map((each) => Object.fromEntries(each)) };
}

/** All fields of an entry are strings. */
function shown(member: Member, value: Stored | undefined): Json {
  if (Array.isArray(value)) return value.map(String);
  return value === undefined ? (member === "fields" ? [] : null) : String(value);
}
