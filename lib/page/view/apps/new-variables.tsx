import { useState } from 'preact/hooks';
import { DotEnvError, importedFrom } from '../../../client/dot-env.ts';
import { useForm } from '../../service/use-action.ts';
import { Input, LineForm } from '../parts/form.tsx';

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
  const form = useForm((fields) => onSet({ [String(fields.get('name'))]: String(fields.get('value')) }));
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!/[\n=]/.test(text.trim())) return;
    event.preventDefault();
    onPaste(text);
  };
  const pasteFile = (
    <button type="button" class="small quiet" onClick={() => onPaste('')}>
      Paste .env
    </button>
  );
  return (
    <LineForm form={form} verb="Set" more={pasteFile}>
      <Input
        name="name"
        aria-label="Name"
        placeholder="NAME, or paste a .env file"
        required
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        onPaste={paste}
      />
      <Input name="value" aria-label="Value" placeholder="value" type="password" autocomplete="off" />
    </LineForm>
  );
}

interface PastedProps extends NewVariablesProps {
  readonly text: string;
  readonly onChange: (text: string | null) => void;
}

function Pasted({ text, onChange, onSet }: PastedProps) {
  const { variables, leftOut, unreadable } = variablesIn(text);
  const { length } = Object.keys(variables);
  const form = useForm(() => onSet(variables).then(() => onChange(null)));
  const cancel = (
    <button type="button" class="small" onClick={() => onChange(null)}>
      Cancel
    </button>
  );
  return (
    <LineForm
      form={form}
      class="pasted"
      verb={length === 1 ? 'Set 1 variable' : `Set ${length} variables`}
      more={cancel}
      isDisabled={length === 0}
    >
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
      {leftOut && <p class="muted">{leftOut}</p>}
    </LineForm>
  );
}

/** A text that cannot be read has no variables: half of a file is never set. */
function variablesIn(text: string): ReturnType<typeof importedFrom> & { readonly unreadable: string } {
  try {
    return { ...importedFrom(text), unreadable: '' };
  } catch (error) {
    if (error instanceof DotEnvError) return { variables: {}, leftOut: '', unreadable: error.message };
    throw error;
  }
}
