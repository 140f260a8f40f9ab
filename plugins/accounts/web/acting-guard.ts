// What a session may do at `/api/auth` in which an administrator acts as a user: say who it is, become the session of a browser, and end.

import type { BetterAuthPlugin } from "better-auth";
import { type HiddenRows, is } from "../store/hidden-rows.ts";

/** Of the browser that asks, whoever was signed in there. */
const cookiePath = "/act-as/cookie";

const allowed: ReadonlySet<string | undefined> = new Set(["/get-session", "/sign-out", cookiePath]);

export async function actingGuard(rows: HiddenRows): Promise<BetterAuthPlugin> {
  const [{ APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx }, { setSessionCookie }] = await Promise.all([
    import("better-auth/api"),
    import("better-auth/cookies"),
  ]);
  return {
    id: "quern-acting",
    endpoints: {
      actInBrowser: createAuthEndpoint(cookiePath, { method: "POST", requireHeaders: true }, async (context) => {
        const found = await getSessionFromCtx(context, { disableRefresh: true });
        if (!found?.session.actedBy) throw new APIError("FORBIDDEN", { code: "NOT_ACTING", message: "Send the token of a session that acts." });
        const { expiresAt } = found.session;
        await setSessionCookie(context, found, false, { maxAge: Math.floor((expiresAt.getTime() - Date.now()) / 1_000) });
        return context.json({ expiresAt });
      }),
    },
    hooks: {
      before: [
        {
          matcher: ({ path }) => !allowed.has(path),
          handler: createAuthMiddleware(async (context) => {
            const { authCookies, secret } = context.context;
            const cookie = await context.getSignedCookie(authCookies.sessionToken.name, secret);
            const tokens = [cookie, bearerToken(context.headers?.get("authorization"))].filter((each) => typeof each === "string");
            if (tokens.length === 0) return;
            const sessions = await rows.find("session", { where: [is("token", tokens, "in"), is("expiresAt", new Date(), "gt")] });
            if (sessions.some(({ actedBy }) => actedBy !== null))
              throw new APIError("FORBIDDEN", {
                code: "ACTING",
                message: "Who acts as a user changes nothing of its account. End the session first.",
              });
          }),
        },
      ],
    },
  };
}

/** Its signature is not checked: this only refuses. */
function bearerToken(header: string | null | undefined): string | undefined {
  if (!header || !/^bearer /i.test(header)) return undefined;
  const sent = header.slice("bearer ".length).trim();
  return decoded(sent).split(".")[0];
}

/** As better-auth reads it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
