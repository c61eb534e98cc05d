import { useState } from 'preact/hooks';
import { useForm } from '../../service/use-action.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Copy } from '../parts/copy.tsx';
import { Input } from '../parts/form.tsx';

interface NewTokenProps {
  /** The name that the field begins with. */
  readonly suggested: string;
  readonly onMade: (token: string) => void;
}

/** What a token with limited rights may. */
export const RIGHTS = { deploy: 'Deploy and read', read: 'Read only' } as const;

/** Makes an API token, which is shown this once. */
export function NewToken({ suggested, onMade }: NewTokenProps) {
  const { api } = useWorkspace();
  const [made, setMade] = useState<string | null>(null);
  const { action, submit } = useForm(async (fields) => {
    const body = { name: String(fields.get('name')).trim(), rights: fields.get('rights') || null };
    const { token } = await api.call<{ token: string }>({ method: 'POST', path: ['auth', 'tokens'], body });
    setMade(token);
    onMade(token);
  });
  return (
    <form class="new-token stack" onSubmit={submit}>
      <div class="fields flow">
        <Input
          name="name"
          aria-label="Name of the token"
          placeholder="name, such as laptop"
          key={suggested}
          defaultValue={suggested}
          required
        />
        <select name="rights" aria-label="Rights of the token">
          <option value="">Everything</option>
          {Object.entries(RIGHTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <button type="submit" disabled={action.isBusy}>
          Make an API token
        </button>
      </div>
      <Alert text={action.failure} />
      {made && (
        <div class="alert good stack tinted" role="status">
          <p>It is shown this once. Put it where it is needed now.</p>
          <span class="copyable">
            <code>{made}</code>
            <Copy text={made} label="Copy the token" />
          </span>
        </div>
      )}
    </form>
  );
}
