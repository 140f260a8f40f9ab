// What guardians of namespace 0 do to other namespaces: they add and delete them, and reset passwords there.

import { type HttpRequest, isObject, QuernError, writeJson } from "../../core/plugin.ts";
import { firstPassword, firstUser } from "./directory.ts";
import { type Ask, adminTokenOf, answerIn, type Namespaces } from "./namespaces.ts";
import { passwordProblem } from "./passwords.ts";
import { guardians } from "./rights.ts";
import type { Tokens } from "./token-pairs.ts";
import { unfitPassword, unknownUser } from "./user-changes.ts";

interface PasswordChange {
  readonly user: string;
  readonly password: string;
}

type Request = Pick<HttpRequest, "headers" | "remoteAddress">;

export class Tenants {
  readonly #namespaces: Namespaces;
  readonly #tokens: Tokens;

  constructor(namespaces: Namespaces, tokens: Tokens) {
    this.#namespaces = namespaces;
    this.#tokens = tokens;
  }

  /** @param password of its first user */
  async add(password: string, request: Request): Promise<number> {
    const problem = passwordProblem(password);
    if (problem !== undefined) throw new QuernError("VALUE_INVALID", problem);
    return await this.#namespaces.add(async (ask, namespace) => {
      if (password !== firstPassword) await this.#change({ user: firstUser, password }, { ask, namespace, request });
    });
  }

  async delete(namespace: number): Promise<boolean> {
    return await this.#namespaces.delete(namespace);
  }

  async setPassword(namespace: number, change: PasswordChange, request: Request): Promise<void> {
    if (!this.#namespaces.has(namespace)) throw unknownUser();
    const problem = passwordProblem(change.password);
    if (problem !== undefined) throw unfitPassword(change.user, namespace, problem);
    await this.#change(change, { ask: (each) => this.#namespaces.ask(namespace, each), namespace, request });
  }

  /** As a guardian of that namespace. */
  async #change({ user, password }: PasswordChange, { ask, namespace, request }: Place): Promise<void> {
    const { accessJWT } = await this.#tokens.issue({ user: firstUser, groups: [guardians], namespace });
    const { headers, remoteAddress } = request;
    const answer = await ask({
      method: "POST",
      url: "/admin",
      headers: { ...adminTokenOf(headers), "x-service-accesstoken": accessJWT, "content-type": "application/json" },
      body: Buffer.from(writeJson({ query: passwordMutation, variables: { user, password } })),
      ...(remoteAddress !== undefined && { remoteAddress }),
    });
    if (changedUsers(String(answer.body)).length === 0) throw unknownUser();
  }
}

interface Place {
  readonly ask: Ask;
  readonly namespace: number;
  readonly request: Request;
}

const passwordMutation =
  "mutation ($user: String!, $password: String!) { updateUser(input: { filter: { name: { eq: $user } }, set: { password: $password } }) { user { name } } }";

function changedUsers(text: string): readonly unknown[] {
  const { data } = answerIn(text);
  const { updateUser } = isObject(data) ? data : {};
  const { user } = isObject(updateUser) ? updateUser : {};
  return Array.isArray(user) ? user : [];
}
