// A hash that another service has made.

export interface ForeignHash {
  /** Whether the password has the hash. It works on the thread pool. */
  readonly fits: (password: string) => Promise<boolean>;
  /** Why it cannot be checked here; undefined: it can. */
  readonly problem: string | undefined;
}
