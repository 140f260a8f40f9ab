// The cache of decoded data, whose bound can be changed while the server runs.

import { useState } from "preact/hooks";
import { useConsole } from "../../parts/console-context.ts";
import { bytesText } from "../../parts/figures.tsx";
import { Failure } from "../../parts/pieces.tsx";

export interface CacheSizeProps {
  readonly maxBytes: number;
  readonly usedBytes: number | undefined;
  readonly onChanged: () => void;
}

export function CacheSize({ maxBytes, usedBytes, onChanged }: CacheSizeProps) {
  const { server } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  const resize = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const cacheMb = Number(new FormData(event.currentTarget).get("cacheMb"));
    setFailure(undefined);
    server
      .admin("mutation ($cacheMb: Float!) { config(input: { cacheMb: $cacheMb }) { response { code } } }", { cacheMb })
      .then(onChanged, setFailure);
  };
  return (
    <section class="card" aria-label="Cache">
      <h2>Cache</h2>
      {usedBytes !== undefined && (
        <p class="hint">
          {bytesText(usedBytes)} of {bytesText(maxBytes)} are in use.
        </p>
      )}
      <form class="inline" onSubmit={resize}>
        <input
          key={maxBytes}
          name="cacheMb"
          aria-label="Size of the cache in megabytes"
          type="number"
          min="0"
          step="any"
          defaultValue={String(maxBytes / 2 ** 20)}
        />
        <button type="submit">Set megabytes</button>
      </form>
      <Failure of={failure} />
    </section>
  );
}
