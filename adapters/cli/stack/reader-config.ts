// The configuration of a read worker of `quern start`: each thread loads it anew.

import type { QuernConfig } from "../../server/index.ts";
import { chosenStack, type StackChoice } from "./stack.ts";

export default function readerConfig(choice: StackChoice): Promise<QuernConfig> {
  return chosenStack(choice);
}
