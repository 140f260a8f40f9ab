// Long work of a running server, seen from the command line: a server that does not come back is not waited for without end.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runServerTask } from "../../adapters/cli/client/server-task.ts";

type State = "Running" | "Success" | "Failed" | "closed";

/** A server that has begun a task and answers each question for its state by the next of `states`; the last one stays. */
async function serverWith(states: readonly State[]): Promise<{ readonly url: string; readonly asked: () => number }> {
  let asked = -1;
  const server = createServer((_, response) => {
    asked++;
    const status = states[Math.min(asked, states.length) - 1];
    response.statusCode = status === "closed" ? 503 : 200;
    const task = asked === 0 ? { taskId: "0x1" } : { status, message: "the message", percent: 50 };
    response.end(JSON.stringify({ data: { task } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const request = { field: "restore", inputType: "RestoreInput", input: { location: "/backups" } };
const run = (url: string) => runServerTask({ url }, request, { everyMs: 1, unanswered: 5 });

describe("a task of a running server", () => {
  it("ends with the server's message", async () => {
    expect(await run((await serverWith(["Running", "Success"])).url)).toBe("the message");
  });

  it("goes on while the store is closed for some questions, again and again", async () => {
    const closed = Array.from({ length: 5 }, (): State => "closed");
    const { url, asked } = await serverWith([...closed, "Running", ...closed, "Success"]);
    expect(await run(url)).toBe("the message");
    expect(asked()).toBe(12);
  });

  it("is given up when the server does not come back, and says what to look at", async () => {
    const { url, asked } = await serverWith(["Running", "closed"]);
    await expect(run(url)).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
      message: `The server at ${url} answers status 503 and does not come back, so the outcome of the restore is unknown`,
      hint: expect.stringContaining("quern check --data"),
    });
    expect(asked()).toBe(7);
  });

  it("fails as the server says", async () => {
    const { url } = await serverWith(["Failed"]);
    await expect(run(url)).rejects.toMatchObject({ code: "OPERATION_FAILED", message: "The server could not finish: the message" });
  });
});
