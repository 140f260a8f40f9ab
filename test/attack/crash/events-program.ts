// A server that commits mutations with events and is killed before it delivers them: `events-program.ts FOLDER URL COUNT`. Prints `committed`.

import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";

const [path = "", url = "", count = "0"] = process.argv.slice(2);
const plugins = [identityPlugin(), lambdaPlugin({ url })];
const kernel = createKernel({ storage: leveldbStorage({ path }), plugins, log: { level: "silent" } });
await kernel.open();
await kernel.deploy('type Hive @lambdaOnMutate(add: true) @webhook(url: "http://127.0.0.1:1/", on: [DELETE]) { label: String! @id }');
for (let i = 0; i < Number(count); i++) {
  await kernel.execute({ query: "mutation ($label: String!) { addHive(input: [{ label: $label }]) { numUids } }", variables: { label: `h${i}` } });
}
console.log("committed");
