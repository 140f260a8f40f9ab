// Fields that read and replace the deployed schema.

import type { PastDeploy } from "../../../core/index.ts";
import { QuernError } from "../../../core/transport.ts";
import type { ServerParts } from "../parts/server-parts.ts";
import { type AdminArguments, type AdminFields, argumentAt, failed } from "./field.ts";
import { refusedDeploy } from "./schema-endpoint.ts";
import { refusedExtensions, styleOf } from "./schema-errors.ts";

/** There is one schema, hence one id. */
const schemaId = "0x1";

export const schemaFields: AdminFields = {
  getGQLSchema: (_args, server) => deployedSchema(server),

  async deployedSchemas(args, server) {
    const ids = argumentAt(args, "ids");
    const deploys = (await server.kernel.pastDeploys()).filter(({ id }) => !Array.isArray(ids) || ids.includes(String(id)));
    return deploys.slice(0, countIn(args)).map((deploy) => pastSchema(deploy, server));
  },

  async updateGQLSchema(args, server) {
    const text = argumentAt(args, "input", "set", "schema");
    try {
      await server.kernel.deploy(String(text));
    } catch (thrown) {
      const code = thrown instanceof QuernError && thrown.code !== "INTERNAL" ? thrown.code : "OPERATION_FAILED";
      throw failed(refusedDeploy(thrown, server), { code, extensions: refusedExtensions(thrown, styleOf(server)) });
    }
    return { gqlSchema: deployedSchema(server) };
  },
};

function countIn(args: AdminArguments): number {
  const first = argumentAt(args, "first");
  if (typeof first === "number" && first < 0) throw failed("first must be non-negative");
  // As in lists of objects, 0 is no limit.
  return typeof first === "number" && first > 0 ? first : Number.POSITIVE_INFINITY;
}

/** Its text is read only where a request asks for it. */
function pastSchema({ id, at, commit, bytes }: PastDeploy, server: ServerParts) {
  return { id: String(id), deployedAt: at, commit, bytes, schema: () => server.kernel.pastText(id) };
}

/** Null before the first deploy; empty strings after all was dropped. */
function deployedSchema({ kernel: { deployment, schemaUpdateCounter } }: ServerParts) {
  if (deployment) return { id: schemaId, schema: deployment.document, generatedSchema: deployment.api.sdl };
  return schemaUpdateCounter === 0 ? null : { id: schemaId, schema: "", generatedSchema: "" };
}
