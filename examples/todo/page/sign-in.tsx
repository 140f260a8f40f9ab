// Asks for a name, and gets a token for it.

import { type FormEvent, useState } from "react";

export interface Session {
  readonly name: string;
  readonly token: string;
}

export function SignIn({ onSession }: { readonly onSession: (session: Session) => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    tokenFor(name).then(
      (token) => onSession({ name, token }),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <form onSubmit={submit}>
      <h1>Tasks</h1>
      <label>
        Your name <input required value={name} onChange={({ target }) => setName(target.value)} />
      </label>
      <button type="submit">Sign in</button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}

async function tokenFor(name: string): Promise<string> {
  const response = await fetch("/todo/sign-in", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name }) });
  const { token, errors }: { token?: string; errors?: readonly { message: string }[] } = await response.json();
  if (token === undefined) throw new Error(errors?.[0]?.message ?? `The server answers ${response.status}.`);
  return token;
}
