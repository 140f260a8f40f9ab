// Keeps what administrators have done: who, when, from where, and what in one sentence.

import { type DirectivePlugin, QuernError, type ServerAdditions } from "../../core/plugin.ts";
import { AuditLog, filterOf } from "./audit-log.ts";
import { auditLayout } from "./layout.ts";

/** How much of it is kept. */
export interface AuditOptions {
  /** For how many days entries are kept. Default: 90. */
  readonly keepDays?: number;
  /** The oldest go when there are more. Default: 100,000. */
  readonly maxEntries?: number;
}

const day = 86_400_000;

/**
 * For `plugins` of a configuration. A query of the admin API reads what is kept:
 *
 *     { audit(first: 20, who: "deployer") { at who from what outcome } }
 */
export function auditPlugin({ keepDays = 90, maxEntries = 100_000 }: AuditOptions = {}): DirectivePlugin {
  const keepMs = positive("keepDays", keepDays) * day;
  positive("maxEntries", maxEntries);
  return {
    name: "audit",
    definitions: "",
    stores: auditLayout,
    model: () => undefined,
    server: (kernel): ServerAdditions => {
      const log = new AuditLog(kernel, { keepMs, maxEntries });
      return {
        admin: { definitions, queries: { audit: (args) => log.find(checked(args)) } },
        administered: (deed) => log.add(deed),
        opened: () => log.sweep(),
      };
    },
  };
}

const definitions = `
  "What an administrator has done."
  type AuditEntry {
    "RFC 3339."
    at: String!
    "A field of this API, or a path."
    action: String!
    "\`key deployer\`, \`user groot\`, \`admin token\`, or \`nobody\` where administrators need no token."
    who: String!
    "The address of the client, if it is known."
    from: String
    "One sentence. It has no values and no tokens."
    what: String!
    "\`done\` or \`failed\`."
    outcome: String!
  }
  extend type Query {
    "The newest first, at most 1,000. Texts are found anywhere, in any case; times are in RFC 3339."
    audit(first: Int = 100, before: String, since: String, who: String, action: String, text: String): [AuditEntry!]!
  }
`;

function checked(args: Readonly<Record<string, unknown>>): ReturnType<typeof filterOf> {
  const filter = filterOf(args);
  if (Number.isNaN(filter.before) || Number.isNaN(filter.since))
    throw new QuernError("REQUEST_REFUSED", "before and since are times such as 2026-05-01T12:00:00Z");
  return filter;
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new QuernError("CONFIG_INVALID", `auditPlugin: ${name} must be a whole number above 0.`);
}
