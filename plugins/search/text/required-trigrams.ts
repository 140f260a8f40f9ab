// Which trigrams a text must have for a regular expression to be found in it.
//
// A match is a way through the automaton. Remembering the two characters read last, some of its steps read a trigram. Sort the places
// by how many such steps they are away from the start at least: every way from the start to the end climbs from each distance to
// the next, so it takes one of the steps that do. Their trigrams are one condition: any of them. Distances to the end give others.

import type { Automaton, State } from "./automaton.ts";

/** Any of these trigrams. */
export type AnyOf = readonly string[];
/** Each of these conditions. */
export type AllOf = readonly AnyOf[];
/** At least one of these; every match has the trigrams of one of its alternatives. */
export type Requirement = readonly AllOf[];

/** The largest character classes that are expanded. Small ones are tried first, because most expressions then have enough trigrams. */
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

/** @returns undefined when a text without any trigram may match, or when the search would take too many steps */
export function requiredTrigrams(automaton: Automaton): Requirement | undefined {
  for (const width of widths) {
    const requirement = requirementAt(automaton, width);
    if (requirement !== undefined) return requirement;
  }
  return undefined;
}

/** Alternatives of different lengths are separate: together they would only have the conditions of the shortest. */
function requirementAt(automaton: Automaton, width: number): Requirement | undefined {
  const together = conditions(automaton, automaton.start, width);
  if (together === undefined) return undefined;
  const starts = alternatives(automaton);
  if (starts.length < 2 || starts.length > mostAlternatives) return [together];
  const apart: AllOf[] = [];
  for (const start of starts) {
    const own = conditions(automaton, start, width);
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

function conditions(automaton: Automaton, start: number, width: number): AllOf | undefined {
  const graph = explore(automaton, start, width);
  if (graph === undefined) return undefined;
  const away = distances(graph.size, [0], graph.steps);
  const left = distances(graph.size, graph.ends, graph.steps.map(reversed));
  // Steps that lead to no end are on no way.
  const useful = graph.steps.filter(({ to }) => left[to] !== undefined);
  return worthwhile([...climbs(useful, away, left[0]), ...climbs(useful.map(reversed), left, left[0])]);
}

/** A state and the characters read last, at most two; fewer where they are not known. Places are numbered, the start is 0. */
interface Place {
  readonly at: number;
  readonly last: string;
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly trigram: string | undefined;
}

interface Graph {
  readonly size: number;
  readonly steps: readonly Step[];
  readonly ends: readonly number[];
}

function explore({ states }: Automaton, start: number, width: number): Graph | undefined {
  const places: Place[] = [{ at: start, last: "" }];
  const numbers = new Map([[keyOf({ at: start, last: "" }), 0]]);
  const steps: Step[] = [];
  const ends: number[] = [];
  // Grows while it is walked.
  for (let from = 0; from < places.length; from++) {
    const { at, last } = places[from] ?? { at: start, last: "" };
    const state = states[at];
    if (state?.kind === "accepting") ends.push(from);
    for (const next of stepsFrom(state, last, width)) {
      const to = numbers.get(keyOf(next)) ?? places.push(next) - 1;
      numbers.set(keyOf(next), to);
      if (steps.push({ from, to, trigram: next.trigram }) > patience) return undefined;
    }
  }
  return { size: places.length, steps, ends };
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

function reversed({ from, to, trigram }: Step): Step {
  return { from: to, to: from, trigram };
}

/** For each place, how many trigrams are read from one of `starts` to there at least; undefined where no way leads. */
function distances(size: number, starts: readonly number[], steps: readonly Step[]): readonly (number | undefined)[] {
  const from: Step[][] = Array.from({ length: size }, () => []);
  for (const step of steps) from[step.from]?.push(step);
  const found: (number | undefined)[] = Array.from({ length: size });
  let level = [...starts];
  for (let distance = 0; level.length > 0; distance++) {
    const further: number[] = [];
    for (let place = level.pop(); place !== undefined; place = level.pop()) {
      if (found[place] !== undefined) continue;
      found[place] = distance;
      for (const { to, trigram } of from[place] ?? []) (trigram === undefined ? level : further).push(to);
    }
    level = further;
  }
  return found;
}

/** The trigrams of the steps from each distance to the next, as far as the end. */
function climbs(steps: readonly Step[], away: readonly (number | undefined)[], end = 0): readonly AnyOf[] {
  const found = Array.from({ length: end }, () => new Set<string>());
  for (const { from, to, trigram } of steps) {
    const distance = away[from];
    if (trigram !== undefined && distance !== undefined && away[to] === distance + 1) found[distance]?.add(trigram);
  }
  return found.map((trigrams) => [...trigrams].sort());
}

/** Few conditions of few trigrams, spread over the expression: neighbours overlap and say much the same. */
function worthwhile(found: readonly AnyOf[]): AllOf | undefined {
  const smallest = Math.min(...found.map((each) => each.length));
  if (smallest > mostTrigrams) return undefined;
  const most = Math.min(smallest * 4, Math.max(fewTrigrams, smallest));
  const certain = new Set(found.flatMap((each) => (each.length === 1 ? each : [])));
  // A condition with a trigram that is required anyway adds nothing.
  const telling = found.filter((each) => each.length <= most && (each.length === 1 || !each.some((trigram) => certain.has(trigram))));
  const best = [...new Map(telling.map((each) => [each.join("\0"), each])).values()];
  if (best.length <= mostConditions) return best;
  return Array.from({ length: mostConditions }, (_, index) => best[Math.round((index * (best.length - 1)) / (mostConditions - 1))] ?? []);
}
