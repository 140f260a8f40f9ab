// quern print: prints the API of a schema file, as SDL.

import { prepareDeployment } from "../../../core/index.ts";
import { withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { chosenPlugins, type StackChoice } from "../stack/stack.ts";

export async function print(file: string, options: StackChoice): Promise<void> {
  const schema = await readSchema(file);
  const { api } = await withSource(schema, async () => prepareDeployment(schema.text, await chosenPlugins(options)));
  process.stdout.write(api.sdl.endsWith("\n") ? api.sdl : `${api.sdl}\n`);
}
