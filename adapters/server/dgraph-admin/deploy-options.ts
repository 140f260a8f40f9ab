// The options of `/admin/schema` in the query of its URL. Each is `true` or `false`, in any combination.

import { queryOf } from "../http/url.ts";

export interface DeployOptionsAsked {
  /** Reports what would change, and changes nothing. */
  readonly dryRun: boolean;
  /** Errors with locations and hints, and the fields that become hidden. */
  readonly details: boolean;
  /** Streams progress as lines of JSON; the last line is the answer. */
  readonly progress: boolean;
}

const names = ["dryRun", "details", "progress"] as const;

/** The options, or the message about an invalid value: a mistyped `dryRun` must not deploy. Other parameters are ignored. */
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
