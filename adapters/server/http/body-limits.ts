// How long bodies may be: those with the admin token or an admin key may be longer.

import type { Limits } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";
import type { AdminGuard } from "../access/admin-guard.ts";
import type { BodyLimit } from "./refusal.ts";

/** A body as it is sent, or what it unpacks to. */
export type BodyKind = "sent" | "unpacked";

export class BodyLimits {
  readonly #everyone: Readonly<Record<BodyKind, BodyLimit>>;
  readonly #administrators: Readonly<Record<BodyKind, BodyLimit>>;
  readonly #guard: AdminGuard;

  constructor({ maxBodyBytes, maxInflatedBytes, maxAdminBodyBytes }: Limits, guard: AdminGuard) {
    const sent = { bytes: maxBodyBytes, setting: "limits.maxBodyBytes" };
    const unpacked = { bytes: maxInflatedBytes, setting: "limits.maxInflatedBytes" };
    const forAdministrators = (limit: BodyLimit) =>
      limit.bytes < maxAdminBodyBytes ? { bytes: maxAdminBodyBytes, setting: "limits.maxAdminBodyBytes" } : limit;
    const forEveryone = (limit: BodyLimit) => (limit.bytes < maxAdminBodyBytes ? { ...limit, administrators: maxAdminBodyBytes } : limit);
    this.#everyone = { sent: forEveryone(sent), unpacked: forEveryone(unpacked) };
    this.#administrators = { sent: forAdministrators(sent), unpacked: forAdministrators(unpacked) };
    this.#guard = guard;
  }

  of(request: Pick<HttpRequest, "headers">, what: BodyKind): BodyLimit {
    return this.#guard.hasSecret(request) ? this.#administrators[what] : this.#everyone[what];
  }
}
