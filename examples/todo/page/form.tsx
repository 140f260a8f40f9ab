// A form that says what went wrong, and what to do next.

import { type FormEvent, type ReactNode, useState } from "react";

interface FormProps {
  readonly title: string;
  readonly submit: string;
  /** Returns what went wrong; empty: nothing. */
  readonly onSubmit: (field: (name: string) => string) => Promise<string>;
  readonly children: ReactNode;
}

export function Form({ title, submit, onSubmit, children }: FormProps) {
  const [problem, setProblem] = useState("");
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    onSubmit((name) => String(data.get(name) ?? "")).then(setProblem, (error: Error) => setProblem(error.message));
  };
  return (
    <form className="column" onSubmit={send}>
      <h1>{title}</h1>
      {children}
      <button type="submit">{submit}</button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "email" | "password";
  /** What a password manager and the browser fill in. */
  readonly fills?: string;
}

export function Field({ label, name, type = "text", fills = "off" }: FieldProps) {
  return (
    <label>
      {label} <input name={name} type={type} autoComplete={fills} required />
    </label>
  );
}
