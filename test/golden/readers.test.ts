// The recorded answers once more: every query that may leave the kernel's thread is answered as in a read worker.

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryKernel } from "../support/kernel.ts";
import { ReadersHere } from "../support/readers-here.ts";
import { storageName } from "../support/storage.ts";
import { type AnswerFile, Play } from "./answers.ts";
import { exceptionOf } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { recordedStack } from "./recorded-stack.ts";

const folder = goldenPath("answers");
const names = folder === undefined ? [] : readdirSync(folder).filter((each) => /^query-(?!introspection).*\.json$/.test(each));

it.runIf(folder === undefined)("needs the golden cases, which are not here", () => expect(names).toEqual([]));

describe.runIf(storageName === "level")("a read worker answers as recorded", () => {
  it.each(names)("%s", async (fileName) => {
    const file = readGolden<AnswerFile>(join(folder ?? "", fileName));
    const area = basename(fileName, ".json");
    if (exceptionOf(area) !== undefined) return;
    const plugins = recordedStack();
    const readers = new ReadersHere(plugins);
    const { kernel, remove } = await temporaryKernel({ errors: "compatible", plugins, readWorkers: readers });
    try {
      const played = new Play(kernel);
      if (file.schema) await played.deploy(file.schema);
      for (const step of file.setup) await played.run(step);
      const different: string[] = [];
      for (const step of file.cases) {
        const differences = await played.run(step);
        if (step.skip === undefined && exceptionOf(`${area}/${step.name}`) === undefined)
          different.push(...differences.map((each) => `${step.name}: ${each}`));
      }
      expect(different).toEqual([]);
      expect(readers.answered).toBeGreaterThan(0);
    } finally {
      await remove();
    }
  });
});
