import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, onTestFinished } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { examples } from "../../support/properties.ts";
import { keepsTransactionsWhole } from "./killed-bank.ts";

const rounds = examples(10);

it(`keeps each transaction whole, ${rounds} times on one store`, async () => {
  const path = mkdtempSync(join(tmpdir(), "quern-constraints-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  await keepsTransactionsWhole({ place: [path], storage: () => leveldbStorage({ path }), rounds });
}, 600_000);
