import { useState } from 'preact/hooks';
import { DotEnvError, readDotEnv } from '../../../client/dot-env.ts';
import { useForm } from '../../service/use-action.ts';
import { Alert } from '../parts/alert.tsx';

interface NewVariablesProps {
  readonly onSet: (values: Readonly<Record<string, string>>) => Promise<void>;
}

/** Sets one variable, or those of a `.env` file that is pasted, with one restart. */
export function NewVariables({ onSet }: NewVariablesProps) {
  const [pasted, setPasted] = useState<string | null>(null);
  if (pasted !== null) return <Pasted text={pasted} onChange={setPasted} onSet={onSet} />;
  return <One onPaste={setPasted} onSet={onSet} />;
}

/** A text of several lines that is pasted into the field of the name is a file. */
function One({ onPaste, onSet }: NewVariablesProps & { readonly onPaste: (text: string) => void }) {
  const { action, submit } = useForm((fields) => onSet({ [String(fields.get('name'))]: String(fields.get('value')) }));
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!/[\n=]/.test(text.trim())) return;
    event.preventDefault();
    onPaste(text);
  };
  return (
    <form class="line" onSubmit={submit}>
      <input
        name="name"
        aria-label="Name"
        placeholder="NAME, or paste a .env file"
        required
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        spellcheck={false}
        autocapitalize="none"
        onPaste={paste}
      />
      <input
        name="value"
        aria-label="Value"
        placeholder="value"
        type="password"
        autocomplete="off"
        spellcheck={false}
      />
      <span class="buttons">
        <button type="submit" class="small" disabled={action.isBusy}>
          Set
        </button>
        <button type="button" class="small quiet" onClick={() => onPaste('')}>
          Paste .env
        </button>
      </span>
      <Alert text={action.failure} />
    </form>
  );
}

interface PastedProps extends NewVariablesProps {
  readonly text: string;
  readonly onChange: (text: string | null) => void;
}

function Pasted({ text, onChange, onSet }: PastedProps) {
  const { values, unreadable } = variablesIn(text);
  const names = Object.keys(values);
  const { action, submit } = useForm(() => onSet(values).then(() => onChange(null)));
  return (
    <form class="line pasted" onSubmit={submit}>
      <textarea
        aria-label="Lines of a .env file"
        placeholder={'DATABASE_URL=postgres://…\nLOG_LEVEL=debug'}
        rows={8}
        value={text}
        spellcheck={false}
        autocapitalize="none"
        autofocus
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {unreadable && <p class="bad">{unreadable}</p>}
      <span class="buttons">
        <button type="submit" class="small primary" disabled={action.isBusy || names.length === 0}>
          {names.length === 1 ? 'Set 1 variable' : `Set ${names.length} variables`}
        </button>
        <button type="button" class="small" onClick={() => onChange(null)}>
          Cancel
        </button>
      </span>
      <Alert text={action.failure} />
    </form>
  );
}

/** A text that cannot be read has no variables: half of a file is never set. */
function variablesIn(text: string): {
  readonly values: Readonly<Record<string, string>>;
  readonly unreadable: string | null;
} {
  try {
    return { values: readDotEnv(text), unreadable: null };
  } catch (error) {
    if (error instanceof DotEnvError) return { values: {}, unreadable: error.message };
    throw error;
  }
}
