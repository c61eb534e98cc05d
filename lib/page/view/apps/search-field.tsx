interface SearchFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** The field that finds an application by a part of its name. */
export function SearchField({ text, onText }: SearchFieldProps) {
  return (
    <p class="filters">
      <input
        type="search"
        aria-label="Find an application"
        placeholder="Find by name"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value.trim())}
      />
    </p>
  );
}
