// What the page asks of the API.

import { gql, type TypedDocumentNode } from "@apollo/client";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

/** A live query: the whole list, again after each commit that changes it. */
export const liveTasks: TypedDocumentNode<{ queryTask: readonly Task[] }, Record<string, never>> = gql`
  subscription {
    queryTask(order: { asc: created }) { id title done }
  }
`;

export const addTask: TypedDocumentNode<unknown, { title: string; owner: string }> = gql`
  mutation ($title: String!, $owner: String!) {
    addTask(input: [{ title: $title, owner: { email: $owner } }]) { numUids }
  }
`;

export const setDone: TypedDocumentNode<unknown, { id: string; done: boolean }> = gql`
  mutation ($id: ID!, $done: Boolean!) {
    updateTask(input: { filter: { id: [$id] }, set: { done: $done } }) { numUids }
  }
`;

export const deleteDone: TypedDocumentNode<unknown, Record<string, never>> = gql`
  mutation {
    deleteTask(filter: { done: true }) { numUids }
  }
`;
