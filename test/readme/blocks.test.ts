// Runs every code block of every README and guide: TypeScript as a program, shell commands in order against the server that an earlier command started.
// GraphQL blocks are parsed. `leftOut` lists the commands that are not run, with the reason.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { parse } from "graphql";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type HostedProgram, runInHost, startInHost } from "../support/program-hosts.ts";

const project = join(import.meta.dirname, "../..");
const dist = join(project, "dist");
const cli = join(dist, "adapters/cli/main.js");
/** Loaded before a block that serves: sends a message to the parent process when a server listens. */
const reportListening = `data:text/javascript,${encodeURIComponent(`
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once("listening", () => process.send("listening"));
    return listen.apply(this, args);
  };`)}`;

/** Part of a command, and why the command is not run. */
const leftOut: Readonly<Record<string, string>> = {
  "npm ci && npm start": "CI's first steps and the specs of the examples do it",
  "npm install mongodb": "the package is installed",
  "npm install --save-exact better-auth": "the package is installed",
  "npm install quern": "the specs run the built package",
  "npm test": "this spec is a part of it",
  "npm run test:": "it runs this spec or others beside it",
  "vitest run": "it runs this spec",
};

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

const folder = mkdtempSync(join(tmpdir(), "quern-readme-"));
symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Followed as a whole, with its page in a browser, by a spec of its own. */
const followedElsewhere = "docs/first-hour.md";

/** Other blocks are only shown: `console` for commands that need a cluster or several terminals. */
const runnable: ReadonlySet<string> = new Set(["ts", "graphql", "sh"]);

describe.each(readmes())("%s", (file) => {
  const blocks = blocksOf(readFileSync(join(project, file), "utf8"));
  for (const { language, text, line } of blocks) {
    if (language === "ts") it(`TypeScript at line ${line} runs`, () => runTypeScript(text), 60_000);
    if (language === "graphql") it(`GraphQL at line ${line} can be parsed`, () => void expect(parse(text).definitions.length).toBeGreaterThan(0));
  }
  if (blocks.some(({ language }) => language === "sh")) it("runs its commands in order, without errors", () => runCommands(blocks), 120_000);
});

it("finds the READMEs that contain code", () => {
  expect(readmes().length).toBeGreaterThan(20);
});

/** Those of the project with such blocks, as paths from its root. */
function readmes(): readonly string[] {
  const folders = ["docs", "core", "plugins", "adapters", "examples", "test"];
  const nested = folders.flatMap((each) => readdirSync(join(project, each), { recursive: true, encoding: "utf8" }).map((path) => join(each, path)));
  return ["README.md", ...nested.filter((path) => path.endsWith(".md") && path !== followedElsewhere)].filter((path) =>
    blocksOf(readFileSync(join(project, path), "utf8")).some(({ language }) => runnable.has(language)),
  );
}

function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    line: markdown.slice(0, index).split("\n").length,
  }));
}

/** Runs a program until it exits, or until it listens if its last line starts a server. */
async function runTypeScript(text: string): Promise<void> {
  const place = mkdtempSync(join(folder, "block-"));
  const code = importable(text).replaceAll(/listen\(\d+\)/g, "listen(0)");
  const file = join(place, "block.mjs");
  // Compiled here: a loader in the program would look at every file of the package, which takes longer than the program.
  writeFileSync(file, (await transform(code, { loader: "ts" })).code);
  if (code.trimEnd().endsWith("listen(0);")) return await listens(file, place);
  const ended = await runInHost(file, place);
  expect({ code: ended.code, errors: ended.code === 0 ? "" : ended.err }).toEqual({ code: 0, errors: "" });
}

/** Runs a program until its server listens. */
async function listens(file: string, cwd: string): Promise<void> {
  const child = spawn(process.execPath, ["--import", reportListening, file], { cwd, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const errors = textOf(child.stderr);
  const [outcome] = await Promise.race([once(child, "exit"), once(child, "message")]);
  if (outcome === "listening") await stopped(child);
  else expect({ code: outcome, errors: errors() }).toEqual({ code: 0, errors: "" });
}

/** Runs the blocks of one README in a new folder. A GraphQL block becomes the schema file that a later command names, and a module the file that its comment names. */
async function runCommands(blocks: readonly Block[]): Promise<void> {
  const place = mkdtempSync(join(folder, "commands-"));
  const port = await freePort();
  writeFileSync(join(place, "anything.graphql"), "type Note { text: String }");
  let server: HostedProgram | undefined;
  let schema = "";
  try {
    for (const { language, text } of blocks) {
      if (language === "graphql") schema = text;
      const [, module] = (language === "ts" && /^\/\/ (\S+\.mts)\b/m.exec(text)) || [];
      if (module !== undefined) writeFileSync(join(place, module), importable(text));
      if (language !== "sh") continue;
      for (const command of commandsOf(text)) {
        const reason = Object.entries(leftOut).find(([part]) => command.includes(part))?.[1];
        if (reason !== undefined) {
          console.log(`left out: ${command.split("\n")[0]} (${reason})`);
          continue;
        }
        const [, named] = /(\S+\.graphql)/.exec(command) ?? [];
        if (named !== undefined && !existsSync(join(place, named))) writeFileSync(join(place, named), schema);
        const serves = /^npx quern (start|dev)\b/.test(command);
        if (serves) await stoppedInHost(server);
        if (serves) server = await started(command, place, port);
        server ??= await started("npx quern start --admin-open --schema anything.graphql", place, port);
        if (!serves) await ran(command, place, port);
      }
    }
  } finally {
    await stoppedInHost(server);
  }
}

/** A command goes on over lines that are indented or quoted. */
function commandsOf(text: string): readonly string[] {
  const commands: string[] = [];
  for (const line of text.split("\n")) {
    const open = (commands.at(-1)?.split("'").length ?? 1) % 2 === 0;
    if (open || /^\s+\S/.test(line)) commands.push(`${commands.pop() ?? ""}\n${line}`);
    else if (line.trim() !== "") commands.push(line);
  }
  return commands.map((each) => (each.includes("'") ? each : each.replace(/\s+#.*$/, "")));
}

/** The names of the package as paths into `dist`. */
function importable(text: string): string {
  return text
    .replaceAll('"quern"', JSON.stringify(join(dist, "adapters/server/index.js")))
    .replaceAll(/"quern\/((?:adapters|plugins)\/[\w-]+)"/g, (_, path) => JSON.stringify(join(dist, path, "index.js")))
    .replaceAll('"quern/plugin"', JSON.stringify(join(dist, "plugins/index.js")))
    .replaceAll(/"quern\/(server|storage|transport)"/g, (_, entry) => JSON.stringify(join(dist, `core/${entry}.js`)))
    .replaceAll('"quern/conformance"', JSON.stringify(join(dist, "test/conformance/index.js")));
}

async function started(command: string, place: string, port: number): Promise<HostedProgram> {
  const args = command
    .replace(/^npx quern /, "")
    .split(" ")
    .map((each) => (each.startsWith("examples/") ? join(project, each) : each));
  const program = startInHost(cli, place, ...args, "--port", String(port));
  const { output, ended } = program;
  const failure = ended.then(({ err }) => `ended: ${err}`);
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    if (/https?:\/\/|unix:/.test(output.out)) return program;
    const failed = await Promise.race([failure, pause(20)]);
    if (failed !== undefined) throw new Error(`${command} ${failed}`);
  }
  throw new Error(`${command} prints no address: ${output.out}${output.err}`);
}

async function stoppedInHost(program: HostedProgram | undefined): Promise<void> {
  program?.kill("SIGINT");
  await program?.ended;
}

async function ran(command: string, place: string, port: number): Promise<void> {
  const here = command.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`);
  const [, args] = /^npx quern ([^"'$&;<>|*\\\n]+)$/.exec(here) ?? [];
  const stdout = args === undefined ? await ranInShell(here, place) : await ranInHost(args.trim().split(/\s+/), place);
  if (!command.startsWith("curl")) return;
  // One README shows what is refused.
  if (command.includes("stars: 6")) expect(stdout, command).toContain("must lie between 1 and 5");
  else expect(stdout, command).not.toContain('"errors"');
  expect(stdout, command).toMatch(/[{:]/);
}

async function ranInShell(command: string, cwd: string): Promise<string> {
  const here = command.replace(/^npx quern /, `${JSON.stringify(process.execPath)} ${cli} `);
  return (await promisify(execFile)("bash", ["-c", here], { cwd, timeout: 300_000 })).stdout;
}

/** A command without anything of the shell, in a process that runs many. */
async function ranInHost(args: readonly string[], cwd: string): Promise<string> {
  const { code, out, err } = await runInHost(cli, cwd, ...args);
  expect({ code, errors: code === 0 ? "" : err }, args.join(" ")).toEqual({ code: 0, errors: "" });
  return out;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGINT");
  await once(child, "exit");
}

function textOf(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.on("data", (chunk) => {
    text += chunk;
  });
  return () => text.replaceAll(folder, "");
}
