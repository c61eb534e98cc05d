import { Problem } from '../../client/client.ts';
import { api, inWords } from '../service/api.ts';
import { type Session, storeSession } from '../service/session.ts';
import { useAction } from '../service/use-action.ts';
import { Alert } from './parts/alert.tsx';
import { Field } from './parts/form.tsx';
import { Brand } from './parts/icons.tsx';
import { useTitle } from './parts/title.ts';

interface SignInProps {
  /** The user that the address names. */
  readonly user: string;
  /** Why the user has to sign in, when that is not plain. */
  readonly refusal: string | null;
  readonly onEnter: (session: Session) => void;
}

/** The form to sign in. The login stays in this tab, unless the user wants to stay signed in. */
export function SignIn({ user, refusal, onEnter }: SignInProps) {
  const { isBusy, failure, run } = useAction((error) => (refused(error) ? MISMATCH : inWords(error)));
  useTitle('Sign in');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const session = { user: String(form.get('user')).trim(), secret: String(form.get('secret')) };
    void run(async () => {
      await check(session);
      const kept = form.get('keep') === null ? session : await withToken(session);
      storeSession(kept, form.get('keep') === null ? 'tab' : 'machine');
      if (user !== '' && user !== session.user) location.hash = '';
      onEnter(kept);
    });
  };
  return (
    <main class="sign-in stack">
      <form class="card stack" onSubmit={submit}>
        <Brand />
        <h1>Sign in</h1>
        <Alert text={failure ?? refusal} />
        <Field
          label="User name"
          name="user"
          defaultValue={user}
          required
          autocomplete="username"
          autofocus={user === ''}
        />
        <Field
          label="Password or API token"
          name="secret"
          type="password"
          required
          autocomplete="current-password"
          autofocus={user !== ''}
        />
        <label class="check">
          <input type="checkbox" name="keep" />
          <span>
            Stay signed in on this machine
            <small>Otherwise the login is forgotten with this tab.</small>
          </span>
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <p class="faint hint note">
        The first start creates the user <code>demo</code>, with its password in the file <code>password</code> of the
        data folder.
      </p>
    </main>
  );
}

const MISMATCH = 'User name and password do not match.';

function check(session: Session): Promise<unknown> {
  return api(session, () => {}).call({ path: ['status', session.user, 'webhooks'], query: { limit: 1 } });
}

function refused(error: unknown): boolean {
  return error instanceof Problem && error.status === 401;
}

/** Only an API token is stored, which can be revoked; the password is not. */
async function withToken(session: Session): Promise<Session> {
  const name = `page-${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID().slice(0, 6)}`;
  const request = { method: 'POST', path: ['auth', 'tokens'], body: { name } };
  const client = api(session, () => {});
  try {
    const { token } = await client.call<{ token: string }>(request);
    return { user: session.user, secret: token, token: name };
  } catch (error) {
    // A token cannot make another one, and is kept itself.
    if (refused(error) || (error instanceof Problem && error.status === 403)) return session;
    throw error;
  }
}
