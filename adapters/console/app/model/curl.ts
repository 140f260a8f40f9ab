// An operation as a command for a shell, which gives the same answer.

import { type JsonObject, writeJson } from "../api/json.ts";
import type { Identity } from "../api/server.ts";
import { kindOf } from "./operations.ts";

export interface Asked {
  /** Where the console is: `http://127.0.0.1:8080/`. The paths of the API are beside it. */
  readonly base: string;
  readonly query: string;
  readonly variables: JsonObject;
  readonly as: Identity;
}

/** An administrator's command reads the token from `QUERN_ADMIN_TOKEN`; a client's one holds its headers. A subscription goes on until Ctrl-C. */
export function curlCommand({ base, query, variables, as }: Asked): string {
  const isLive = as.kind === "client" && kindOf(query) === "subscription";
  const path = as.kind === "administrator" ? "admin/graphql" : "graphql";
  const own = as.kind === "administrator" ? [`-H "X-Service-AuthToken: $QUERN_ADMIN_TOKEN"`] : Object.entries(as.headers).map(header);
  const body = writeJson({ query, ...(Object.keys(variables).length > 0 && { variables }) });
  return [
    `curl -s${isLive ? "N" : ""} ${quoted(new URL(path, base).href)}`,
    header(["content-type", "application/json"]),
    ...(isLive ? [header(["accept", "text/event-stream"])] : []),
    ...own,
    `-d ${quoted(body)}`,
  ].join(" \\\n  ");
}

function header([name, value]: readonly [name: string, value: string]): string {
  return `-H ${quoted(`${name}: ${value}`)}`;
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
