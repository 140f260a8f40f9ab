// The fields of the admin API by which accounts leave a running server and come into one. No answer has a hash or a token: an export goes to a folder of the server.

import { mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type AdminAdditions, type KernelAccess, QuernError } from "../../../core/plugin.ts";
import { accountLine, destinationIn } from "./load-accounts.ts";
import { accountsFolder, writeAccounts } from "./write-accounts.ts";

const definitions = `
  type AccountFile {
    file: String!
    rows: Int!
  }
  extend type Mutation {
    "Writes what users sign in with to the folder \`accounts\` of \`destination\`, a folder of the machine of the server, in files that the user of the server alone may read."
    exportAccounts(destination: String!): [AccountFile!]
    "The IDs of those of these users of an export who are not here. Lines are JSON. Fails when one is another user here."
    absentAccounts(users: [String!]!): [String!]
    "Writes rows of an export that are not there yet; returns how many. Lines are JSON."
    loadAccountRows(table: String!, rows: [String!]!): Int
  }
`;

/** Rows of one request, at most. */
const maxLines = 1_000;

export function transferFields(kernel: KernelAccess): Required<Pick<AdminAdditions, "definitions" | "mutations">> {
  const destination = destinationIn(kernel);
  return {
    definitions,
    mutations: {
      exportAccounts: async ({ destination: parent }, _request, { describe }) => {
        describe("exported what users sign in with");
        const counts = await writeAccounts(kernel, await folderIn(String(parent)));
        return Object.entries(counts).map(([file, rows]) => ({ file, rows }));
      },
      absentAccounts: async ({ users }) => await destination.absent(linesIn(users)),
      loadAccountRows: async ({ table, rows }, _request, { describe }) => {
        const written = await destination.write(String(table), linesIn(rows));
        describe(`loaded ${written} rows of accounts`);
        return written;
      },
    },
  };
}

async function folderIn(parent: string): Promise<string> {
  if (!isAbsolute(parent) || parent.includes("\0"))
    throw new QuernError("REQUEST_REFUSED", "destination is the absolute path of a folder of the server.");
  await mkdir(parent, { recursive: true });
  return join(parent, accountsFolder);
}

function linesIn(texts: unknown) {
  const given = [texts].flat();
  if (given.length > maxLines) throw new QuernError("REQUEST_REFUSED", `Send at most ${maxLines} rows at once.`);
  return given.map((text) => accountLine(String(text), "The request"));
}
