// The audit of administrators in backups of LevelDB, and in a store that a restore has replaced.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { auditPlugin } from "../../../plugins/audit/index.ts";
import { eventually } from "../../support/eventually.ts";

const headers = { "x-service-authtoken": "desk", "content-type": "application/json" };

it("keeps what a backup has of it, and the restore, which replaces what came after the backup", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quern-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const plugins = [auditPlugin()];
  const kernel = createServerKernel({
    storage: leveldbStorage({ path: join(folder, "data") }),
    plugins,
    admin: { token: "desk" },
    log: { level: "silent" },
  });
  await kernel.open();
  onTestFinished(() => kernel.close());
  const send = async (url: string, body: string, method = "POST") =>
    JSON.parse(String((await kernel.http({ method, url, headers, body: Buffer.from(body), remoteAddress: "192.0.2.7" })).body));
  const admin = (query: string) => send("/admin", JSON.stringify({ query }));
  const texts = async () => (await admin("{ audit { what } }")).data.audit.map(({ what }: { readonly what: string }) => what);
  const at = JSON.stringify(join(folder, "backups"));
  await send("/admin/schema", "type Weir { name: String }");
  await admin(`mutation { backup(input: { destination: ${at} }) { taskId } }`);
  await eventually(async () => expect((await send("/admin/store", "", "GET")).data.tasks).toMatchObject([{ kind: "Backup", status: "Success" }]));
  await send("/admin/draining?enable=false", "");
  expect(await texts()).toContain("ended the draining of the server");
  await admin(`mutation { restore(input: { location: ${at} }) { code } }`);
  await eventually(async () => expect((await texts())[0]).toBe("restored a backup in the place of all data"));
  expect(await texts()).toContain("deployed a schema with 1 type");
  expect(await texts()).not.toContain("ended the draining of the server");
  expect((await admin("{ audit(first: 1) { who from action outcome } }")).data.audit).toEqual([
    { who: "admin token", from: "192.0.2.7", action: "restore", outcome: "done" },
  ]);
});
