// Asks for the admin token.

import { useState } from "preact/hooks";

export interface TokenFormProps {
  readonly isWrong: boolean;
  readonly onToken: (token: string) => void;
}

export function TokenForm({ isWrong, onToken }: TokenFormProps) {
  const [token, setToken] = useState("");
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onToken(token.trim());
        }}
      >
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <circle cx="16" cy="16" r="12" />
          <circle cx="16" cy="16" r="3" />
        </svg>
        <h1>Quern console</h1>
        <label htmlFor="token">Admin token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={token}
          aria-invalid={isWrong}
          aria-describedby="token-hint"
          ref={focusOnce}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        {isWrong && (
          <p class="problem" role="alert">
            The server does not accept this token.
          </p>
        )}
        <p class="hint" id="token-hint">
          It is <code>admin.token</code> of the configuration, or in the file <code>admin-token</code> of the data folder. <code>quern start</code>{" "}
          prints an address that contains it. It stays in this tab.
        </p>
        <button type="submit" class="primary" disabled={token.trim() === ""}>
          Open
        </button>
      </form>
    </main>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  input?.focus();
}
