// Cases that are known to fail, each with the issue that will mend it. One that passes fails the run.

import { readFileSync } from "node:fs";
import { expect } from "vitest";

export interface Exception {
  /** `file/case`; or `file`, when its schema cannot be deployed yet. */
  readonly case: string;
  readonly reason: string;
  readonly issue: number;
}

const exceptions: readonly Exception[] = JSON.parse(readFileSync(new URL("./exceptions.json", import.meta.url), "utf8"));

export function exceptionOf(name: string): Exception | undefined {
  return exceptions.find((each) => each.case === name);
}

/** Exceptions of `area` (a prefix) whose case is in no file. */
export function unknownExceptions(area: string, known: ReadonlySet<string>): readonly string[] {
  return exceptions.map((each) => each.case).filter((each) => each.startsWith(area) && !known.has(each));
}

/** What became of the cases of one run. */
export class Tally {
  passed = 0;
  failed = 0;
  readonly excepted: Exception[] = [];
  readonly skipped: string[] = [];

  /** Fails the test unless `differences` is empty, or not empty for an exception. */
  judge(name: string, differences: readonly string[]): void {
    const exception = exceptionOf(name);
    if (exception !== undefined) {
      this.excepted.push(exception);
      expect(differences, `${name} passes: take it out of exceptions.json`).not.toEqual([]);
    } else {
      if (differences.length === 0) this.passed += 1;
      else this.failed += 1;
      expect(differences, name).toEqual([]);
    }
  }

  print(title: string): void {
    const { passed, failed, excepted, skipped } = this;
    const total = passed + failed + excepted.length;
    console.log(`${title}: ${total} ran, ${passed} passed, ${failed} failed, ${excepted.length} excepted; ${skipped.length} not to be compared`);
    for (const each of excepted) console.log(`  excepted: ${each.case} (issue ${each.issue}): ${each.reason}`);
  }
}
