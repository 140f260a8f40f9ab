// What is shown of something long where standard error is no terminal: few lines, each once, the last one always.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createProgress, showSteps } from "../../adapters/cli/ground/progress.ts";

let written: string;

beforeEach(() => {
  written = "";
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += text;
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("progress of short work is its last line", () => {
  const progress = createProgress("file: nodes");
  progress.update(5, 10, "1 lines");
  progress.update(10, 10, "2 lines");
  progress.stop();
  progress.stop();
  expect(written).toBe("file: nodes 100% 2 lines\n");
});

it("progress of long work is a line every two seconds, never the same twice", () => {
  const progress = createProgress("file");
  for (let done = 0; done < 10; done++) {
    vi.advanceTimersByTime(999);
    progress.update(done, 10, `${done} lines`);
  }
  vi.advanceTimersByTime(60_000);
  progress.stop();
  expect(written).toBe("file 20% 2 lines\nfile 50% 5 lines\nfile 80% 8 lines\nfile 90% 9 lines\n");
});

it("progress without updates prints nothing", () => {
  const steps = showSteps();
  createProgress("file").stop();
  steps.progress({ what: "types", done: 0, total: 0 });
  steps.stop();
  expect(written).toBe("");
});

it("each step ends with its last line; steps of unknown length print one line every two seconds", () => {
  const steps = showSteps();
  steps.progress({ what: "nodes", done: 256, total: 300 });
  for (const done of [1, 2, 3]) {
    vi.advanceTimersByTime(1_000);
    steps.progress({ what: `index ${done}`, done: done * 1_000, total: 0 });
  }
  steps.stop();
  expect(written).toBe("nodes 85% 256 of 300\nindex 2: 2,000\n");
});
