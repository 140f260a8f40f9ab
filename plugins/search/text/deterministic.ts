// A compiled regular expression run as a table: for each set of places in its program and each character the next set, found out
// when it first comes up. One look-up a character, whatever the pattern; a tenth of what re2js takes for a short text, which
// prepares more for every call. Patterns with conditions on the place (`^`, `$`, `\b`) are left to re2js.

import type { Instruction, Program } from "./automaton.ts";

/** More are forgotten and found out anew: a step costs no more than one through the program itself then. */
const mostStates = 128;
/** Characters with a place in the row of each state; others are looked up by code. */
const rowSize = 128;

/** In place of a next state. */
const unknown = 0;
const found = 1;
/** A state is the start of its row, so a step is one addition and one look-up. What was there before it is none. */
const first = rowSize;

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
  /** The next state, by state and character. Grows with the states. */
  #next = new Uint16Array(rowSize * 8);
  /** The places of the program that a state stands for, between two characters. */
  #places: (readonly number[])[] = [];
  #others: Map<number, number>[] = [];
  #states = new Map<string, number>();
  /** With it, everything is found. */
  readonly #isTrivial: boolean;

  constructor(program: readonly Instruction[], start: number) {
    this.#program = program;
    this.#start = start;
    this.#isTrivial = this.#stateAt([start]) === found;
  }

  readonly test = (text: string): boolean => {
    if (this.#isTrivial) return true;
    let next = this.#next;
    let state = first;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      let to = code < rowSize ? next[state + code] : unknown;
      if (to === undefined || to === unknown) {
        if (code >= rowSize) {
          code = text.codePointAt(i) ?? code;
          if (code > 0xffff) i++;
        }
        to = this.#stepOf(state, code);
        next = this.#next;
      }
      if (to === found) return true;
      state = to;
    }
    return false;
  };

  #stepOf(from: number, code: number): number {
    const others = this.#others[from / rowSize - 1];
    const known = others?.get(code);
    if (known !== undefined) return known;
    const before = this.#states;
    const to = this.#stateAt(this.#entries(from, code));
    // What was forgotten meanwhile has no row any more.
    if (before !== this.#states) return to;
    if (code < rowSize) this.#next[from + code] = to;
    else if (others !== undefined && others.size < mostStates) others.set(code, to);
    return to;
  }

  /** A match may begin at every character, so the start is always among the places. */
  #entries(from: number, code: number): readonly number[] {
    const places = [this.#start];
    for (const place of this.#places[from / rowSize - 1] ?? []) {
      const instruction = this.#program[place];
      if (instruction !== undefined && reads(instruction, code)) places.push(instruction.out);
    }
    return places;
  }

  #stateAt(entries: readonly number[]): number {
    const reached = new Set<number>(entries);
    // Grows while it is walked.
    for (const place of reached) {
      const { op, out, arg } = this.#program[place] ?? { op: 5, out: 0, arg: 0 };
      if (op === 6) return found;
      if (op <= 3 || op === 7) reached.add(out);
      if (op <= 2) reached.add(arg);
    }
    const places = [...reached].filter((place) => (this.#program[place]?.op ?? 0) >= 8).sort((a, b) => a - b);
    const key = places.join(" ");
    return this.#states.get(key) ?? this.#addState(key, places);
  }

  #addState(key: string, places: readonly number[]): number {
    if (this.#states.size >= mostStates) this.#forget();
    const state = (this.#states.size + 1) * rowSize;
    this.#states.set(key, state);
    this.#places.push(places);
    this.#others.push(new Map());
    if (state + rowSize > this.#next.length) {
      const longer = new Uint16Array(this.#next.length * 2);
      longer.set(this.#next);
      this.#next = longer;
    }
    return state;
  }

  /** All but the first state, which comes first again. */
  #forget(): void {
    this.#next = new Uint16Array(this.#next.length);
    this.#states = new Map();
    this.#places = [];
    this.#others = [];
    this.#stateAt([this.#start]);
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
