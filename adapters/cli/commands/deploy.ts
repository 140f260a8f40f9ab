// quern deploy: hands a schema file to a running server, and says what it puts out of sight.

import { unreachableLines } from "../changes-text.ts";
import { compareWith, deployTo } from "../deploy-answer.ts";
import { readSchema } from "../read-file.ts";

export interface DeployOptions {
  readonly url: string;
}

export async function deploy(file: string, { url }: DeployOptions): Promise<void> {
  const schema = await readSchema(file);
  const { unreachable } = await compareWith(url, schema);
  await deployTo(url, schema);
  console.log(`${file} is deployed.`);
  for (const line of unreachableLines(unreachable)) console.error(line);
}
