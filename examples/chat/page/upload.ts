// Sends the bytes of a file. The answer has a ticket, by which a mutation takes the file.

interface Answer {
  readonly upload?: string;
  readonly errors?: readonly { readonly message: string }[];
}

/** @returns the ticket. Rejects with the reason of a refusal. */
export async function upload(file: File): Promise<string> {
  const response = await fetch(`/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  const { upload: ticket, errors = [] }: Answer = await response.json();
  if (ticket === undefined) throw new Error(errors[0]?.message ?? `The server answers ${response.status}.`);
  return ticket;
}
