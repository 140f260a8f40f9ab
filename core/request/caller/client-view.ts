// The view from which a path of a plugin answers a client outside rules.

import type { RequestView } from "../../contracts/plugin/request-view.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import { narrowsEverywhere, type ViewContext, viewOutsideRules } from "../../query/access/answer-views.ts";
import type { ActiveSchema } from "../documents/active-schema.ts";
import { callerPermissions } from "./caller-permissions.ts";
import { identifyCaller } from "./identify-caller.ts";
import { RunningRequest } from "./request-view.ts";

export interface ClientView extends Pick<ViewContext, "log" | "budget"> {
  readonly snapshot: Snapshot;
  readonly headers: RequestView["headers"];
}

/** Throws, or rejects with, the error that refuses the client. `snapshot` itself where it shows what the client gets. */
export function clientView(schema: ActiveSchema, client: ClientView): MaybePromise<Snapshot> {
  const { deployment } = schema;
  if (!deployment.api.shown && !narrowsEverywhere(deployment)) return client.snapshot;
  return run(viewOf(schema, client), client.budget);
}

function* viewOf(schema: ActiveSchema, { snapshot, headers, log, budget }: ClientView): Work<Snapshot> {
  const { deployment } = schema;
  const { view, refused } = yield* wait(identifyCaller(schema, new RunningRequest(headers, {})));
  const { permissions, unauthorized } = yield* wait(callerPermissions(schema, view));
  if (unauthorized) throw unauthorized;
  return yield* wait(viewOutsideRules(snapshot, { deployment, request: view, refused, permissions, log, budget }));
}
