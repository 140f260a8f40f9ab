// What the two processes of the live bench agree on.

export const tasks = 10_000;
export const connections = 100;
export const liveQuery = "subscription($id: ID!) { getTask(id: $id) { title done board { title } } }";

export type Ask = "usage" | "commits" | "poll" | "embed";
export type Answer = Readonly<Record<string, unknown>>;
export interface Usage {
  readonly cpuMs: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly gauges: Readonly<Record<string, number>>;
}
export interface Commits {
  /** When each was there, in milliseconds since 1970. */
  readonly since: readonly number[];
}
