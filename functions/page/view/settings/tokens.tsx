import { useState } from 'preact/hooks';
import type { Token, Tokens as TokenList } from '../../../api/shapes/logins.ts';
import { useAction } from '../../service/use-action.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { NewToken } from './new-token.tsx';

/** The user's API tokens: one is made, listed, revoked. */
export function Tokens() {
  const { api, session, signOut } = useWorkspace();
  const [tokens, setTokens] = useState<readonly Token[] | null>(null);
  const [revoked, setRevoked] = useState<string | null>(null);
  const action = useAction();
  const read = () => api.call<TokenList>({ path: ['auth', 'tokens'] }).then((body) => setTokens(body.tokens));
  const failure = useReading(read);
  const revoke = (name: string) =>
    action.run(async () => {
      if (name === session.token) return signOut();
      await api.call({ method: 'DELETE', path: ['auth', 'tokens', name] });
      setRevoked(null);
      await read();
    });
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">API tokens</h2>
      <p class="muted">
        A token takes the place of the password, in webhooks above all. It is made with the password only.
      </p>
      <Alert text={failure} />
      <div class="card table">
        {!tokens?.length && <p class="nothing">{tokens ? 'No API token yet.' : failure ? 'Not known.' : 'Loading…'}</p>}
        {tokens?.map(({ name, created_at }) => (
          <div class="line" key={name}>
            <code class="name">{name}</code>
            <span class="faint">
              {name === session.token ? 'This browser · ' : ''}
              <Moment at={created_at} />
            </span>
            <span class="buttons">
              <button type="button" class="small danger-text" onClick={() => setRevoked(name)}>
                Revoke
                <span class="visually-hidden"> {name}</span>
              </button>
            </span>
          </div>
        ))}
      </div>
      <NewToken suggested="" onMade={() => void read().catch(() => {})} />
      {revoked !== null && (
        <Confirm
          title={`Revoke ${revoked}?`}
          verb="Revoke"
          isDangerous
          action={action}
          onConfirm={() => void revoke(revoked)}
          onClose={() => setRevoked(null)}
        >
          What uses it is refused from then on, webhooks too.
        </Confirm>
      )}
    </section>
  );
}
