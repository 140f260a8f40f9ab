// Sends mails by SMTP, with nodemailer. It is imported when the first mail is sent.

import { QuernError } from "../../../core/plugin.ts";
import { assertInstalled } from "../ground/optional-package.ts";
import type { Mail } from "./mail.ts";

/** Options of `smtpMailer`. */
export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** The sender: `Tasks <tasks@example.org>`. */
  readonly from: string;
}

/**
 * For the option `sendMail`. A mail that cannot be sent is logged.
 *
 * @throws QuernError `CONFIG_INVALID`
 */
export function smtpMailer({ url, from }: SmtpMailerOptions): (mail: Mail) => Promise<void> {
  if (!/^smtps?:\/\//.test(url) || !URL.canParse(url)) {
    throw new QuernError("CONFIG_INVALID", "The address of the mail server must begin with smtp:// or smtps://: smtp://user:password@host:587");
  }
  assertInstalled("nodemailer", "npm install nodemailer");
  return async ({ to, subject, text }) => {
    const { createTransport } = await import("nodemailer");
    const transport = createTransport(url);
    try {
      await transport.sendMail({ from, to, subject, text });
    } finally {
      transport.close();
    }
  };
}
