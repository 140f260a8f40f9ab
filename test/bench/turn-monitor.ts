// Watches the turns of the event loop of its own process: how long each was, and what ran in the long ones.

import { type Profiler, Session } from "node:inspector/promises";

/** A turn that held the event loop. */
export interface LongTurn {
  readonly ms: number;
  /** The functions that ran longest in it, with their own milliseconds. */
  readonly stacks: readonly string[];
}

export interface Watched {
  readonly turns: number;
  readonly longestMs: number;
  /** Longest first. */
  readonly long: readonly LongTurn[];
}

interface Turn {
  /** Microseconds of the clock that the profiler uses. */
  readonly begun: number;
  readonly ended: number;
}

const stacksShown = 4;
const framesShown = 7;

export class TurnMonitor {
  readonly #session = new Session();
  readonly #boundMs: number;

  constructor(boundMs: number) {
    this.#boundMs = boundMs;
  }

  async open(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: 500 });
  }

  close(): void {
    this.#session.disconnect();
  }

  async watch(work: () => Promise<unknown>): Promise<Watched> {
    await this.#session.post("Profiler.start");
    const turns: Turn[] = [];
    let watches = true;
    let begun = now();
    const look = () => {
      const ended = now();
      turns.push({ begun, ended });
      begun = ended;
      if (watches) setImmediate(look);
    };
    setImmediate(look);
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    watches = false;
    const { profile } = await this.#session.post("Profiler.stop");
    return watchedOf(turns, { profile, boundMs: this.#boundMs });
  }
}

function now(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function lengthOf({ begun, ended }: Turn): number {
  return (ended - begun) / 1_000;
}

interface Sampled {
  readonly profile: Profiler.Profile;
  readonly boundMs: number;
}

function watchedOf(turns: readonly Turn[], sampled: Sampled): Watched {
  const long = turns.filter((turn) => lengthOf(turn) > sampled.boundMs).sort((a, b) => lengthOf(b) - lengthOf(a));
  const stacksOf = stacksIn(sampled.profile);
  return {
    turns: turns.length,
    longestMs: turns.reduce((most, turn) => Math.max(most, lengthOf(turn)), 0),
    long: long.slice(0, 3).map((turn) => ({ ms: lengthOf(turn), stacks: stacksOf(turn) })),
  };
}

function stacksIn({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile): (turn: Turn) => readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const stackOf = (leaf: number) => {
    const frames: string[] = [];
    for (let id: number | undefined = leaf; id !== undefined && frames.length < framesShown; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame && frame.functionName !== "(root)")
        frames.push(`${frame.functionName || "?"}:${frame.url.split("/").at(-1)}:${frame.lineNumber + 1}`);
    }
    return frames.join(" < ");
  };
  return ({ begun, ended }) => {
    const counted = new Map<string, number>();
    let at = startTime;
    samples.forEach((leaf, i) => {
      at += timeDeltas[i] ?? 0;
      if (at < begun || at > ended) return;
      const stack = stackOf(leaf);
      counted.set(stack, (counted.get(stack) ?? 0) + (timeDeltas[i] ?? 0) / 1_000);
    });
    const longest = [...counted].sort(([, a], [, b]) => b - a).slice(0, stacksShown);
    return longest.map(([stack, ms]) => `${ms.toFixed(0)} ms ${stack}`);
  };
}
