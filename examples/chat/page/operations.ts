// What the page asks of the API.

import { gql, type TypedDocumentNode } from "urql";

export interface Message {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly sent: string;
}

/** A live query: the newest messages of one room, again after each commit that changes them. */
export const liveMessages: TypedDocumentNode<{ queryMessage: readonly Message[] }, { room: string }> = gql`
  subscription ($room: String!) {
    queryMessage(filter: { room: { name: { eq: $room } } }, order: { desc: sent }, first: 50) { id text author sent }
  }
`;

/** Adds the room too, unless there is one of this name. */
export const addMessage: TypedDocumentNode<unknown, { room: string; author: string; text: string }> = gql`
  mutation ($room: String!, $author: String!, $text: String!) {
    addMessage(input: [{ room: { name: $room }, author: $author, text: $text }]) { numUids }
  }
`;
