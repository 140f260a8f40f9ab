// The fields of the admin API about accounts. Nothing of them shows a password, a hash or a token, but for the one that begins a session.

import { type AdminAdditions, isObject, QuernError } from "../../../core/plugin.ts";
import type { Administration } from "./administration.ts";

const definitions = `
  "A user who signs in."
  type Account {
    email: String!
    name: String
    emailVerified: Boolean!
    disabled: Boolean!
    createdAt: String
    "When its user signed in the last time."
    signedInAt: String
    "By what its user signs in: \`credential\` is a password."
    providers: [String!]!
    "How many sessions last."
    sessions: Int!
  }
  "A session of a user that lasts."
  type AccountSession {
    id: String!
    createdAt: String
    expiresAt: String
    "The address of the client that began it."
    from: String
    userAgent: String
    "The administrator who acts as the user in it, in the words of the audit: \`key desk\`, \`user groot\`, \`admin token\`."
    actedBy: String
  }
  "A session in which an administrator acts as a user."
  type ActingSession {
    id: String!
    email: String!
    by: String!
    expiresAt: String!
    "For \`Authorization: Bearer\`. It is shown once."
    token: String!
  }
  "A field of the type with \`@account\`."
  input AccountFieldInput {
    name: String!
    "A text. For fields of other kinds as JSON: \`7\`, \`true\`."
    value: String!
  }
  enum AccountImportOutcome {
    ADDED
    "The user was there, and had no password."
    COMPLETED
    "The user was there, and stays as it is."
    KEPT
    REFUSED
  }
  type ImportedAccount {
    outcome: AccountImportOutcome!
    "Why it was refused."
    why: String
  }
  extend type Query {
    "In the order in which they were added."
    accounts(first: Int = 100, offset: Int = 0): [Account!]!
    "The sessions of a user that last, the newest first."
    accountSessions(email: String!): [AccountSession!]!
  }
  extend type Mutation {
    "Adds a user. Without a password it gets a mail with a link to set one, which leads to \`page\` with \`?token=\`."
    addAccount(email: String!, fields: [AccountFieldInput!], password: String, page: String): Account
    """
    Adds users of another service with the hashes of their passwords. Each line is JSON: an input of \`add\` of the type with \`@account\`, with \`passwordHash\`, \`emailVerified\` and \`disabled\`.
    """
    importAccounts(type: String!, lines: [String!]!): [ImportedAccount!]!
    "Changes a user. One who is disabled has no sessions and cannot sign in; a new password ends all sessions."
    setAccount(email: String!, fields: [AccountFieldInput!], password: String, disabled: Boolean): Account
    "Ends all sessions of a user, or the one with this ID. Returns how many there were."
    signOutAccount(email: String!, session: String): Int
    """
    Begins a session in which you act as a user, for at most 60 minutes. It is not renewed, changes neither password nor e-mail nor factors, and stands among the
    sessions of the user with your name. The server must know who you are: it needs the admin token, an admin key or the token of a guardian.
    """
    actAsAccount(email: String!, minutes: Int = 15): ActingSession
  }
`;

export function adminFields(administration: Administration): AdminAdditions {
  return {
    definitions,
    queries: {
      accounts: ({ first, offset }) => administration.list({ first: Number(first), offset: Number(offset) }),
      accountSessions: ({ email }) => administration.sessions(String(email)),
    },
    mutations: {
      addAccount: ({ email, fields, password, page }, { headers }) =>
        administration.add(String(email), { fields: fieldsIn(fields), password: textIn(password), page: textIn(page), headers }),
      importAccounts: ({ type, lines }) => administration.import(String(type), [lines].flat().map(String)),
      setAccount: ({ email, fields, password, disabled }, { headers }) =>
        administration.set(String(email), {
          fields: fieldsIn(fields),
          password: textIn(password),
          disabled: typeof disabled === "boolean" ? disabled : undefined,
          headers,
        }),
      signOutAccount: ({ email, session }) => administration.signOut(String(email), textIn(session)),
      actAsAccount: ({ email, minutes }, { headers }, call) => administration.actAs(String(email), { minutes: Number(minutes), headers, call }),
    },
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fieldsIn(value: unknown): ReadonlyMap<string, string> {
  const fields = (Array.isArray(value) ? value : []).map((each: unknown) => {
    if (isObject(each)) return [String(each.name), String(each.value)] as const;
    throw new QuernError("REQUEST_REFUSED", "A field has a name and a value.");
  });
  return new Map(fields);
}
