// Reads media types from Content-Type and Accept.

import type { HttpRequest } from "../../../core/transport.ts";
import { HttpRefusal } from "./refusal.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const shape = new RegExp(`^(${token})(?:/(${token}))?[ \\t]*(?:;|$)`);
const parameter = new RegExp(`^[ \\t]*(?:${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?$`);

/** `application/json` of `Application/JSON; charset=utf-8`: in lower case, without parameters, which must be well formed. */
export function mediaType(contentType: string | undefined): string {
  const text = contentType?.trim() ?? "";
  if (text === "application/json") return text;
  if (text === "") throw unparsable("no media type");
  const found = shape.exec(text);
  if (!found) throw unparsable("unexpected content after media type");
  const parameters = text.slice(found[0].length);
  if (!splitParameters(parameters).every((each) => parameter.test(each))) throw unparsable("invalid media parameter");
  return (found[2] === undefined ? `${found[1]}` : `${found[1]}/${found[2]}`).toLowerCase();
}

/** Splits at semicolons outside quotes. */
function splitParameters(text: string): readonly string[] {
  return text.match(/(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}

function unparsable(reason: string): HttpRefusal {
  return new HttpRefusal(`unable to parse media type: mime: ${reason}`, 415);
}

export const graphqlResponseType = "application/graphql-response+json";

/** Whether the client names `application/graphql-response+json` before `application/json`, or alone. */
export function prefersGraphqlResponse(request: Pick<HttpRequest, "headers">): boolean {
  const accept = request.headers.accept?.toLowerCase();
  if (!accept?.includes(graphqlResponseType)) return false;
  const types = accept.split(",").map((each) => each.split(";", 1)[0]?.trim());
  return types.find((each) => each === graphqlResponseType || each === "application/json") === graphqlResponseType;
}
