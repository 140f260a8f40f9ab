// What users get by mail.

/** A letter to a user. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text, with the link. */
  readonly text: string;
  /** Why it is sent. */
  readonly kind: MailKind;
}

/** Why a mail is sent: an e-mail is to be confirmed, a password set, an e-mail changed; or somebody signs up with an e-mail that has a user. */
export type MailKind = "verify" | "reset" | "change-email" | "existing";
