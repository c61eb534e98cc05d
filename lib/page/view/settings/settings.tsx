import { useState } from 'preact/hooks';
import type { Token, Tokens as TokenList } from '../../../../functions/api/shapes/logins.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Drop } from '../parts/ask.tsx';
import { Moment } from '../parts/moment.tsx';
import { useTitle } from '../parts/title.ts';
import { NewToken, RIGHTS } from './new-token.tsx';
import { Pairings } from './pairings.tsx';
import { ThisService } from './service.tsx';

/** The logins of the user: API tokens of the service, and tokens of repository hosts; and the service itself. */
export function Settings() {
  useTitle('Settings');
  return (
    <div class="page">
      <div class="title flow split wrap">
        <h1>Settings</h1>
      </div>
      <Tokens />
      <Pairings />
      <ThisService />
    </div>
  );
}

/** The user's API tokens: one is made, listed, revoked. */
function Tokens() {
  const { api, session, signOut } = useWorkspace();
  const [tokens, setTokens] = useState<readonly Token[] | null>(null);
  const read = () => api.call<TokenList>({ path: ['auth', 'tokens'] }).then((body) => setTokens(body.tokens));
  const failure = useReading(read);
  const revoke = async (name: string) => {
    if (name === session.token) return signOut();
    await api.call({ method: 'DELETE', path: ['auth', 'tokens', name] });
    await read();
  };
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">API tokens</h2>
      <p class="muted">
        A token takes the place of the password, in webhooks above all. It is made with the password only.
      </p>
      <Alert text={failure} />
      <div class="card table">
        {!tokens?.length && (
          <p class="muted nothing">{tokens ? 'No API token yet.' : failure ? 'Not known.' : 'Loading…'}</p>
        )}
        {tokens?.map(({ name, rights, created_at }) => (
          <div class="grid line" key={name}>
            <code class="name">{name}</code>
            <span class="faint">
              {name === session.token ? 'This browser · ' : ''}
              {rights ? `${RIGHTS[rights]} · ` : ''}
              <Moment at={created_at} />
            </span>
            <span class="buttons">
              <Drop
                what={name}
                verb="Revoke"
                effect="What uses it is refused from then on, webhooks too."
                work={() => revoke(name)}
              />
            </span>
          </div>
        ))}
      </div>
      <NewToken suggested="" onMade={() => void read().catch(() => {})} />
    </section>
  );
}
