// Logs in to a server with access control, for commands that administrate it.

import { isObject, parseJson, QuernError } from "../../../core/plugin.ts";
import { readSecretFile } from "../ground/read-secret.ts";
import { answerIn, type ServerAddress, type ServerChoice, send, serverAt } from "./server-url.ts";

export interface GuardianChoice {
  /** The user to log in as. Default: `QUERN_USER`, else groot. */
  readonly as?: string;
  /** Path of a file with the password. Default: `QUERN_PASSWORD`. */
  readonly passwordFile?: string;
}

/** The server at `choice.url`, with the tokens that the user has for it. */
export async function loggedInAt(choice: ServerChoice): Promise<ServerAddress> {
  return await loggedIn(await serverAt(choice));
}

/** The server with an access token: that of `QUERN_ACCESS_TOKEN`, or of a login. Unchanged when neither token nor password is given. */
export async function loggedIn(server: ServerAddress, { as, passwordFile }: GuardianChoice = {}): Promise<ServerAddress> {
  const given = process.env.QUERN_ACCESS_TOKEN;
  if (given && as === undefined && passwordFile === undefined) return { ...server, accessToken: given };
  const password = passwordFile === undefined ? process.env.QUERN_PASSWORD : await readSecretFile("password", passwordFile);
  if (!password) return server;
  const variables = { user: as ?? process.env.QUERN_USER ?? "groot", password, namespace: namespaceIn(process.env.QUERN_NAMESPACE) };
  const data = await askAdmin(
    server,
    "mutation L($user: String, $password: String, $namespace: Int) { login(userId: $user, password: $password, namespace: $namespace) { response { accessJWT } } }",
    variables,
  );
  const response = memberOf(memberOf(data, "login"), "response");
  return { ...server, accessToken: String(memberOf(response, "accessJWT")) };
}

function namespaceIn(text = ""): number {
  if (/^\d{0,15}$/.test(text)) return Number(text);
  throw new QuernError("CONFIG_INVALID", `QUERN_NAMESPACE is ${JSON.stringify(text)}; set it to the number of a namespace, such as 3.`);
}

/** The data of a request to the admin API. Errors: `REQUEST_REFUSED` with the messages of the answer. */
export async function askAdmin(server: ServerAddress, query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const post = { body: JSON.stringify({ query, variables }), contentType: "application/json" };
  const answer = parseJson(await answerIn(await send(server, "/admin", post)));
  const errors = memberOf(answer, "errors");
  if (!Array.isArray(errors) || errors.length === 0) return memberOf(answer, "data");
  const messages = errors.map((error) => String(memberOf(error, "message")).trim());
  const isUnknown = messages.some((message) => message.includes("no accessJwt available"));
  throw new QuernError("REQUEST_REFUSED", messages.join("\n"), isUnknown ? { hint: loginHint } : {});
}

const loginHint = "The server has access control. Log in: set QUERN_USER and QUERN_PASSWORD, or --as <user> --password-file <file>.";

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
