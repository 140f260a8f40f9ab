// A server whose functions are a module in the working folder.

import { standardPlugins, standardStack } from "quern/adapters/cli";
import { lambdaPlugin } from "quern/plugins/lambda";

const lambda = lambdaPlugin({
  environment: ["STUCK_MS", "QUERN_TEST_ABSENT"],
  functions: "./functions.ts",
  workerMemoryMb: 48,
  workerStuckMs: Number(process.env.STUCK_MS),
});

export default { ...standardStack(), plugins: [...standardPlugins().filter(({ name }) => name !== "lambda"), lambda] };
