// The messages of a room: what the subscription sends is what is shown.

import { type FormEvent, useState } from "react";
import { useMutation, useSubscription } from "urql";
import { addMessage, liveMessages, type Message } from "./operations.ts";
import { upload } from "./upload.ts";

interface RoomProps {
  readonly room: string;
  readonly author: string;
}

export function Room({ room, author }: RoomProps) {
  const [{ data, error }] = useSubscription({ query: liveMessages, variables: { room } });
  return (
    <>
      <NewMessage room={room} author={author} />
      {error && <p role="alert">{error.message}</p>}
      <p>{data ? `${data.queryMessage.length} messages` : "Connecting"}</p>
      <ol>
        {data?.queryMessage.map((message) => (
          <Line key={message.id} message={message} />
        ))}
      </ol>
    </>
  );
}

function NewMessage({ room, author }: RoomProps) {
  const [, send] = useMutation(addMessage);
  const [text, setText] = useState("");
  const [picture, setPicture] = useState<File>();
  const [problem, setProblem] = useState("");
  // A picker of files is emptied by another one in its place.
  const [sent, setSent] = useState(0);
  const say = async () => {
    const taken = picture && { upload: await upload(picture) };
    const { error } = await send({ room, author, text: text || (picture?.name ?? ""), picture: taken });
    if (error) throw error.graphQLErrors[0] ?? error;
    setText("");
    setPicture(undefined);
    setSent(sent + 1);
    return "";
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    say().then(setProblem, (error: Error) => setProblem(error.message));
  };
  return (
    <>
      <form onSubmit={submit}>
        <input aria-label="Message" placeholder={`To ${room}`} value={text} onChange={({ target }) => setText(target.value)} />
        <input key={sent} type="file" aria-label="Picture" accept="image/*" onChange={({ target }) => setPicture(target.files?.[0])} />
        <button type="submit" disabled={author === "" || (text === "" && picture === undefined)}>
          Send
        </button>
      </form>
      {problem && <p role="alert">{problem}</p>}
    </>
  );
}

function Line({ message: { author, text, sent, picture } }: { readonly message: Message }) {
  return (
    <li>
      <b>{author}</b> {text} <time dateTime={sent}>{new Date(sent).toLocaleTimeString()}</time>
      {picture && <img src={picture.url} alt={picture.name ?? text} width={picture.width ?? undefined} height={picture.height ?? undefined} />}
    </li>
  );
}
