// The files of examples/deploy name options, paths and variables that exist, and a proxy accepts them where one is installed.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "../../examples/deploy");
const text = (name: string) => readFileSync(join(folder, name), "utf8");
const program = readFileSync(join(import.meta.dirname, "../../adapters/cli/program.ts"), "utf8");

describe("the files of examples/deploy", () => {
  it.each(["Dockerfile", "compose.yaml", "compose.mongodb.yaml", "quern.service", "quern.config.mts"])(
    "%s sets variables of options that exist",
    (name) => {
      const names = new Set([...text(name).matchAll(/QUERN_([A-Z_]+)/g)].map(([, option = ""]) => option.toLowerCase().replaceAll("_", "-")));
      for (const option of names) if (option !== "admin-token") expect(program, option).toMatch(new RegExp(`--${option} <`));
    },
  );

  it("Dockerfile starts without a shell or npm between, as a user without rights, and asks the probe that exists", () => {
    const file = text("Dockerfile");
    expect(file.match(/^USER .*/gm)).toEqual(["USER node"]);
    expect(file).toMatch(/^ENTRYPOINT \["node", "node_modules\/quern\/dist\/adapters\/cli\/main\.js"\]$/m);
    expect(file.indexOf("USER node")).toBeLessThan(file.indexOf("ENTRYPOINT"));
    expect(file).toContain("/health/ready");
  });

  it("the health check of the Dockerfile fails where no server is", () => {
    const [, program = ""] = /CMD \["node", "-e", "(.*)"\]/.exec(text("Dockerfile")) ?? [];
    const { status } = spawnSync(process.execPath, ["-e", program], { env: { QUERN_PORT: "1" } });
    expect(status).toBe(1);
  });

  it.skipIf(isMissing("caddy", "version", "Caddyfile"))("Caddyfile is accepted by Caddy", () => {
    const { status, stderr } = spawnSync("caddy", ["validate", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], {
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  });

  it.skipIf(isMissing("systemd-analyze", "--version", "quern.service"))("quern.service is accepted by systemd", () => {
    // It asks for the programs that the unit starts: that of this process takes the place of /usr/bin/node.
    const place = mkdtempSync(join(tmpdir(), "quern-systemd-"));
    writeFileSync(join(place, "quern.service"), text("quern.service").replace("/usr/bin/node", process.execPath));
    try {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", join(place, "quern.service")], { encoding: "utf8" });
      expect({ status, about: stderr.split("\n").filter((line) => line.includes("quern.service")) }).toEqual({ status: 0, about: [] });
    } finally {
      rmSync(place, { recursive: true });
    }
  });

  it.skipIf(isMissing("nginx", "-v", "nginx.conf"))("nginx.conf is accepted by nginx", () => {
    const place = mkdtempSync(join(tmpdir(), "quern-nginx-"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${place}/${each};`).join(" ");
    writeFileSync(
      join(place, "nginx.conf"),
      `error_log ${place}/log; pid ${place}/pid; events {} http { access_log off; ${temporary} include ${join(folder, "nginx.conf")}; }`,
    );
    try {
      expect(() => execFileSync("nginx", ["-t", "-c", join(place, "nginx.conf")], { stdio: "pipe" })).not.toThrow();
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

/** Whether a program is not installed here; then the spec says which file it leaves unchecked. */
function isMissing(program: string, argument: string, file: string): boolean {
  if (spawnSync(program, [argument]).status === 0) return false;
  console.info(`Not checked: ${file}. ${program} is not installed on this machine.`);
  return true;
}
