// All statements of an export, file by file.

import { basename } from "node:path";
import { type Model, QuernError } from "../../../core/plugin.ts";
import type { DataFile, ExportSource } from "./export-folder.ts";
import type { Findings } from "./findings.ts";
import { type LineGroup, linesIn } from "./open-file.ts";
import { parseJsonLine } from "./parse-json-line.ts";
import { nodeLineParser } from "./parse-node-line.ts";
import { parseRdf } from "./parse-rdf.ts";
import { type Statement, UnreadableLine } from "./statement.ts";

export interface ReadingOptions {
  /** Needed for files whose lines are nodes. */
  readonly model?: Model;
  /** Called after each group of lines. `bytes`: of all files, compressed if they are. */
  readonly progress: (bytes: number, total: number) => void;
}

/**
 * The statements in groups. A line in the middle of a file that cannot be read becomes a finding.
 *
 * @throws QuernError when a file is cut off or damaged as a whole
 */
export async function* readStatements(
  { data, key }: ExportSource,
  findings: Findings,
  { model, progress }: ReadingOptions,
): AsyncGenerator<readonly Statement[]> {
  const total = data.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const file of data) {
    const { path, format, bytes } = file;
    const parse = parserOf(file, model);
    let last = "";
    for await (const group of linesIn(path, key)) {
      yield statementsIn(group, { path, parse, findings });
      last = group.lines.findLast((line) => line.trim() !== "") ?? last;
      progress(before + group.bytesRead, total);
    }
    if (format === "json" && last.trim() !== "]") throw cutOff(path, "the array has no end");
    before += bytes;
  }
}

type Parse = (line: string) => Statement | readonly Statement[] | undefined;

function parserOf({ format, type }: DataFile, model: Model | undefined): Parse {
  if (format === "rdf") return parseRdf;
  if (format === "json") return parseJsonLine;
  return nodeLineParser(type ?? "", model ?? { nodeTypes: new Map(), unions: new Map(), enums: new Map() });
}

interface GroupReading {
  readonly path: string;
  readonly parse: Parse;
  readonly findings: Findings;
}

function statementsIn(group: LineGroup, { path, parse, findings }: GroupReading): readonly Statement[] {
  const statements: Statement[] = [];
  for (const [i, line] of group.lines.entries()) {
    try {
      const parsed = parse(line);
      if (parsed === undefined) continue;
      if ("subject" in parsed) statements.push(parsed);
      else statements.push(...parsed);
    } catch (error) {
      if (!(error instanceof UnreadableLine)) throw error;
      // An export ends every line.
      if (!group.complete) throw cutOff(path, `line ${group.first + i} is only half there`);
      findings.add("unreadable", basename(path), { value: `line ${group.first + i}: ${error.message}` });
    }
  }
  return statements;
}

function cutOff(path: string, found: string): QuernError {
  return new QuernError("CONFIG_INVALID", `${path} is cut off: ${found}. Copy it again, or export again.`);
}
