// Starts a replica set, prints its address, and holds it until it is killed.

import { startReplicaSet } from "../../support/mongod.ts";

const { nodes, folder } = await startReplicaSet();
console.log(JSON.stringify({ port: nodes[0]?.port, folder }));
setInterval(() => {}, 60_000);
