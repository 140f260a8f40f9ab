// What S3 refuses, and what becomes of it.

import { QuernError } from "../../../core/plugin.ts";
import { textOf } from "./s3-xml.ts";

const reasons: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket",
  InvalidAccessKeyId: "it does not know the access key",
  XAdminUserNotFound: "it does not know the access key",
  SignatureDoesNotMatch: "the secret access key is wrong, or the endpoint is another than the server's own",
  AccessDenied: "the access key may not do this",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
  QuotaExceeded: "there is no room left",
};

/** @throws `STORE_UNAVAILABLE` */
export async function refusedByS3(answer: Response): Promise<never> {
  const text = await answer.text().catch(() => "");
  const code = textOf(text, "Code") ?? "";
  const reason = answer.status === 507 ? "there is no room left" : (reasons[code] ?? `it answers ${answer.status}${code === "" ? "" : ` ${code}`}`);
  const cause = new Error(`S3 answered ${answer.status} ${code} ${textOf(text, "Message") ?? ""}`);
  throw new QuernError("STORE_UNAVAILABLE", `The store of files (s3) cannot be used: ${reason}.`, {
    cause,
    hint: "Operators: see the cause in the log.",
  });
}

/** @throws `STORE_UNAVAILABLE`, or `thrown` if it has a code */
export function unreachable(thrown: unknown): never {
  if (thrown instanceof QuernError) throw thrown;
  throw new QuernError("STORE_UNAVAILABLE", "The store of files (s3) cannot be reached.", {
    cause: thrown,
    hint: "Operators: see the cause in the log.",
  });
}
