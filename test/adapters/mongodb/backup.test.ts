// A database is backed up by an export with checksums, which is restored to an empty database, or to a folder of LevelDB.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import {
  importExport,
  kernelDestination,
  makeBackup,
  makeFolder,
  openOwnExport,
  readManifest,
  restoreBackup,
  verifyBackups,
} from "../../../adapters/transfer/index.ts";
import { prepareDeployment } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { ask, temporaryFolder } from "../transfer/small-exports.ts";

const schema = `
  type Boat { tag: String! @id  big: Int64  made: DateTime  port: Port  crew: [String] }
  type BoatShow { tag: String! @id }
  type Port { code: String! @id  boats: [Boat] @hasInverse(field: port) }`;
const everything = `{
  queryBoat(order: { asc: tag }) { tag big made crew port { code } }
  queryBoatShow { tag }
  queryPort(order: { asc: code }) { code boats(order: { asc: tag }) { tag } }
}`;

let source: TemporaryKernel;
let target: TemporaryKernel;
beforeEach(async () => {
  [source, target] = await Promise.all([temporaryKernel({ admin: { open: "loopback" } }), temporaryKernel()]);
  await source.kernel.deploy(schema);
  await ask(
    source,
    `mutation {
      addBoat(input: [
        { tag: "a", big: 9007199254740993, made: "2031-04-09T06:00:00.5+02:00", crew: ["Ann", "Ann", ""], port: { code: "Kiel" } }
        { tag: "ü\\n", port: { code: "Kiel" } }
        { tag: " " }
      ]) { numUids }
      addBoatShow(input: [{ tag: "a" }]) { numUids }
    }`,
  );
});
afterEach(async () => {
  await source.remove();
  await target.remove();
});

it("restores a backup to another database with every value and link, and new nodes get uids above", async () => {
  const before = await ask(source, everything);
  const { storage, deployment } = source.kernel;
  const folder = temporaryFolder();
  const backup = await makeBackup({ storage, deployment, folder, full: false });
  expect([backup.content, backup.type, backup.backupNum]).toEqual(["export", "full", 1]);
  await ask(source, 'mutation { addBoat(input: [{ tag: "later" }]) { numUids } }');
  expect(await verifyBackups(folder, await readManifest(folder))).toEqual([]);

  const restored = join(temporaryFolder(), "restored");
  await restoreBackup({ folder, backup, target: restored });
  const exported = await openOwnExport(restored);
  const scratch = join(temporaryFolder(), "scratch");
  await makeFolder(scratch);
  const outcome = await importExport({
    source: exported,
    prepared: prepareDeployment(exported.schemas.get(0) ?? "", standardPlugins()),
    destination: kernelDestination(target.kernel, (text, how) => target.kernel.deploy(text, how)),
    folder: scratch,
    namespace: 0,
    newUids: false,
    judge: () => undefined,
    progress: () => undefined,
  });
  expect(outcome.stored).toEqual({ Boat: 3, BoatShow: 1, Port: 1 });
  expect(await ask(target, everything)).toEqual(before);
  expect((await target.kernel.storage.verify()).faults).toEqual([]);
  expect(await ask(target, 'mutation { addBoat(input: [{ tag: "new" }]) { numUids } }')).toEqual({ addBoat: { numUids: 1 } });
});

it("refuses to restore a backup when a file has changed", async () => {
  const { storage, deployment } = source.kernel;
  const folder = temporaryFolder();
  const backup = await makeBackup({ storage, deployment, folder, full: false });
  appendFileSync(join(folder, backup.path, "Boat.ndjson.gz"), "x");
  expect((await verifyBackups(folder, [backup])).map(({ file }) => file)).toEqual([join(backup.path, "Boat.ndjson.gz")]);
  const restored = join(temporaryFolder(), "restored");
  await expect(restoreBackup({ folder, backup, target: restored })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

it("refuses to restore into the servers that share the database: the error names the command for an empty one", async () => {
  const { kernel } = source;
  const { storage, deployment } = kernel;
  const folder = temporaryFolder();
  await makeBackup({ storage, deployment, folder, full: false });
  const { body } = await kernel.http({
    method: "POST",
    url: "/admin",
    headers: { "content-type": "application/graphql", host: "localhost" },
    body: Buffer.from(`mutation { restore(input: { location: ${JSON.stringify(folder)} }) { code } }`),
    remoteAddress: "127.0.0.1",
  });
  const { data, errors } = JSON.parse(Buffer.from(body).toString());
  expect(data).toEqual({ restore: { code: "Failure" } });
  expect(errors[0].message).toContain(`Run: quern restore ${folder} --config <file of an empty database>`);
});
