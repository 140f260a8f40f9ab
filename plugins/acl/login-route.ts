// `POST /login`: the login of clients that do not speak GraphQL to `/admin`.

import { type HttpRequest, type HttpResponse, isObject, type PluginRoute, parseJson, QuernError, writeJson } from "../../core/plugin.ts";
import type { Credentials } from "./login.ts";
import type { LoginDesk } from "./login-desk.ts";

/** Of a body; everybody may send one. */
const maxBytes = 64 * 1024;

export function loginRoute(desk: LoginDesk): PluginRoute {
  return {
    path: "/login",
    // Dgraph refuses other methods with status 400, so they reach the plugin.
    methods: ["POST", "GET", "PUT", "DELETE", "PATCH", "HEAD"],
    access: "administrators",
    answer: (request) => answer(request, desk),
  };
}

async function answer(request: HttpRequest, desk: LoginDesk): Promise<HttpResponse> {
  if (request.method !== "POST") return json(400, { errors: [{ message: "Invalid method", extensions: { code: "ErrorInvalidMethod" } }] });
  if (request.body.byteLength > maxBytes) return { ...refused(`the body is larger than ${maxBytes} bytes`, "ErrorInvalidRequest"), status: 413 };
  const credentials = readCredentials(Buffer.from(request.body).toString("utf8"));
  if (typeof credentials === "string") return refused(credentials, "Error");
  try {
    return json(200, { data: await desk.login(credentials, request) });
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return refused(thrown.message, "ErrorInvalidRequest");
    throw thrown;
  }
}

/** Why the body cannot be read, or what it gives. Names of members are read without regard to case, as Go does. */
function readCredentials(text: string): Credentials | string {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return text.trim() === "" ? "unexpected end of JSON input" : "the body is not JSON";
  }
  if (!isObject(body)) return "the body must be an object with userid and password, or refresh_token";
  const members = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  const textOf = (name: string) => (typeof members.get(name) === "string" ? String(members.get(name)) : undefined);
  const namespace = members.get("namespace");
  return {
    user: textOf("userid"),
    password: textOf("password"),
    refreshToken: textOf("refresh_token"),
    namespace: typeof namespace === "number" ? namespace : undefined,
  };
}

function refused(message: string, code: "Error" | "ErrorInvalidRequest"): HttpResponse {
  return json(200, { errors: [{ message, extensions: { code } }], data: null });
}

function json(status: number, value: object): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: writeJson(value) };
}
