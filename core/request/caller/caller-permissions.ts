// Asks the plugins' `permissions` hooks what the caller of an operation may read and write.

import type { Permissions } from "../../contracts/plugin/permissions.ts";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { QuernError } from "../../ground/errors.ts";
import { allOf } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import type { OperationContext } from "../../query/operation-context.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { identifyCaller } from "./identify-caller.ts";
import { lowerCased } from "./lower-case-headers.ts";
import { RunningRequest } from "./request-view.ts";

export type CallerPermissions = Pick<OperationContext, "permissions" | "unauthorized">;

export function callerPermissions({ permissionHooks }: ActiveSchema, view: RequestView): MaybePromise<CallerPermissions> {
  if (permissionHooks.length === 0) return everything;
  return run(askPermissions(permissionHooks, view));
}

function* askPermissions(hooks: ActiveSchema["permissionHooks"], view: RequestView): Work<CallerPermissions> {
  try {
    return { permissions: combined(yield* wait(allOf(hooks.map((hook) => hook(view))))) };
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return { unauthorized: thrown };
    throw thrown;
  }
}

/** The permissions of a client outside an operation. Throws, or rejects with, the error that refuses it. */
export function permissionsOf(schema: ActiveSchema, headers: RequestView["headers"]): MaybePromise<Permissions | undefined> {
  return schema.permissionHooks.length === 0 ? undefined : run(permissionsOutside(schema, headers));
}

function* permissionsOutside(schema: ActiveSchema, headers: RequestView["headers"]): Work<Permissions | undefined> {
  const { view, refused } = yield* wait(identifyCaller(schema, new RunningRequest(lowerCased(headers), {})));
  if (refused) throw refused;
  const { permissions, unauthorized } = yield* wait(callerPermissions(schema, view));
  if (unauthorized) throw unauthorized;
  return permissions;
}

const everything: CallerPermissions = Object.freeze({});

/** What all of them permit. The permissions of a single plugin stay the same object, by which results are cached. */
function combined(given: readonly (Permissions | undefined)[]): Permissions | undefined {
  const limits = given.filter((each) => each !== undefined);
  if (limits.length <= 1) return limits[0];
  return {
    mayRead: (name) => limits.every((each) => each.mayRead(name)),
    checkWrites: (written) => {
      for (const each of limits) each.checkWrites(written);
    },
  };
}
