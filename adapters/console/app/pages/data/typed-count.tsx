// Changes of many nodes need more than a press of Enter: somebody types how many there are.

/** Up to so many nodes one button is enough. */
const most = 100;

export interface TypedCountProps {
  readonly count: number;
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

export function TypedCount({ count, typed, onType }: TypedCountProps) {
  if (count <= most) return null;
  return (
    <div class="form-field">
      <label htmlFor="typed-count">
        Type <b>{count}</b> to confirm
      </label>
      <input id="typed-count" inputMode="numeric" autocomplete="off" value={typed} onInput={({ currentTarget }) => onType(currentTarget.value)} />
    </div>
  );
}

/** Throws where the count is not confirmed. */
export function assertConfirmed(count: number, typed: string): void {
  if (count > most && typed.trim() !== String(count)) throw new Error(`Type ${count} into the field to confirm.`);
}
