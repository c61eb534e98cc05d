/** Whether the field gets the focus as soon as it is drawn. */
let isWanted = false;
let drawn: HTMLInputElement | null = null;

/** Gives the field the focus, now or when it is drawn. */
export function chooseSearchField(): void {
  isWanted = drawn === null;
  drawn?.focus();
}

/** The field is not drawn where there are no applications, and must not get the focus later. */
export function forgetSearchField(): void {
  isWanted = false;
}

function draw(field: HTMLInputElement | null): void {
  drawn = field;
  if (!field || !isWanted) return;
  isWanted = false;
  field.focus();
}

interface SearchFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** The field that finds an application by a part of its name. */
export function SearchField({ text, onText }: SearchFieldProps) {
  return (
    <p class="filters">
      <input
        ref={draw}
        type="search"
        aria-label="Find an application"
        placeholder="Find by name ( / )"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value.trim())}
      />
    </p>
  );
}
