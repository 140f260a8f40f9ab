// Starts two servers on one replica set, as `compose.yaml` does without containers. Ends both with Ctrl-C.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const quern = fileURLToPath(new URL("./dist/adapters/cli/main.js", import.meta.resolve("quern/package.json")));
const config = fileURLToPath(new URL("quern.config.ts", import.meta.url));
const [first = "8081", second = "8082"] = process.env.PORTS?.split(",") ?? [];

const servers = [first, second].map((port) =>
  spawn(process.execPath, [quern, "start", "--config", config, "--admin-open", "--port", port], { stdio: "inherit" }),
);
const stopAll = () => servers.map((server) => server.kill("SIGINT"));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopAll);
// Without one of them the example shows nothing.
for (const server of servers)
  server.once("exit", (code) => {
    process.exitCode ||= code ?? 1;
    stopAll();
  });
