// Login, by password or refresh token.

import { isObject } from "../../../core/plugin.ts";
import { membersOf } from "../wire/answer-parts.ts";
import type { ApiDefinition } from "../wire/api-definition.ts";
import type { LoginRequest, ResponseMessage } from "../wire/messages.ts";
import type { Ask } from "./asking.ts";

/** The tokens lie in `json` as a message of their own. */
export async function login(request: LoginRequest, ask: Ask, { encodeJwt }: Pick<ApiDefinition, "encodeJwt">): Promise<ResponseMessage> {
  const { userid, password, refresh_token, namespace } = request;
  const body = JSON.stringify({ userid, password, refresh_token, namespace: Number(namespace) });
  const { data } = membersOf(await ask({ url: "/login", body }));
  const { accessJWT, refreshJWT } = isObject(data) ? data : {};
  return { json: encodeJwt({ access_jwt: String(accessJWT), refresh_jwt: String(refreshJWT) }) };
}
