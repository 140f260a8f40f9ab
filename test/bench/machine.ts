// What a table of figures has to say of itself: the machine, the versions and the commit.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";

export function measuredOn(): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model.trim() ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`;
  return `${machine}; Node ${process.version}; Quern ${quernVersion()}, ${commit()}; ${new Date().toISOString().slice(0, 10)}`;
}

function quernVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return version;
}

function commit(): string {
  const head = git("rev-parse", "--short", "HEAD");
  if (head === undefined) return "no commit";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? `commit ${head}` : `commit ${head} with changes`;
}

function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: new URL("../..", import.meta.url), encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
