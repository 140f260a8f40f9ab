// Which trigrams a text must have for a regular expression to be found in it.
//
// A match is a way through the automaton. Remembering the two characters read last, some steps of it read a trigram. Sort the
// states by how many such steps they are away from the start at least: every way from the start to the end climbs from each
// distance to the next, so it takes one of the steps that do. Their trigrams are one condition: any of them.

import type { Automaton, State } from "./automaton.ts";

/** Any of these trigrams. */
export type AnyOf = readonly string[];
/** Each of these conditions. */
export type AllOf = readonly AnyOf[];
/** At least one of these; every match has the trigrams of one of its alternatives. */
export type Requirement = readonly AllOf[];

/** So many characters of a class are told apart; first few, for most expressions have enough trigrams without. */
const widths = [4, 16, 64] as const;
/** Steps to look at for one width. */
const patience = 20_000;
const mostAlternatives = 16;
/** More conditions hardly narrow. */
const mostConditions = 12;
/** A condition of so many trigrams is worth looking up beside others. */
const fewTrigrams = 16;
/** One of more is not worth it at all. */
const mostTrigrams = 512;

/** @returns undefined when a text without any trigram may match, or when there are too many ways to tell */
export function requiredTrigrams(automaton: Automaton): Requirement | undefined {
  for (const width of widths) {
    const requirement = requirementAt(automaton, width);
    if (requirement !== undefined) return requirement;
  }
  return undefined;
}

/** Alternatives of different length are told apart, because together they would have the conditions of the shortest alone. */
function requirementAt(automaton: Automaton, width: number): Requirement | undefined {
  const together = conditions(automaton, [automaton.start], width);
  if (together === undefined) return undefined;
  const starts = alternatives(automaton);
  if (starts.length < 2 || starts.length > mostAlternatives) return [together];
  const apart: AllOf[] = [];
  for (const start of starts) {
    const own = conditions(automaton, [start], width);
    if (own === undefined) return [together];
    apart.push(own);
  }
  return apart.some((own) => own.length > together.length) ? apart : [together];
}

/** The states in which a match may begin to read. */
function alternatives({ start, states }: Automaton): readonly number[] {
  const seen = new Set([start]);
  for (const at of seen) {
    const state = states[at];
    if (state?.kind === "fork") for (const to of state.to) seen.add(to);
  }
  return [...seen].filter((at) => states[at]?.kind !== "fork");
}

/** A state, and the characters read last, at most two; fewer where they are not known. */
interface Place {
  readonly at: number;
  readonly last: string;
}

function conditions(automaton: Automaton, starts: readonly number[], width: number): AllOf | undefined {
  const seen = new Set<string>();
  const found: AnyOf[] = [];
  let steps = 0;
  let level: Place[] = starts.map((at) => ({ at, last: "" }));
  while (level.length > 0) {
    const climbs: (Place & { readonly trigram: string })[] = [];
    for (let place = level.pop(); place !== undefined; place = level.pop()) {
      if (seen.has(keyOf(place))) continue;
      seen.add(keyOf(place));
      const state = automaton.states[place.at];
      if (state?.kind === "accepting") return worthwhile(found);
      for (const next of stepsFrom(state, place.last, width)) {
        if (++steps > patience) return undefined;
        if (next.trigram === undefined) level.push(next);
        else climbs.push({ ...next, trigram: next.trigram });
      }
    }
    const climbing = climbs.filter((climb) => !seen.has(keyOf(climb)));
    found.push([...new Set(climbing.map((climb) => climb.trigram))]);
    level = climbing;
  }
  return undefined;
}

function* stepsFrom(state: State | undefined, last: string, width: number): Generator<Place & { readonly trigram: string | undefined }> {
  if (state?.kind === "fork") for (const to of state.to) yield { at: to, last, trigram: undefined };
  if (state?.kind !== "reader") return;
  if (state.reads === undefined || state.reads.length > width) {
    yield { at: state.to, last: "", trigram: undefined };
    return;
  }
  for (const character of state.reads) {
    const read = [...last, character];
    yield { at: state.to, last: read.slice(-2).join(""), trigram: read.length === 3 ? read.join("") : undefined };
  }
}

function keyOf({ at, last }: Place): string {
  return `${at} ${last}`;
}

/** Few conditions of few trigrams, spread over the expression: neighbours overlap and say much the same. */
function worthwhile(found: readonly AnyOf[]): AllOf | undefined {
  const smallest = found.reduce<AnyOf | undefined>((best, each) => (best === undefined || each.length < best.length ? each : best), undefined);
  if (smallest === undefined || smallest.length > mostTrigrams) return undefined;
  const small = found.filter((each) => each.length <= Math.max(fewTrigrams, smallest.length));
  if (small.length <= mostConditions) return small;
  return Array.from({ length: mostConditions }, (_, index) => small[Math.round((index * (small.length - 1)) / (mostConditions - 1))] ?? smallest);
}
