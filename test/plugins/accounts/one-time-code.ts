// The app of a user with a second factor.

import { createOTP } from "@better-auth/utils/otp";

/** @param key as the user gives it to the app, in base 32 */
export async function codeNow(key: string): Promise<string> {
  return await createOTP(decoded(key)).totp();
}

function decoded(text: string): string {
  const bits = [...text].map((each) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(each).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString("latin1");
}
