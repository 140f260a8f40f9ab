// Signs anybody in under any name, for development: POST /todo/sign-in {"name": "ada"} answers {"token": "..."}. A sign-in service replaces it.

import { type DirectivePlugin, QuernError, type SettingLine } from "quern/plugin";
import { developmentToken, readClaims } from "quern/plugins/auth";

export function signInPlugin(): DirectivePlugin {
  let lines: readonly SettingLine[] = [];
  return {
    name: "sign-in",
    definitions: "",
    alsoReads: ["Authorization"],
    serving({ host }) {
      if (host !== "127.0.0.1" && host !== "localhost")
        throw new QuernError("CONFIG_INVALID", `signInPlugin makes tokens for everybody, so it serves at 127.0.0.1 alone, not at ${host}.`);
    },
    model(context) {
      lines = context.settings("Authorization");
      return undefined;
    },
    server: () => ({
      routes: [{ path: "/todo/sign-in", methods: ["POST"], access: "everybody", answer: ({ body }) => signIn(lines, body) }],
    }),
  };
}

async function signIn(lines: readonly SettingLine[], body: Uint8Array) {
  const { token } = await developmentToken(lines, { USER: nameIn(body) }, "8h");
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) };
}

function nameIn(body: Uint8Array): string {
  const name = readClaims(Buffer.from(body).toString("utf8"))?.name;
  if (typeof name !== "string" || name === "") throw new QuernError("REQUEST_REFUSED", 'The body has no name. Send {"name": "ada"}.');
  return name;
}
