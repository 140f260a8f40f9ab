// quern origins: lists which plugin added or changed each type, field and argument of the API.

import { prepareDeployment } from "../../../core/index.ts";
import { type Origin, originsOf } from "../ground/api-origins.ts";
import { withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { chosenReading, type StackChoice } from "../stack/stack.ts";

export interface OriginsOptions extends StackChoice {
  readonly json?: boolean;
}

export async function origins(file: string, options: OriginsOptions): Promise<void> {
  const schema = await readSchema(file);
  const { plugins, errors } = await chosenReading(options);
  const found = await withSource(schema, async () => {
    prepareDeployment(schema.text, plugins, undefined, errors);
    return originsOf(schema.text, plugins);
  });
  console.log(options.json ? JSON.stringify(found) : found.map((each) => originLines(each, 0).join("\n")).join("\n\n"));
}

/** A type or field, its parts and its hidden parts, each with the plugins responsible. */
function originLines({ name, from, changedBy, parts, hidden }: Origin, depth: number): readonly string[] {
  const maker = typeof from === "string" ? from : from.join(", ");
  const changers = changedBy.length === 0 ? "" : `, changed by ${changedBy.join(", ")}`;
  return [
    line(depth, name, `${maker}${changers}`),
    ...parts.flatMap((part) => originLines(part, depth + 1)),
    ...hidden.map((each) => line(depth + 1, each.name, `hidden by ${each.by.join(", ")}`)),
  ];
}

/** The column where notes start, if the name is not longer. */
const column = 44;

function line(depth: number, name: string, note: string): string {
  return `${`${"  ".repeat(depth)}${name}`.padEnd(column - 2)}  ${note}`;
}
