// Imports an export in a process of its own, which kills itself in the middle of a step. Arguments: the address of the store, the folder of the
// export, the scratch folder, and the `KillPoint` as JSON, or nothing.

import { mkdir } from "node:fs/promises";
import { standardPlugins } from "../../../adapters/cli/stack/standard-plugins.ts";
import { importExport, kernelDestination, openDgraphExport } from "../../../adapters/transfer/index.ts";
import { createKernel, prepareDeployment } from "../../../core/index.ts";
import { storageAt } from "../../support/addressed-storage.ts";

/** `afterMs` behind the progress report number `report` of a step, from 1, SIGKILL ends the process. */
export interface KillPoint {
  /** The beginning of the name of the step. */
  readonly step: string;
  readonly report: number;
  /** 0: at once. Otherwise the step goes on meanwhile. */
  readonly afterMs: number;
}

const [, , address = "", exported = "", scratch = "", killPoint] = process.argv;
const point: KillPoint | undefined = killPoint === undefined ? undefined : JSON.parse(killPoint);

let reports = 0;
function progress(step: string): void {
  if (point === undefined || !step.startsWith(point.step)) return;
  reports += 1;
  if (reports !== point.report) return;
  const kill = () => process.kill(process.pid, "SIGKILL");
  if (point.afterMs === 0) kill();
  else setTimeout(kill, point.afterMs);
}

const kernel = createKernel({ storage: storageAt(address), plugins: standardPlugins(), log: { level: "silent" } });
await kernel.open({ background: false, deferIndexes: true });
const source = await openDgraphExport(exported, undefined);
await mkdir(scratch, { recursive: true });
await importExport({
  source,
  prepared: prepareDeployment(source.schemas.get(0) ?? "", standardPlugins()),
  destination: kernelDestination(kernel, (text, how) => kernel.deploy(text, { ...how, progress: ({ what }) => progress(what) })),
  folder: scratch,
  namespace: 0,
  newUids: false,
  judge: () => undefined,
  progress,
});
await kernel.close();
