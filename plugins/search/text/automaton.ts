// A compiled regular expression as the graph that it is: states, and which characters lead from one to the next. Read from
// the program that re2js runs, so that syntax, classes, repetitions and case are exactly what they are when it matches.

import type { RE2JS } from "re2js";
import { foldCharacter } from "./trigrams.ts";

export type State = Accepting | Dead | Fork | Reader;

export interface Accepting {
  readonly kind: "accepting";
}
export interface Dead {
  readonly kind: "dead";
}
/** Goes on at any of these without reading. Conditions on the place, like `^`, are taken to hold. */
export interface Fork {
  readonly kind: "fork";
  readonly to: readonly number[];
}
export interface Reader {
  readonly kind: "reader";
  readonly to: number;
  /** Folded characters it reads; undefined: more than 64, or any. */
  readonly reads: readonly string[] | undefined;
}

export interface Automaton {
  readonly start: number;
  readonly states: readonly State[];
}

/** What the library's own types leave open. */
export interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}
export interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other branch of a fork, or flags. */
  readonly arg: number;
  /** One character, or pairs of first and last. */
  readonly runes: ArrayLike<number>;
  /** Whether it reads the character; only for 8 and 9. */
  readonly matchRune: (code: number) => boolean;
}

const mostCharacters = 64;

export function programOf(compiled: RE2JS): Program {
  return compiled.re2().prog;
}

/** @returns undefined for a program with steps that are not known */
export function automatonOf(program: Program): Automaton | undefined {
  const states = program.inst.map(stateOf);
  return states.every((state) => state !== undefined) ? { start: program.start, states } : undefined;
}

function stateOf(instruction: Instruction): State | undefined {
  const { op, out, arg } = instruction;
  switch (op) {
    case 1: // alternatives
    case 2:
      return { kind: "fork", to: [out, arg] };
    case 3: // capture
    case 4: // empty width
    case 7: // nothing
      return { kind: "fork", to: [out] };
    case 5:
      return { kind: "dead" };
    case 6:
      return { kind: "accepting" };
    case 8: // characters
    case 9: // one character
      return { kind: "reader", to: out, reads: charactersOf(instruction.runes) };
    case 10: // any
    case 11: // any but the end of a line
      return { kind: "reader", to: out, reads: undefined };
    default:
      return undefined;
  }
}

/** A single character stands for itself or, ignoring case, for its variants: folded they are one. */
function charactersOf(runes: ArrayLike<number>): readonly string[] | undefined {
  if (runes.length === 1) return [foldCharacter(runes[0] ?? 0)];
  let count = 0;
  for (let at = 0; at < runes.length; at += 2) count += (runes[at + 1] ?? 0) - (runes[at] ?? 0) + 1;
  if (count > mostCharacters * 2) return undefined;
  const folded = new Set<string>();
  for (let at = 0; at < runes.length; at += 2) {
    for (let code = runes[at] ?? 0; code <= (runes[at + 1] ?? 0); code++) folded.add(foldCharacter(code));
  }
  return folded.size <= mostCharacters ? [...folded] : undefined;
}
