// The list: what the subscription sends is what is shown. Mutations change the store, and the store changes the list.

import { useMutation, useSubscription } from "@apollo/client/react";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "./field-errors.ts";
import { addTask, deleteDone, liveTasks, setDone, type Task } from "./operations.ts";

export function Tasks({ owner }: { readonly owner: string }) {
  const { data, error } = useSubscription(liveTasks);
  const [remove, removing] = useMutation(deleteDone, { onError: () => undefined });
  const failure = error ?? removing.error;
  const tasks = data?.queryTask ?? [];
  return (
    <>
      <NewTask owner={owner} />
      {failure && <p role="alert">{failure.message}</p>}
      <ul>
        {tasks.map((task) => (
          <Row key={task.id} task={task} />
        ))}
      </ul>
      <footer>
        <span>{data ? `${tasks.filter(({ done }) => !done).length} open` : "Connecting"}</span>
        <button type="button" onClick={() => remove()}>
          Delete what is done
        </button>
      </footer>
    </>
  );
}

function NewTask({ owner }: { readonly owner: string }) {
  const [title, setTitle] = useState("");
  const [add, { error }] = useMutation(addTask, { onError: () => undefined, onCompleted: () => setTitle("") });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add({ variables: { title, owner } });
  };
  const { title: wrongTitle, ...others } = fieldErrors(error);
  const [failure] = Object.values(others);
  return (
    <form onSubmit={submit}>
      <input
        aria-label="New task"
        aria-invalid={wrongTitle !== undefined}
        aria-describedby="title-error"
        placeholder="What is to be done?"
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <button type="submit">Add</button>
      {wrongTitle !== undefined && (
        <p role="alert" id="title-error">
          {wrongTitle}
        </p>
      )}
      {failure !== undefined && <p role="alert">{failure}</p>}
    </form>
  );
}

function Row({ task: { id, title, done } }: { readonly task: Task }) {
  const [set, { error }] = useMutation(setDone, { onError: () => undefined });
  return (
    <li>
      <label>
        <input type="checkbox" checked={done} onChange={() => set({ variables: { id, done: !done } })} />
        <span className={done ? "done" : undefined}>{title}</span>
      </label>
      {error && <p role="alert">{error.message}</p>}
    </li>
  );
}
