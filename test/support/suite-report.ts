// Says before the first spec, and again after the last one, which suites a run leaves out; prints what specs say, such as why one of them cannot run.

import type { UserConsoleLog } from "vitest";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";
import type { Reporter } from "vitest/reporters";
import { howToGetMongod } from "./find-mongod.ts";
import { longest, type Suite, suites } from "./suites.ts";

export class SuiteReport implements Reporter {
  readonly #missing: ReadonlyMap<string, string>;
  #leftOut: readonly string[] = [];

  /** @param missing what a suite needs and this machine lacks, by the suite's name */
  constructor(missing: ReadonlyMap<string, string>) {
    this.#missing = missing;
  }

  onInit(vitest: Vitest): void {
    const chosen = new Set(vitest.projects.map(({ name }) => name));
    this.#leftOut = suitesLeftOut(chosen).map(({ name, what, files }) => `  ${name.padEnd(16)}${String(files.length).padStart(4)} files: ${what}`);
    this.#print();
    for (const [name, reason] of this.#missing) if (chosen.has(name)) console.log(`${name.toUpperCase()} IS SKIPPED: ${reason}`);
  }

  /** What a server under test logs goes to stderr. The default reporter prints that for a spec that fails. */
  onUserConsoleLog({ type, content }: UserConsoleLog): void {
    if (type === "stdout") process.stdout.write(content);
  }

  onTestRunEnd(): void {
    this.#print();
  }

  #print(): void {
    if (this.#leftOut.length > 0)
      console.log(`\nThis run leaves out (npm test and npm run test:more together leave out nothing):\n${this.#leftOut.join("\n")}\n`);
  }
}

/** The suites that are not chosen. Of one that is chosen in part, the other files. */
function suitesLeftOut(chosen: ReadonlySet<string>): readonly Suite[] {
  const out = suites.filter(({ name, partOf }) => !chosen.has(name) && !chosen.has(partOf ?? name));
  return out.map((suite) => {
    const parts = suites.filter(({ name, partOf }) => partOf === suite.name && chosen.has(name));
    return { ...suite, files: suite.files.filter((file) => !parts.some(({ files }) => files.includes(file))) };
  });
}

/** For `SuiteReport`: a suite that cannot run here, and why. */
export const withoutMongod: ReadonlyMap<string, string> = new Map([["mongodb", `there is no mongod. ${howToGetMongod}`]]);

/**
 * Runs one suite after the other: a worker that goes on within a suite keeps the modules that it has loaded. In a suite the specs that take minutes
 * begin first, so that no core waits at the end for one of them; the others by the size of their file.
 */
export class SuiteSequencer extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const place = new Map(suites.map(({ name }, index) => [name, index]));
    const sorted = await super.sort(specs);
    const rank = ({ project, moduleId }: TestSpecification): number =>
      (place.get(project.name) ?? 0) * 2 + (longest.some((file) => moduleId.endsWith(file)) ? 0 : 1);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
