// What a client of `/admin/schema` may ask for beside a deploy, in the query of its URL: each `true` or `false`, in any combination.

import { queryOf } from "../http/url.ts";

export interface DeployOptionsAsked {
  /** Says what would change, and changes nothing. */
  readonly dryRun: boolean;
  /** Errors with their places and hints, and what leaves sight: for programs that show them to people. */
  readonly details: boolean;
  /** Steps while something is built, then the answer: a line of JSON each. */
  readonly progress: boolean;
}

const names = ["dryRun", "details", "progress"] as const;

/** Or a sentence about what is wrong: whoever asked for no change must not cause one by a slip. Other names are none of ours. */
export function deployOptionsIn(url: string): DeployOptionsAsked | string {
  const given = new URLSearchParams(queryOf(url));
  for (const name of given.keys()) {
    const meant = names.find((each) => each.toLowerCase() === name.toLowerCase());
    if (meant === undefined) continue;
    if (meant !== name) return `${meant} is written so, not ${name}.`;
    if (given.getAll(name).some((value) => value !== "true" && value !== "false")) return `${name} is true or false.`;
  }
  const isAsked = (name: (typeof names)[number]) => given.getAll(name).includes("true");
  return { dryRun: isAsked("dryRun"), details: isAsked("details"), progress: isAsked("progress") };
}
