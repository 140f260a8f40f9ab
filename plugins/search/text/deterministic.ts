// A compiled regular expression run as a table: for each set of places in its program and each character the next set, found out
// when it first comes up. One look-up a character, whatever the pattern; a third of what re2js takes for a short text, which
// prepares more for every call. Patterns with conditions on the place (`^`, `$`, `\b`) are left to re2js.

import type { Instruction, Program } from "./automaton.ts";

/** More are forgotten and found out anew: a step costs no more than one through the program itself then. */
const mostStates = 128;
/** Characters with a place in the table of each state; others are looked up by code. */
const tableSize = 128;

/** Some places of the program, between two characters. */
interface State {
  readonly places: readonly number[];
  /** The pattern is found: what follows does not matter. */
  readonly found: boolean;
  readonly table: (State | undefined)[];
  readonly others: Map<number, State>;
}

/** Whether the pattern is found anywhere in a text; undefined for a program that this cannot run. */
export function deterministicTest({ start, inst }: Program): ((text: string) => boolean) | undefined {
  const runs = inst.every(({ op }) => isPlain(op));
  return runs ? new Table(inst, start).test : undefined;
}

/** Forks, captures, ends and readers; 4 is a condition on the place, and what comes later is not known. */
function isPlain(op: number): boolean {
  return op >= 1 && op <= 11 && op !== 4;
}

class Table {
  readonly #program: readonly Instruction[];
  readonly #start: number;
  #states = new Map<string, State>();
  #first: State;

  constructor(program: readonly Instruction[], start: number) {
    this.#program = program;
    this.#start = start;
    this.#first = this.#stateAt([start]);
  }

  readonly test = (text: string): boolean => {
    let state = this.#first;
    for (let i = 0; i < text.length && !state.found; i++) {
      let code = text.charCodeAt(i);
      if (code >= tableSize) {
        code = text.codePointAt(i) ?? code;
        if (code > 0xffff) i++;
        state = state.others.get(code) ?? this.#step(state, code);
      } else {
        state = state.table[code] ?? this.#step(state, code);
      }
    }
    return state.found;
  };

  /** A match may begin at every character, so the start is always among the places. */
  #step(from: State, code: number): State {
    const places = [this.#start];
    for (const place of from.places) {
      const instruction = this.#program[place];
      if (instruction !== undefined && reads(instruction, code)) places.push(instruction.out);
    }
    const to = this.#stateAt(places);
    if (code < tableSize) from.table[code] = to;
    else if (from.others.size < mostStates) from.others.set(code, to);
    return to;
  }

  #stateAt(entries: readonly number[]): State {
    const reached = new Set<number>(entries);
    let found = false;
    // Grows while it is walked.
    for (const place of reached) {
      const { op, out, arg } = this.#program[place] ?? { op: 5, out: 0, arg: 0 };
      if (op === 6) found = true;
      if (op <= 3 || op === 7) reached.add(out);
      if (op <= 2) reached.add(arg);
    }
    const places = [...reached].filter((place) => (this.#program[place]?.op ?? 0) >= 8).sort((a, b) => a - b);
    const key = `${found} ${places.join(" ")}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: State = { places, found, table: new Array<State | undefined>(tableSize).fill(undefined), others: new Map() };
    if (this.#states.size >= mostStates) this.#forget();
    this.#states.set(key, state);
    return state;
  }

  /** Whoever is under way goes on from a state that nobody else will come to. */
  #forget(): void {
    this.#states = new Map();
    this.#first = this.#stateAt([this.#start]);
  }
}

function reads(instruction: Instruction, code: number): boolean {
  switch (instruction.op) {
    case 10:
      return true;
    case 11:
      return code !== 10;
    default:
      return instruction.matchRune(code);
  }
}
