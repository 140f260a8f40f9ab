// What users sign in with, out of a running server and into one.

import { QuernError } from "../../../core/index.ts";
import { askAdmin, memberOf } from "./guardian.ts";
import type { ServerAddress } from "./server-url.ts";

type Line = Readonly<Record<string, unknown>>;

/** The server writes them to a folder of its own machine. @returns rows by file */
export async function exportServerAccounts(server: ServerAddress, destination: string): Promise<Readonly<Record<string, number>>> {
  const query = "mutation ($destination: String!) { exportAccounts(destination: $destination) { file rows } }";
  const files = listAt(await ask(server, query, { destination }), "exportAccounts");
  return Object.fromEntries(files.map((each) => [String(memberOf(each, "file")), Number(memberOf(each, "rows"))]));
}

/** As `AccountsDestination` of accountsPlugin. */
export function serverAccounts(server: ServerAddress) {
  return {
    absent: async (users: readonly Line[]): Promise<readonly string[]> => {
      const data = await ask(server, "mutation ($users: [String!]!) { absentAccounts(users: $users) }", { users: texts(users) });
      return listAt(data, "absentAccounts").map(String);
    },
    write: async (table: string, rows: readonly Line[]): Promise<number> => {
      const query = "mutation ($table: String!, $rows: [String!]!) { loadAccountRows(table: $table, rows: $rows) }";
      return Number(memberOf(await ask(server, query, { table, rows: texts(rows) }), "loadAccountRows"));
    },
  };
}

function texts(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line));
}

function listAt(data: unknown, name: string): readonly unknown[] {
  const list = memberOf(data, name);
  return Array.isArray(list) ? list : [];
}

async function ask(server: ServerAddress, query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown> {
  return await askAdmin(server, query, variables).catch((thrown: unknown) => {
    if (!(thrown instanceof QuernError) || !/Cannot query field/.test(thrown.message)) throw thrown;
    throw new QuernError("REQUEST_REFUSED", "--accounts: no users sign in at this server, or it is older than this command.", { cause: thrown });
  });
}
