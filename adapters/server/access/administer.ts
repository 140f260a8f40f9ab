// Asks the plugin that controls access, if there is one, whether a caller may use an administrative path.

import {
  type AdminAction,
  andThen,
  type HttpRequest,
  type HttpResponse,
  type MaybePromise,
  QuernError,
  rescued,
  type ServerAccess,
} from "../../../core/plugin.ts";
import { type AdminCode, adminErrors, openAnswer } from "../http/respond.ts";

type Request = Omit<HttpRequest, "body">;

interface Guarded {
  /** Undefined: no plugin controls access. */
  readonly access: ServerAccess | undefined;
}

/** Why the plugin refuses the action; undefined: it allows it, or no plugin controls access. */
export function actionProblem({ access }: Guarded, request: Request, action: AdminAction): MaybePromise<string | undefined> {
  if (access === undefined) return undefined;
  return rescued<string | undefined>(
    () => andThen(access.administer(action, request), () => undefined),
    (thrown) => {
      if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return thrown.message;
      throw thrown;
    },
  );
}

export interface GuardedAction {
  readonly action: AdminAction;
  readonly code: AdminCode;
  /** The message of the refusal, from its reason. Default: the reason. */
  readonly textOf?: (reason: string) => string;
}

/** The answer to a refused action; undefined: it is allowed. */
export function actionRefusal(
  server: Guarded,
  request: Request,
  { action, code, textOf = (reason) => reason }: GuardedAction,
): MaybePromise<HttpResponse | undefined> {
  return andThen(actionProblem(server, request, action), (reason) =>
    reason === undefined ? undefined : openAnswer(adminErrors(code, textOf(reason))),
  );
}
