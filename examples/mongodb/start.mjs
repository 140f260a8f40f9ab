// Starts two servers on one replica set, as `compose.yaml` does without containers. Ends both with Ctrl-C.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
const config = fileURLToPath(new URL("quern.config.ts", import.meta.url));
const [first = "8081", second = "8082"] = process.env.PORTS?.split(",") ?? [];

// In process groups of their own: a terminal sends Ctrl-C to all processes of a group, and this one passes it on.
const servers = [first, second].map((port) =>
  spawn(process.execPath, [quern, "start", "--config", config, "--admin-open", "--port", port], { stdio: "inherit", detached: true }),
);
let isStopping = false;
// Once: a second SIGINT would end a server that finishes its requests.
const stopAll = () => {
  if (isStopping) return;
  isStopping = true;
  for (const server of servers) server.kill("SIGINT");
};
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopAll);
// Without one of them the example shows nothing.
for (const server of servers)
  server.once("exit", (code) => {
    process.exitCode ||= code ?? 1;
    stopAll();
  });
