// For who has no session: sign-in, sign-up, a new password, the second factor.

import { useEffect, useState } from "react";
import { auth, home, problemOf } from "./auth.ts";
import { Field, Form } from "./form.tsx";

type Step = "in" | "up" | "forgotten" | "factor";

export function SignIn({ notice }: { readonly notice: string }) {
  const [step, setStep] = useState<Step>("in");
  const [said, setSaid] = useState(notice);
  const go = (next: Step) => () => {
    setSaid("");
    setStep(next);
  };
  return (
    <>
      {said && <p role="status">{said}</p>}
      {step === "in" && <Password onFactor={go("factor")} />}
      {step === "up" && <SignUp onSent={setSaid} />}
      {step === "forgotten" && <Forgotten onSent={setSaid} />}
      {step === "factor" && <Factor />}
      <footer>
        {step !== "in" && (
          <button type="button" onClick={go("in")}>
            Sign in
          </button>
        )}
        {step !== "up" && (
          <button type="button" onClick={go("up")}>
            New here
          </button>
        )}
        {step !== "forgotten" && (
          <button type="button" onClick={go("forgotten")}>
            Forgotten password
          </button>
        )}
      </footer>
      <Providers />
    </>
  );
}

function Password({ onFactor }: { readonly onFactor: () => void }) {
  const submit = async (field: (name: string) => string) => {
    const answer = await auth.signIn.email({ email: field("email"), password: field("password") });
    if (answer.data && "twoFactorRedirect" in answer.data) onFactor();
    return problemOf(answer);
  };
  return (
    <Form title="Tasks" submit="Sign in" onSubmit={submit}>
      <Field label="E-mail" name="email" type="email" fills="username" />
      <Field label="Password" name="password" type="password" fills="current-password" />
    </Form>
  );
}

function Factor() {
  const submit = async (field: (name: string) => string) => {
    const code = field("code").replaceAll(" ", "");
    // The app shows six digits; a backup code is longer.
    const answer = /^\d{6}$/.test(code) ? await auth.twoFactor.verifyTotp({ code }) : await auth.twoFactor.verifyBackupCode({ code });
    return problemOf(answer);
  };
  return (
    <Form title="Second factor" submit="Continue" onSubmit={submit}>
      <Field label="Code of your app, or a backup code" name="code" fills="one-time-code" />
    </Form>
  );
}

interface SentProps {
  readonly onSent: (text: string) => void;
}

function SignUp({ onSent }: SentProps) {
  const submit = async (field: (name: string) => string) => {
    const answer = await auth.signUp.email({ name: field("name"), email: field("email"), password: field("password"), callbackURL: home });
    if (!answer.error) onSent("Open the link in the mail that you get.");
    return problemOf(answer);
  };
  return (
    <Form title="New here" submit="Sign up" onSubmit={submit}>
      <Field label="Name" name="name" fills="name" />
      <Field label="E-mail" name="email" type="email" fills="username" />
      <Field label="Password" name="password" type="password" fills="new-password" />
    </Form>
  );
}

function Forgotten({ onSent }: SentProps) {
  const submit = async (field: (name: string) => string) => {
    const answer = await auth.requestPasswordReset({ email: field("email"), redirectTo: home });
    if (!answer.error) onSent("If the e-mail has a user, it gets a mail with a link.");
    return problemOf(answer);
  };
  return (
    <Form title="Forgotten password" submit="Send a link" onSubmit={submit}>
      <Field label="E-mail" name="email" type="email" fills="username" />
    </Form>
  );
}

/** @param token of the link in a mail */
export function NewPassword({ token, onSet }: { readonly token: string; readonly onSet: () => void }) {
  const submit = async (field: (name: string) => string) => {
    const answer = await auth.resetPassword({ token, newPassword: field("password") });
    if (!answer.error) onSet();
    return problemOf(answer);
  };
  return (
    <Form title="A new password" submit="Set it" onSubmit={submit}>
      <Field label="New password" name="password" type="password" fills="new-password" />
    </Form>
  );
}

/** The browser goes there, and comes back signed in. */
function Providers() {
  const [names, setNames] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    fetch("/todo/providers").then(async (response) => setNames(await response.json()), console.warn);
  }, []);
  const signIn = (provider: string) => () =>
    auth.signIn.social({ provider, callbackURL: home, errorCallbackURL: home }).then((answer) => setProblem(problemOf(answer)));
  return (
    <footer>
      {names.map((name) => (
        <button type="button" key={name} onClick={signIn(name)}>
          Sign in by {name}
        </button>
      ))}
      {problem && <p role="alert">{problem}</p>}
    </footer>
  );
}
