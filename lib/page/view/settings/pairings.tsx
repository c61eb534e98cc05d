import { useState } from 'preact/hooks';
import type { Pairings as Host, Pairing } from '../../../../functions/api/shapes/logins.ts';
import { useForm } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Drop } from '../parts/ask.tsx';
import { Input } from '../parts/form.tsx';

/** The stored tokens of repository hosts: one is stored, listed, deleted. */
export function Pairings() {
  const { api } = useWorkspace();
  const [hosts, setHosts] = useState<readonly Host[] | null>(null);
  const read = async () => {
    const read = (host: string) => api.call<Host>({ path: ['auth', host] });
    const first = await read('repohost');
    const others = first.hosts.filter((host) => host !== first.host);
    // The service's own host, which is the first on one machine, needs no token.
    setHosts([...(await Promise.all(others.map(read))), first]);
  };
  const failure = useReading(read);
  const forget = async ({ host, app }: Pairing) => {
    await api.call({ method: 'DELETE', path: ['auth', host], ...(app !== '*' && { query: { app } }) });
    await read();
  };
  return (
    <section aria-labelledby="pairings">
      <h2 id="pairings">Repository hosts</h2>
      <p class="muted">
        A stored token lets the service fetch private repositories and set commit statuses. It is never shown again.
      </p>
      <Alert text={failure} />
      <div class="card table">
        {hosts?.flatMap(({ pairings }) =>
          pairings.map((one) => (
            <div class="grid line" key={`${one.host} ${one.app}`}>
              <code class="name">
                {one.login} at {one.host}
              </code>
              <span class="faint">{one.app === '*' ? 'all applications' : `statuses of ${one.app}`}</span>
              <span class="buttons">
                <Drop
                  what={`the token of ${one.login}`}
                  verb="Delete"
                  effect={`Private repositories at ${one.host} cannot be deployed without it. It stays valid at the host: revoke it there.`}
                  work={() => forget(one)}
                />
              </span>
            </div>
          )),
        )}
        {!hosts?.some(({ pairings }) => pairings.length > 0) && (
          <p class="muted nothing">{hosts ? 'No token is stored.' : failure ? 'Not known.' : 'Loading…'}</p>
        )}
      </div>
      <NewPairing hosts={hosts?.map(({ host }) => host) ?? null} onPaired={read} />
    </section>
  );
}

function NewPairing({ hosts, onPaired }: { hosts: readonly string[] | null; onPaired: () => Promise<void> }) {
  const { api } = useWorkspace();
  const { action, submit } = useForm(async (fields) => {
    const credentials = `${String(fields.get('login')).trim()}:${fields.get('secret')}`;
    await api.call({ method: 'POST', path: ['auth', String(fields.get('host'))], body: { credentials } });
    await onPaired();
  });
  return (
    <form class="fields flow wrap" onSubmit={submit}>
      <select name="host" aria-label="Host" required>
        {!hosts && <option value="">Loading…</option>}
        {hosts?.map((host) => (
          <option key={host}>{host}</option>
        ))}
      </select>
      <Input name="login" aria-label="Login at the host" placeholder="login" required autocomplete="off" />
      <Input
        name="secret"
        aria-label="Personal access token"
        placeholder="personal access token"
        type="password"
        required
        autocomplete="off"
      />
      <button type="submit" disabled={action.isBusy}>
        Store the token
      </button>
      <Alert text={action.failure} />
    </form>
  );
}
