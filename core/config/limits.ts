// Bounds on what one request may ask for. Each ends the request with a clear error, never in silence.

export interface Limits {
  /** Bytes of a request's body as sent. Default: 64 MiB. */
  readonly maxBodyBytes: number;
  /** Bytes of a body after it is unpacked. Default: 256 MiB. */
  readonly maxInflatedBytes: number;
  /** Tokens of a GraphQL document. Default: 1,000,000. */
  readonly maxDocumentTokens: number;
  /** Root fields of one operation. Default: 1,000. */
  readonly maxRootFields: number;
  /** Elements of one list in a mutation's input. Default: 100,000. */
  readonly maxInputList: number;
  /** Nesting of selection sets. Default: Infinity. */
  readonly maxDepth: number;
  /** Nodes that one request may touch. Default: Infinity. */
  readonly maxTouchedNodes: number;
  /** Time of one request, in milliseconds. Default: 60,000. */
  readonly maxTimeMs: number;
  /** Nodes that one mutation may change. Default: 1,000,000; a store may take fewer. */
  readonly maxChanges: number;
  /** Documents whose plans are kept for the next request with the same text. Default: 1,000. */
  readonly maxCachedDocuments: number;
}

export const defaultLimits: Limits = Object.freeze({
  maxBodyBytes: 64 * 2 ** 20,
  maxInflatedBytes: 256 * 2 ** 20,
  maxDocumentTokens: 1_000_000,
  maxRootFields: 1_000,
  maxInputList: 100_000,
  maxDepth: Number.POSITIVE_INFINITY,
  maxTouchedNodes: Number.POSITIVE_INFINITY,
  maxTimeMs: 60_000,
  maxChanges: 1_000_000,
  maxCachedDocuments: 1_000,
});

/** The limits with defaults filled in; an option given as `undefined` counts as not given. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...Object.fromEntries(named) };
}
