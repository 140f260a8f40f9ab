// PyPI's pydgraph, a client of Dgraph over gRPC. `QUERN_TEST_PYTHON` names a Python that has it; otherwise `python3` is tried.

import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { grpcStack } from "./stack.ts";

const python = process.env.QUERN_TEST_PYTHON ?? "python3";
const hasPydgraph = spawnSync(python, ["-c", "import pydgraph"]).status === 0;
if (!hasPydgraph) {
  console.log(
    `The specs of pydgraph are skipped: ${python} is missing or has no pydgraph. Run: pip install pydgraph==25.2.0, or set QUERN_TEST_PYTHON.`,
  );
}

/** What the client has got. Asynchronous, because the server runs in this process. */
async function told(address: string, task: "data" | "login"): Promise<readonly unknown[]> {
  const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, "client_of_python.py"), address, task]);
  return stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

describe.skipIf(!hasPydgraph)("pydgraph", () => {
  it("opens, reads, writes, loses against others, upserts and drops", async () => {
    const { address, stack } = await grpcStack();
    expect(await told(address, "data")).toEqual([
      [{ q: [{ "Sailor.name": "Ann" }] }, []],
      [{ "Sailor.name": "Ann" }],
      "aborted",
      [{ old: [{ "Sailor.votes": 1 }] }, [{ "Sailor.name": "Ann", "Sailor.votes": 5 }]],
      { q: [{ "Sailor.name": "Ann" }] },
      true,
      [{ "Sailor.name": "Ann" }],
      [],
    ]);
    expect(stack.kernel.deployment?.document).toBeUndefined();
  });

  it("opens with a user's name and password, and logs in again by its refresh token", async () => {
    const plugins = [...standardPlugins(), aclPlugin({ secret: "x".repeat(32) })];
    const { address } = await grpcStack(undefined, { config: { plugins } });
    expect(await told(address, "login")).toEqual([[], [], "invalid username or password"]);
  });
});
