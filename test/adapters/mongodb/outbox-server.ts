// A server in a process of its own that writes nodes and delivers events: `outbox-server.ts ADDRESS DATABASE URL NODE...`. It updates its nodes in
// turn, to 1, 2, 3 up to 25, and prints what is committed: `NODE SIZE`. In the end it prints `written`, and goes on to deliver.

import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { createKernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";

const [, , uri = "", database = "", url = "", ...nodes] = process.argv;
const plugins = [identityPlugin(), lambdaPlugin({ url, firstRetryMs: 100, leaseMs: 10_000 })];
const kernel = createKernel({ storage: mongodbStorage({ uri, database, ...layoutOfRun }), plugins, log: { level: "silent" } });
await kernel.open();
for (let size = 1; size <= 25; size++) {
  for (const label of nodes) {
    const query = `mutation { updateHive(input: { filter: { label: { eq: "${label}" } }, set: { size: ${size} } }) { numUids } }`;
    const { errors } = JSON.parse((await kernel.execute({ query })).body);
    if (errors) throw new Error(JSON.stringify(errors));
    console.log(`${label} ${size}`);
  }
}
console.log("written");
setInterval(() => undefined, 60_000);
