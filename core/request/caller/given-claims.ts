// The claims that an application gives for a caller: who they name, and what hooks know of them before plugins are asked.

import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { QuernError } from "../../ground/errors.ts";
import { isObject } from "../../ground/is-object.ts";
import { malformedTexts } from "../../ground/values/well-formed.ts";
import type { GraphQLRequest } from "./request.ts";

type Claiming = Pick<GraphQLRequest, "claims">;

/**
 * The request with claims of its own: a live query keeps them for long, and the application may change its object.
 *
 * @throws QuernError `REQUEST_INVALID`
 */
export function withOwnClaims<Request extends GraphQLRequest>(request: Request): Request {
  const { claims, as } = request;
  return { ...request, claims: claims === undefined || as === "system" ? undefined : ownClaims(claims) };
}

function ownClaims(given: unknown): Readonly<Record<string, unknown>> {
  const claims = isObject(given) ? copied(given) : undefined;
  if (!isObject(claims)) throw invalid("they are no JSON object. Give an object with a member for each claim");
  const [malformed] = malformedTexts(claims);
  // Storage would replace half a character, so that one caller could be taken for another.
  if (malformed) throw invalid(`${["claims", ...malformed.path].join(".")}: ${malformed.problem}`);
  return claims;
}

function copied(claims: object): unknown {
  try {
    return JSON.parse(JSON.stringify(claims));
  } catch (cause) {
    throw invalid("they cannot be written as JSON", cause);
  }
}

function invalid(why: string, cause?: unknown): QuernError {
  return new QuernError("REQUEST_INVALID", `The claims of this request cannot be used: ${why}.`, { cause });
}

/** What is known of the caller before plugins are asked. */
export function givenFacts({ claims }: Claiming): RequestView["facts"] {
  // `withOwnClaims` has read them from JSON.
  return claims === undefined ? noFacts : ({ claims, claimsGiven: true } as RequestView["facts"]);
}

const noFacts: RequestView["facts"] = Object.freeze({});

/** Whom the claims name. */
export function subjectOf({ claims }: Claiming): string | undefined {
  const subject = claims?.sub;
  return typeof subject === "string" && subject !== "" ? subject : undefined;
}
