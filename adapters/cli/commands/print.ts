// quern print: the API that a schema file would get, as SDL.

import { prepareDeployment } from "../../../core/index.ts";
import { about } from "../failure.ts";
import { readSchema } from "../read-file.ts";
import { chosenPlugins, type StackChoice } from "../stack.ts";

export async function print(file: string, options: StackChoice): Promise<void> {
  const schema = await readSchema(file);
  const { api } = await about(schema, async () => prepareDeployment(schema.text, await chosenPlugins(options)));
  process.stdout.write(api.sdl.endsWith("\n") ? api.sdl : `${api.sdl}\n`);
}
