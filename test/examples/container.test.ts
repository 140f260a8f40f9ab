// The container files of examples/deploy without a container: the steps of the Dockerfile run one by one in a folder that stands for the image, and
// the compose files are read as docker compose reads them.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";

const yaml: { parse(text: string, options: { readonly merge: boolean }): Compose } = createRequire(import.meta.url)("yaml");
const project = join(import.meta.dirname, "../..");
const folder = join(project, "examples/deploy");
const text = (name: string) => readFileSync(join(folder, name), "utf8");

interface Step {
  readonly instruction: string;
  readonly rest: string;
}

/** Without comments; a line that a backslash continues is one step. */
function stepsOf(dockerfile: string): readonly Step[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  return lines.flatMap((line) => {
    const [, instruction = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return instruction === "" ? [] : [{ instruction, rest }];
  });
}

/** An image, as a folder. */
class Image {
  readonly root = mkdtempSync(join(tmpdir(), "quern-image-"));
  readonly env: Record<string, string> = {};
  readonly run: string[] = [];
  healthCheck: readonly string[] = [];
  #workdir = "/";

  get workdir(): string {
    return this.path(this.#workdir);
  }

  path(inside: string): string {
    return join(this.root, inside);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** @param from the project, or the image of an earlier stage */
  step({ instruction, rest }: Step, from: (name: string | undefined) => string): void {
    switch (instruction) {
      case "WORKDIR":
        this.#workdir = rest;
        mkdirSync(this.workdir, { recursive: true });
        return;
      case "ENV":
        for (const [, name = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) this.env[name] = value;
        return;
      case "COPY":
        this.#copy(rest, from);
        return;
      case "RUN":
        this.#shell(rest);
        return;
      case "HEALTHCHECK":
        this.healthCheck = JSON.parse(/CMD (\[.*\])$/.exec(rest)?.[1] ?? "[]");
        return;
      case "ENTRYPOINT":
      case "CMD":
        this.run.push(...JSON.parse(rest));
        return;
      default:
        expect(["USER", "VOLUME", "EXPOSE"]).toContain(instruction);
    }
  }

  #copy(rest: string, from: (name: string | undefined) => string): void {
    const [, stage, names = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
    const files = names.split(" ");
    const target = files.pop() ?? "";
    for (const file of files) {
      const to = target === "./" ? join(this.workdir, file) : join(this.workdir, target);
      cpSync(join(from(stage), file), to, { recursive: true, verbatimSymlinks: true });
    }
  }

  /** npm installs from a registry: here the packages of this project take the place. The user of the image is the one that runs this. */
  #shell(command: string): void {
    if (command.startsWith("npm ci --omit=dev --ignore-scripts")) {
      mkdirSync(join(this.workdir, "node_modules"));
      for (const [name, target] of [["quern", project], ...["graphql", "mongodb"].map((each) => [each, join(project, "node_modules", each)])])
        symlinkSync(target ?? "", join(this.workdir, "node_modules", name ?? ""));
      return;
    }
    const here = command.replaceAll(/ (\/\w+)/g, (_, path: string) => ` ${this.path(path)}`);
    execFileSync("sh", ["-e", "-c", here.replace("node:node", `${process.getuid?.()}:${process.getgid?.()}`)], { cwd: this.workdir });
  }
}

/** A project as the comment of the Dockerfile says. */
function newProject(): string {
  const place = mkdtempSync(join(tmpdir(), "quern-project-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  cpSync(folder, place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "type": "module", "dependencies": { "quern": "*", "graphql": "*", "mongodb": "*" } }');
  writeFileSync(join(place, "package-lock.json"), "{}");
  return place;
}

describe("the Dockerfile", () => {
  it("makes an image whose start serves the schema, whose health check finds it, and which ends by SIGTERM", async () => {
    const images = new Map<string | undefined, Image>();
    const source = newProject();
    let image = new Image();
    for (const step of stepsOf(text("Dockerfile"))) {
      if (step.instruction === "FROM") {
        image = new Image();
        images.set(/ AS (\w+)$/.exec(step.rest)?.[1], image);
        onTestFinished(image.remove.bind(image));
      } else image.step(step, (stage) => (stage === undefined ? source : (images.get(stage)?.root ?? "")));
    }
    expect(existsSync(image.path("/data"))).toBe(true);
    expect(readdirSync(image.workdir).sort()).toEqual(["node_modules", "package.json", "quern.config.mts", "schema.graphql"]);
    const env = {
      PATH: process.env.PATH,
      ...image.env,
      QUERN_PORT: String(await freePort()),
      QUERN_DATA: image.path("/data"),
      QUERN_ADMIN_TOKEN: "desk-token-of-more-than-32-characters",
    };
    const [program, ...args] = image.run;
    expect(program).toBe("node");
    const server = spawn(process.execPath, args, { cwd: image.workdir, env, stdio: "ignore" });
    onTestFinished(() => void server.kill("SIGKILL"));
    const [, ...check] = image.healthCheck;
    await eventually(() => expect(spawnSync(process.execPath, check, { env }).status).toBe(0));
    const answer = await fetch(`http://127.0.0.1:${env.QUERN_PORT}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ __schema { queryType { fields { name } } } }" }),
    });
    expect(await answer.text()).toContain("query");
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });
});

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The words of the Compose specification that a service may use here, with what each must be like. */
const words: Readonly<Record<string, (value: unknown) => boolean>> = {
  image: (value) => /^[\w./-]+:[\w.-]+$/.test(String(value)),
  build: (value) => value === "." && existsSync(join(folder, "Dockerfile")),
  environment: (value) => Object.values(value ?? {}).every((each) => typeof each === "string"),
  ports: (value) => strings(value).every((each) => /^127\.0\.0\.1:\d+:8080$/.test(each)),
  volumes: (value) => strings(value).every((each) => /^\w+:\/[\w/]+$/.test(each)),
  depends_on: (value) => Object.values(value ?? {}).every(({ condition }) => condition === "service_healthy"),
  command: (value) => strings(value).length > 0,
  healthcheck: (value) => Object.keys(value ?? {}).every((key) => ["test", "interval", "timeout", "retries", "start_period"].includes(key)),
  stop_grace_period: (value) => /^\d+s$/.test(String(value)),
  restart: (value) => ["no", "always", "on-failure", "unless-stopped"].includes(String(value)),
};

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

describe.each(["compose.yaml", "compose.mongodb.yaml"])("%s", (name) => {
  const file = yaml.parse(text(name), { merge: true });
  const services = Object.entries(file.services);

  it("uses words of the Compose specification, rightly", () => {
    expect(Object.keys(file).filter((key) => !["services", "volumes"].includes(key) && !key.startsWith("x-"))).toEqual([]);
    const wrong = services.flatMap(([service, options]) =>
      Object.entries(options)
        .filter(([word, value]) => !words[word]?.(value))
        .map(([word]) => `${service}.${word}`),
    );
    expect(wrong).toEqual([]);
    for (const [service, { image, build }] of services)
      expect(
        [image, build].filter((each) => each !== undefined),
        service,
      ).toHaveLength(1);
  });

  it("names volumes and services that it has, and waits for services with a health check", () => {
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(":")[0]));
    expect(new Set(mounted)).toEqual(new Set(Object.keys(file.volumes)));
    const awaited = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on));
    expect(awaited.filter((each) => file.services[each]?.healthcheck?.test[0] !== "CMD")).toEqual([]);
  });

  it("keeps the data of its servers: in the volume of the image, or in a database; and demands an admin token", () => {
    const servers = services.filter(([, { build }]) => build !== undefined);
    expect(servers.length).toBeGreaterThan(0);
    for (const [, { environment = {}, volumes = [] }] of servers) {
      expect(environment.QUERN_ADMIN_TOKEN).toMatch(/^\$\{QUERN_ADMIN_TOKEN:\?.+\}$/);
      if (environment.MONGODB_URI === undefined) expect(volumes.map((each) => each.split(":")[1])).toEqual([environment.QUERN_DATA]);
      else expect(Object.keys(file.services)).toContain(new URL(environment.MONGODB_URI).hostname);
    }
  });
});
