// quern token: prints a token for development, signed with the secret of the schema.

import { prepareDeployment, QuernError } from "../../../core/index.ts";
import type { DirectivePlugin, SettingLine } from "../../../core/plugin.ts";
import { developmentToken, readClaims } from "../../../plugins/auth/index.ts";
import { type SchemaText, withSource } from "../ground/failure.ts";
import { readSchema } from "../ground/read-file.ts";
import { chosenPlugins, type StackChoice } from "../stack/stack.ts";

export interface TokenCommandOptions extends StackChoice {
  /** A JSON object. */
  readonly claims: string;
  /** A path. */
  readonly schema: string;
  /** Such as `8h`. */
  readonly expires: string;
  readonly json?: boolean;
}

/** Prints the token alone, or with the name of its header. */
export async function token(options: TokenCommandOptions): Promise<void> {
  const claims = readClaims(options.claims);
  if (claims === undefined)
    throw new QuernError("CONFIG_INVALID", `--claims is no JSON object: ${options.claims.slice(0, 100)}. Write it as '{"USER": "ada"}'.`);
  const schema = await readSchema(options.schema);
  const plugins = await chosenPlugins(options);
  const made = await withSource(schema, () => developmentToken(authorizationLines(schema, plugins), claims, options.expires));
  console.log(options.json ? JSON.stringify(made) : made.token);
}

/** The lines as the deploy reads them: a plugin that reads the same keyword gets them too. */
function authorizationLines({ text }: SchemaText, plugins: readonly DirectivePlugin[]): readonly SettingLine[] {
  let lines: readonly SettingLine[] = [];
  const reader: DirectivePlugin = {
    name: "quern-token",
    definitions: "",
    settings: ["Authorization"],
    checkSettings: (settings) => {
      lines = settings("Authorization");
    },
    model: () => undefined,
  };
  prepareDeployment(text, [...plugins, reader]);
  return lines;
}
