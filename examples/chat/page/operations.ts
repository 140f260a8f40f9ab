// What the page asks of the API.

import { gql, type TypedDocumentNode } from "urql";

export interface Picture {
  readonly url: string;
  readonly name: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

export interface Message {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly sent: string;
  readonly picture: Picture | null;
}

/** A live query: the newest messages of one room, again after each commit that changes them. */
export const liveMessages: TypedDocumentNode<{ queryMessage: readonly Message[] }, { room: string }> = gql`
  subscription ($room: String!) {
    queryMessage(filter: { room: { name: { eq: $room } } }, order: { desc: sent }, first: 50) { id text author sent picture { url name width height } }
  }
`;

export interface NewMessage {
  readonly room: string;
  readonly author: string;
  readonly text: string;
  /** The ticket of an upload; undefined: a message without a picture. */
  readonly picture: { readonly upload: string } | undefined;
}

/** Adds the room too, unless there is one of this name. */
export const addMessage: TypedDocumentNode<unknown, NewMessage> = gql`
  mutation ($room: String!, $author: String!, $text: String!, $picture: FileRef) {
    addMessage(input: [{ room: { name: $room }, author: $author, text: $text, picture: $picture }]) { numUids }
  }
`;
