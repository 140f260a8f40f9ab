// How much the body of a request may hold: more with the admin token or an admin key, for bulk mutations.

import type { Limits } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";

/** A limit, and what sets it: `limits.maxBodyBytes`. */
export interface BodyLimit {
  readonly most: number;
  readonly setting: string;
  /** The limit for administrators, where the caller is none and theirs is higher. */
  readonly administrators?: BodyLimit | undefined;
}

/** The limits on the body of one caller. */
export interface BodyLimits {
  /** Bytes as sent. */
  readonly sent: BodyLimit;
  /** Bytes of what gzip unpacks to. */
  readonly unpacked: BodyLimit;
  /** Values in a JSON text. */
  readonly values: BodyLimit;
}

/** The limits by caller. */
export type BodyLimitsOf = (caller: Pick<HttpRequest, "headers">) => BodyLimits;

export function bodyLimitsOf(limits: Limits, isAdministrator: (caller: Pick<HttpRequest, "headers">) => boolean): BodyLimitsOf {
  const administrators = ofAdministrators(limits);
  const everyone = ofEveryone(limits, administrators);
  return (caller) => (isAdministrator(caller) ? administrators : everyone);
}

function ofAdministrators({ maxBodyBytes, maxInflatedBytes, maxBodyValues, maxAdminBodyBytes, maxAdminBodyValues }: Limits): BodyLimits {
  const bytes = { most: maxAdminBodyBytes, setting: "limits.maxAdminBodyBytes" };
  const values = { most: maxAdminBodyValues, setting: "limits.maxAdminBodyValues" };
  return {
    sent: higher({ most: maxBodyBytes, setting: "limits.maxBodyBytes" }, bytes),
    unpacked: higher({ most: maxInflatedBytes, setting: "limits.maxInflatedBytes" }, bytes),
    values: higher({ most: maxBodyValues, setting: "limits.maxBodyValues" }, values),
  };
}

function higher(one: BodyLimit, other: BodyLimit): BodyLimit {
  return one.most >= other.most ? one : other;
}

function ofEveryone({ maxBodyBytes, maxInflatedBytes, maxBodyValues }: Limits, administrators: BodyLimits): BodyLimits {
  const below = (most: number, setting: string, theirs: BodyLimit): BodyLimit =>
    most < theirs.most ? { most, setting, administrators: theirs } : theirs;
  return {
    sent: below(maxBodyBytes, "limits.maxBodyBytes", administrators.sent),
    unpacked: below(maxInflatedBytes, "limits.maxInflatedBytes", administrators.unpacked),
    values: below(maxBodyValues, "limits.maxBodyValues", administrators.values),
  };
}
