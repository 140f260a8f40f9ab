// Turns the second factor on and off: one-time passwords of an app.

import { useState } from "react";
import { auth, problemOf } from "./auth.ts";
import { Field, Form } from "./form.tsx";

interface Secrets {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

export function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  const [secrets, setSecrets] = useState<Secrets>();
  const enable = async (field: (name: string) => string) => {
    const answer = await auth.twoFactor.enable({ password: field("password") });
    if (answer.data?.method === "totp") setSecrets(answer.data);
    return problemOf(answer);
  };
  const disable = async (field: (name: string) => string) => problemOf(await auth.twoFactor.disable({ password: field("password") }));
  if (isOn)
    return (
      <Form title="Your second factor is on" submit="Turn it off" onSubmit={disable}>
        <Field label="Password" name="password" type="password" fills="current-password" />
      </Form>
    );
  if (secrets) return <Confirm secrets={secrets} />;
  return (
    <Form title="Second factor" submit="Turn it on" onSubmit={enable}>
      <Field label="Password" name="password" type="password" fills="current-password" />
    </Form>
  );
}

/** It counts once the app has shown its first code. */
function Confirm({ secrets: { totpURI, backupCodes } }: { readonly secrets: Secrets }) {
  const submit = async (field: (name: string) => string) => problemOf(await auth.twoFactor.verifyTotp({ code: field("code").replaceAll(" ", "") }));
  return (
    <Form title="Second factor" submit="Confirm" onSubmit={submit}>
      <p>
        Give this key to an app for one-time passwords: <code data-what="key">{new URL(totpURI).searchParams.get("secret")}</code>
      </p>
      <p>
        Keep these codes for when the app is lost, each counts once: <code data-what="codes">{backupCodes.join(" ")}</code>
      </p>
      <Field label="Code of your app" name="code" fills="one-time-code" />
    </Form>
  );
}
