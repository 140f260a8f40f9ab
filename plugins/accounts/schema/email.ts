// E-mail addresses as they are stored and compared: two texts that a mailbox or a person would take for one address are one.

/** Without white space around it, in lower case, with characters that only look otherwise replaced (NFKC). */
export function plainEmail(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}
