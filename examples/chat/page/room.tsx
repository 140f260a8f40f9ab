// The messages of a room: what the subscription sends is what is shown.

import { type FormEvent, useState } from "react";
import { useMutation, useSubscription } from "urql";
import { addMessage, liveMessages } from "./operations.ts";

export function Room({ room, author }: { readonly room: string; readonly author: string }) {
  const [{ data, error }] = useSubscription({ query: liveMessages, variables: { room } });
  const [sending, send] = useMutation(addMessage);
  const [text, setText] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await send({ room, author, text });
    if (!result.error) setText("");
  };
  const failure = error ?? sending.error;
  return (
    <>
      <form onSubmit={submit}>
        <input aria-label="Message" placeholder={`To ${room}`} value={text} onChange={({ target }) => setText(target.value)} />
        <button type="submit" disabled={author === "" || text === ""}>
          Send
        </button>
      </form>
      {failure && <p role="alert">{failure.message}</p>}
      <p>{data ? `${data.queryMessage.length} messages` : "Connecting"}</p>
      <ol>
        {data?.queryMessage.map((message) => (
          <li key={message.id}>
            <b>{message.author}</b> {message.text} <time dateTime={message.sent}>{new Date(message.sent).toLocaleTimeString()}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
