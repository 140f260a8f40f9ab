// A server whose plugins that ask other services have the options of `CUSTOM` and `LAMBDA`, as JSON.

import { standardPlugins, standardStack } from "quern/adapters/cli";
import { customPlugin } from "quern/plugins/custom";
import { lambdaPlugin } from "quern/plugins/lambda";

const { CUSTOM = "{}", LAMBDA = "{}" } = process.env;
const own = [customPlugin(JSON.parse(CUSTOM)), lambdaPlugin(JSON.parse(LAMBDA))];

export default { ...standardStack(), plugins: standardPlugins().map((plugin) => own.find(({ name }) => name === plugin.name) ?? plugin) };
