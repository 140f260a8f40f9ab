// A snapshot that answers some calls otherwise than the one below it.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";

/** `base` with `overrides` in the place of its methods. */
export function forwardingSnapshot(base: Snapshot, overrides: Partial<Omit<Snapshot, "at">>): Snapshot {
  return {
    at: base.at,
    find: (request) => base.find(request),
    follow: (request) => base.follow(request),
    load: (request) => base.load(request),
    aggregate: (request) => base.aggregate(request),
    ...(base.group && { group: (request: Parameters<NonNullable<Snapshot["group"]>>[0]) => base.group?.(request) ?? [] }),
    meta: (name) => base.meta(name),
    close: () => base.close(),
    ...overrides,
  };
}
