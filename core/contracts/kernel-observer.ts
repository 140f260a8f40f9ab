// What a part beside the kernel does when the kernel opens, serves another schema, or sends clients away. The HTTP surface is one.

/** Each member is optional. None throws, except `opening`. */
export interface KernelObserver {
  /** Called before the store opens. A rejection fails the opening. */
  opening?(): Promise<void>;
  /** Called when the store is open and the deployed schema is served. */
  opened?(): Promise<void>;
  /** Another schema is served from now on, or none. */
  replaced?(): void;
  /** Data were erased; `meta` entries may be gone with them. */
  erased?(): void;
  /** Clients that stay connected must go: requests are kept away, or the kernel closes. */
  leaving?(): void;
  /** Documents that clients rely on, by id: `compare` lists those that a schema breaks. */
  documents?(): Iterable<readonly [id: string, text: string]>;
}
