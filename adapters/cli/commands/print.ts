// quern print: prints the API of a schema file, as SDL.

import { withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { preparedSchema, type StackChoice } from "../stack/stack.ts";

export async function print(file: string, options: StackChoice): Promise<void> {
  const schema = await readSchema(file);
  const { api } = await withSource(schema, () => preparedSchema(schema.text, options));
  process.stdout.write(api.sdl.endsWith("\n") ? api.sdl : `${api.sdl}\n`);
}
