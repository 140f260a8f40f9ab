// What keeps an open store from serving as it should, for probes, logs and the answers to clients.

/**
 * A store whose disk has filled:
 *
 *     { kind: "read-only", reason: "the disk is full", since: 86_400_000 }
 */
export interface StoreTrouble {
  /**
   * `read-only`: reads go on, writes fail. `lost`: the store could not be opened again, neither works. `damaged`: neither works, because files of the
   * store are not what was written. `unreachable`: neither works, because a database in another process does not answer.
   */
  readonly kind: "read-only" | "lost" | "damaged" | "unreachable";
  /** The end of a sentence, such as `input/output error`. Anybody may read it: it names no place, no user and no address. */
  readonly reason: string;
  /** When it began, in milliseconds of `performance.now()`. */
  readonly since: number;
}
