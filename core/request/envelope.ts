// The JSON around an answer: errors, data, extensions, in this order, absent ones left out.

import { writeJson } from "../ground/json/write-json.ts";
import type { ResponseError } from "../query/operation-context.ts";

export interface EnvelopeParts {
  readonly errors: readonly ResponseError[];
  /** JSON text; undefined when the request was refused as a whole. */
  readonly data: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

export function writeEnvelope({ errors, data, extensions }: EnvelopeParts): string {
  const members: string[] = [];
  if (errors.length > 0) members.push(`"errors":${writeJson(errors)}`);
  if (data !== undefined) members.push(`"data":${data}`);
  if (extensions && Object.keys(extensions).length > 0) members.push(`"extensions":${writeJson(extensions)}`);
  return `{${members.join(",")}}`;
}
