// Fields that read and replace the deployed schema.

import type { HttpContext } from "../context.ts";
import { type AdminFields, argumentAt, failed } from "./field.ts";
import { refusedDeploy } from "./schema-endpoint.ts";

/** There is one schema, hence one id. */
const schemaId = "0x1";

export const schemaFields: AdminFields = {
  getGQLSchema: (_args, context) => deployedSchema(context),

  async updateGQLSchema(args, context) {
    const text = argumentAt(args, "input", "set", "schema");
    try {
      await context.deploy(String(text));
    } catch (thrown) {
      throw failed(refusedDeploy(thrown, context));
    }
    return { gqlSchema: deployedSchema(context) };
  },
};

/** Null before the first deploy; empty strings after all was dropped. */
function deployedSchema({ deployment, schemaUpdateCounter }: HttpContext) {
  if (deployment) return { id: schemaId, schema: deployment.document, generatedSchema: deployment.api.sdl };
  return schemaUpdateCounter === 0 ? null : { id: schemaId, schema: "", generatedSchema: "" };
}
