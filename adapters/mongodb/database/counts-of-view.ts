// The counts that a view of the data knows without reading.

import type { ChangeRecord, CommitToken } from "../../../core/storage.ts";
import type { KnownCounts } from "../read/known-counts.ts";
import type { TimedSource } from "../session/source.ts";
import type { CommitStream } from "./commit-stream.ts";
import { tokenOf } from "./time.ts";

export interface CountsOfViewOptions {
  readonly stream: CommitStream;
  readonly source: TimedSource;
  /** The last commit that this server knew of. */
  readonly latest: () => CommitToken;
}

export class CountsOfView implements KnownCounts {
  readonly #options: CountsOfViewOptions;

  constructor(options: CountsOfViewOptions) {
    this.#options = options;
  }

  async of(names: readonly string[]): Promise<readonly number[] | undefined> {
    const { stream, source, latest } = this.#options;
    const { counts } = stream;
    if (!names.every((name) => counts.has(name))) return undefined;
    const time = source.time;
    if (time === undefined) return undefined;
    const token = tokenOf(time);
    // A commit that this server knows of is delivered within milliseconds.
    if (stream.delivered < token && token <= latest()) await stream.reaches(token);
    const known = names.map((name) => counts.at(name, token, stream.delivered));
    if (!known.every((count) => count !== undefined)) return undefined;
    source.shows();
    return known;
  }

  keep(counted: ReadonlyMap<string, number>): void {
    const { stream, source } = this.#options;
    if (source.time === undefined) return;
    const token = tokenOf(source.time);
    const since = commitsAfter(stream, token);
    if (since !== undefined) stream.counts.keep(counted, token, since);
  }
}

/** Undefined: they are not all kept any more. */
function commitsAfter({ feed }: CommitStream, token: CommitToken): readonly ChangeRecord[] | undefined {
  const records: ChangeRecord[] = [];
  let areAll = true;
  const stop = feed.listen((event) => {
    if (event.kind === "gap") areAll = false;
    else records.push(event);
  }, token);
  stop();
  return areAll ? records : undefined;
}
