import { useState } from 'preact/hooks';
import type { Senders, SetupText } from '../../../../functions/api/shapes/service.ts';
import { type Entry, idOf, readEntry } from '../../../client/entry.ts';
import type { Route } from '../../model/route.ts';
import { allowed, filled, isOfThisMachine, isRepository } from '../../model/setup.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Waiting } from '../new/waiting.tsx';
import { Alert } from '../parts/alert.tsx';
import { Act } from '../parts/ask.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Copy } from '../parts/copy.tsx';
import { Field, Switch } from '../parts/form.tsx';
import { External } from '../parts/link.tsx';
import { useTitle } from '../parts/title.ts';
import { NewToken } from '../settings/new-token.tsx';

/** The webhook settings to copy, for each host and CI provider; `query` may name a host and a repository to begin with. */
export function Connect({ query }: { query: Route['query'] }) {
  const { api } = useWorkspace();
  const [answer, setAnswer] = useState<Senders | null>(null);
  // Nothing is chosen for a host whose name does not tell its kind: the same name elsewhere is another repository.
  const [chosen, setChosen] = useState(query.host ?? (query.repository ? '' : 'github'));
  const [repository, setRepository] = useState(query.repository ?? '');
  const [branch, setBranch] = useState('');
  const [environment, setEnvironment] = useState('');
  const [previews, setPreviews] = useState(false);
  const [ci, setCi] = useState(false);
  const [token, setToken] = useState('');
  useTitle('Connect a repository');
  const failure = useReading(() => api.call<Senders>({ path: ['senders'] }).then(setAnswer));
  const senders = answer?.senders ?? null;
  const sender = senders?.find(({ id }) => id === chosen);
  const choices = sender && allowed(sender, { environment, previews: true, ci: true });
  /** The branch that is deployed then, which is the repository's own where none is named, is that of the address. */
  const deployFirst = async () => {
    const [name, ...owner] = repository.split('/').reverse();
    const body = {
      repository: { host: chosen, owner: owner.reverse().join('/'), name },
      ...(branch !== '' && { branch }),
      ...(environment !== '' && { environment }),
    };
    const { id } = await api.call<Entry>({ method: 'POST', path: ['apps', api.user], body });
    const { doc } = await readEntry(api, idOf({ id }));
    if (doc?.branch) setBranch(doc.branch);
  };
  return (
    <div class="page">
      <div class="title flow split wrap">
        <h1>Connect a repository</h1>
      </div>
      <p class="muted lead">
        The repository host calls this service for each push, and a CI provider for each build. Choose who calls, and
        paste what is below into its settings.
      </p>
      <Alert text={failure} />
      <div class="card form-grid grid">
        <label>
          Who calls
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <Group label="Repository hosts" senders={senders} sends="pushes" />
            <Group label="CI providers" senders={senders} sends="builds" />
          </select>
        </label>
        <Field label="Repository" value={repository} placeholder="owner/repository" onText={setRepository} />
        <Field
          label="Branch to deploy"
          value={branch}
          placeholder={answer ? `the service’s default: ${answer.default_branch}` : ''}
          onText={setBranch}
        />
        <Field label="Environment" value={environment} placeholder="none" onText={setEnvironment} />
        {choices?.previews && (
          <Switch is={previews} onSwitch={setPreviews} about="Each gets an address of its own until it is closed.">
            Deploy pull requests too
          </Switch>
        )}
        {choices?.ci && (
          <Switch is={ci} onSwitch={setCi} about="Deploys wait for the call of a CI provider: connect it as well.">
            Wait for CI
          </Switch>
        )}
      </div>
      {sender && (
        <Guide
          text={filled(sender, { user: api.user, repository, branch, environment, previews, ci, token })}
          hasToken={token !== ''}
        />
      )}
      <section aria-labelledby="login">
        <h2 id="login">The login in the address</h2>
        <p class="muted">
          An API token takes the place of <code>&lt;token&gt;</code>. It can be revoked without changing your password.
        </p>
        <NewToken suggested={chosen} onMade={setToken} />
      </section>
      <section aria-label="The first call">
        {sender?.sends === 'pushes' && isRepository(repository) && (
          <p class="buttons">
            <Act class="primary" work={deployFirst}>
              Deploy {branch || 'its default branch'} now
            </Act>
          </p>
        )}
        <Waiting what={`a call from ${sender?.name ?? 'the sender'}`} isWebhook />
      </section>
    </div>
  );
}

interface GroupProps {
  readonly label: string;
  readonly senders: readonly SetupText[] | null;
  readonly sends: SetupText['sends'];
}

function Group({ label, senders, sends }: GroupProps) {
  return (
    <optgroup label={label}>
      {senders
        ?.filter((one) => one.sends === sends)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </optgroup>
  );
}

function Guide({ text, hasToken }: { text: SetupText; hasToken: boolean }) {
  return (
    <section aria-labelledby="guide">
      <h2 id="guide">{text.name}</h2>
      <p>
        <Linked text={text.where} />
      </p>
      {isOfThisMachine(text) && (
        <p class="muted">
          Only this machine can call the address below. For a host elsewhere, start the service with{' '}
          <code>PUBLIC_URL</code>.
        </p>
      )}
      {text.settings.length > 0 && (
        <dl class="card table">
          {text.settings.map(([name, value]) => (
            <div class="grid line" key={name}>
              <dt>{name}</dt>
              <dd class="flow split">
                <code>{value}</code>
                {/[<:/]/.test(value) && <Copy text={value} label={`Copy ${name}`} />}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {text.lines && <CodeBlock name="Lines to add" text={text.lines} />}
      {text.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
      {hasToken && (
        <p class="muted">
          The address holds the token that you have just made: it is shown here only, until you leave.
        </p>
      )}
    </section>
  );
}

/** A sentence whose address, if it has one, is a link. */
function Linked({ text }: { text: string }) {
  const [before = '', url] = text.split(/(https?:\/\/\S+)/);
  if (!url || url.includes('<')) return <>{text}</>;
  return (
    <>
      {before}
      <External url={url}>{url}</External>
    </>
  );
}
