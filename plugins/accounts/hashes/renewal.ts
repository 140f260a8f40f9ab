// What better-auth does with passwords whose hashes others have made: it checks them, and hashes them anew when their user has signed in.

import type { BetterAuthOptions } from "better-auth";
import type { KernelAccess } from "../../../core/plugin.ts";
import { type HiddenRows, is } from "../store/hidden-rows.ts";
import { foreignHash } from "./foreign-hash.ts";

type Passwords = NonNullable<NonNullable<BetterAuthOptions["emailAndPassword"]>["password"]>;
type Verify = NonNullable<Passwords["verify"]>;

/** @param own checks hashes that are better-auth's, or the application's */
export function withForeignHashes(passwords: Passwords | undefined, own: Verify): Passwords {
  const verify = passwords?.verify ?? own;
  return { ...passwords, verify: async (given) => await (foreignHash(given.hash)?.fits(given.password) ?? verify(given)) };
}

export interface SignedInBy {
  readonly userId: string;
  readonly password: string;
  readonly hash: (password: string) => Promise<string>;
}

/** Unless the password has been changed meanwhile. What fails here is tried again at the next sign-in. */
export async function renewHash(rows: HiddenRows, log: KernelAccess["log"], { userId, password, hash }: SignedInBy): Promise<void> {
  const ofUser = [is("userId", userId), is("providerId", "credential")];
  try {
    const [account] = await rows.find("account", { where: ofUser });
    const old = account?.password;
    if (typeof old !== "string" || foreignHash(old) === undefined) return;
    const renewed = await hash(password);
    await rows.update("account", [...ofUser, is("password", old)], () => ({ password: renewed }), "one");
  } catch (thrown) {
    log.fault(thrown);
  }
}
