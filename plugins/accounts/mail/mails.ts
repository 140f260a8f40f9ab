// What is sent to users, and which ways of better-auth there are without a mailer.

import type { BetterAuthOptions } from "better-auth";
import type { AccountType } from "../schema/account-type.ts";
import type { Mail, MailKind } from "./mail.ts";

/** The options of better-auth that send mails. */
export interface Mailing {
  readonly emailAndPassword: (account: Pick<AccountType, "signUp">) => NonNullable<BetterAuthOptions["emailAndPassword"]>;
  readonly emailVerification: NonNullable<BetterAuthOptions["emailVerification"]>;
  readonly user: NonNullable<BetterAuthOptions["user"]>;
}

interface MailingOptions {
  readonly emailAndPassword?: Partial<NonNullable<BetterAuthOptions["emailAndPassword"]>> | false | undefined;
}

type Send = (mail: Mail) => Promise<void>;

/** @param send undefined: nobody sends */
export function mailing({ emailAndPassword = {} }: MailingOptions, send: Send | undefined): Mailing {
  const letter = (kind: MailKind) => async (to: string, link: string) =>
    await send?.({ to, kind, subject: subjects[kind], text: textOf(kind, link) });
  const [verify, reset, change, existing] = [letter("verify"), letter("reset"), letter("change-email"), letter("existing")];
  return {
    emailAndPassword: ({ signUp }) => {
      if (emailAndPassword === false) return { enabled: false };
      return {
        enabled: true,
        disableSignUp: !signUp,
        requireEmailVerification: send !== undefined,
        // One who is signed in by signing up learns whether the e-mail is known.
        autoSignIn: false,
        revokeSessionsOnPasswordReset: true,
        ...(send && {
          sendResetPassword: ({ user, url }) => reset(user.email, url),
          onExistingUserSignUp: ({ user }) => existing(user.email, ""),
        }),
        ...emailAndPassword,
      };
    },
    emailVerification: send
      ? {
          sendOnSignUp: true,
          sendOnSignIn: true,
          autoSignInAfterVerification: true,
          sendVerificationEmail: ({ user, url }) => verify(user.email, url),
        }
      : {},
    user: {
      changeEmail: send ? { enabled: true, sendChangeEmailConfirmation: ({ user, url }) => change(user.email, url) } : { enabled: false },
      deleteUser: { enabled: true },
    },
  };
}

const subjects: Readonly<Record<MailKind, string>> = {
  verify: "Confirm your e-mail address",
  reset: "Set a new password",
  "change-email": "Confirm your new e-mail address",
  existing: "Your account",
};

const texts: Readonly<Record<MailKind, string>> = {
  verify: "Open this link to confirm your e-mail address:",
  reset: "Open this link to set a new password. If you have not asked for it, do nothing:",
  "change-email": "Open this link to confirm that your e-mail address changes. If you have not asked for it, change your password:",
  existing: "Somebody has tried to sign up with your e-mail address, and you have an account already. Sign in, or ask for a new password.",
};

function textOf(kind: MailKind, link: string): string {
  return link === "" ? `${texts[kind]}\n` : `${texts[kind]}\n\n${link}\n`;
}
